"""Saved studies of accounts."""
