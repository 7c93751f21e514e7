"""Many results at once: from a tree of outputs, or from what ReFrame and JUBE left, into a few submissions."""
