"""The committee's own checklist of a release, beside the one that is computed before publishing."""
