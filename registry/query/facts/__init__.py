"""Facts of results: the axes that name them, their index, and why some are not known."""
