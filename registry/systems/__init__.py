"""Sites, systems and platforms."""
