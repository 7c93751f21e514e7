"""Loading published lists and reported results into the record."""
