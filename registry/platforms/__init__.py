"""Platforms: what their parts can give, what each generation brought, and how many units a rate needs."""
