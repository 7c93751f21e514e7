"""Reading the record: filters, axes, values and differences, for every page and call."""
