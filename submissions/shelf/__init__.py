"""Checked runs of institutions that can be asked like results: the shelf, its groups, and with whom it is shared."""
