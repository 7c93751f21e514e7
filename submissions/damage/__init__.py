"""Stored bytes that are damaged or missing: found, marked, told, ended."""
