"""Accounts, tokens, institutions and personal data."""
