"""Backup, retention and metrics."""
