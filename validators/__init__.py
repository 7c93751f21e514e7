"""What a valid run is: bundles, parsers, scores, rules. Plain Python and jsonschema, no Django."""

VERSION = "1.0.0"
"""Version of the rules and parsers as a whole; stored beside every report."""
