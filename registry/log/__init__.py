"""The transparency log: what was published and decided, as salted digests that anybody can keep and compare."""
