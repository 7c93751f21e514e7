"""One pass of all probes, on one node or many."""
