"""Signed receipts of uploads."""
