"""What runs at the site: standard library only, Python 3.6 and later, imports nothing else of this project."""

VERSION = "1.0.0"
