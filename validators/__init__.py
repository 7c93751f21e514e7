"""What a valid run is: bundles, parsers, scores, rules. The standard library of Python 3.9, no Django."""

import sys

VERSION = "1.1.0"
"""Version of the rules and parsers as a whole; stored beside every report. Raise it when a report may change."""

if sys.version_info < (3, 11):  # only at a site that checks offline
    from validators import older_python

    older_python.install()
