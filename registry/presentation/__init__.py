"""How values, parameters and systems are shown."""
