"""Which names are of one institution, system or platform: merging, splitting and their trace."""
