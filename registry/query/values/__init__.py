"""Values as they were printed: with about, above or below, their rounding, and arithmetic over them."""
