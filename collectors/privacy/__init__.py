"""What may leave the site, and under which names."""
