"""What in a text tells who, where, or with which key, and how it is taken out: one set of rules for site and registry.

The collector carries these modules by links in `collectors/scrubbing/`, so they are of the standard library alone, in
the syntax of Python 3.6, and import one another by relative names.
"""
