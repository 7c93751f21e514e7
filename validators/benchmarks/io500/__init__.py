"""IO500: one score from bandwidth and metadata phases. Every layout since the first list of 2017 is read."""
