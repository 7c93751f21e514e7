"""WRF: how long the weather model took to write its history and restart files, and to compute between."""
