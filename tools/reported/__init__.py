"""The figures of each document as results; tools/make_reported.py writes them down."""
