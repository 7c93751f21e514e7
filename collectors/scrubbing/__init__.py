"""The registry's scrubbing rules, by links to validators/scrubbing: site and registry take out the same."""
