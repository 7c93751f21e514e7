"""Receiving an upload."""
