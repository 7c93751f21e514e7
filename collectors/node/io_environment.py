"""The variables that steer input and output, by the form of a value that may leave: data/io-environment.1.json."""

import json
import pkgutil
import re

FILE = "data/io-environment.1.json"
# IOR hands these on to MPI-IO; which hints there are, the probe of MPI knows.
HINT = re.compile(r"IOR_HINT__MPI__([a-z0-9_]{1,60})")

LISTS = json.loads(pkgutil.get_data("collectors", FILE).decode("utf-8"))
NUMBERS, SIZES, WORDS, ONLY_SET = (frozenset(LISTS[kind]) for kind in ("number", "size", "word", "set"))
NAMES = NUMBERS | SIZES | WORDS | ONLY_SET


def is_steering(name):
    """Whether a variable steers input and output and nothing else, and has a value that may leave."""
    return name in NAMES - ONLY_SET or bool(HINT.fullmatch(name))
