"""What to run to reproduce a result."""
