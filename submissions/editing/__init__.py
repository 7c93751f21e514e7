"""Changing a submission before it is published."""
