"""Performance changes of systems: detection and triage."""
