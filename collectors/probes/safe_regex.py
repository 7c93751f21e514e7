"""Regular expressions from a file that a site wrote: checked before use, and with bounded work.

Python's `re` has no deadline, and a repeated group can take it years. So only a single character or set may be
repeated; then the work on a line is at most the product of what its repeats can range over, which is limited.
"""

import importlib
import re
import sys
from collections import namedtuple

MAX_LINE_CHARACTERS = 4096
# About a second of one core.
MAX_STEPS = 20 * 1000 * 1000

REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
REPEATABLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY", "RANGE")
TRANSPARENT = ("SUBPATTERN", "BRANCH", "AT") + REPEATABLE

LinePattern = namedtuple("LinePattern", "compiled ranges")
LinePattern.__doc__ = (
    "A compiled expression with one group, and for each repeat how many more than the least it may take."
)


class TooMuchWork(Exception):
    """The text would take longer than it is worth."""


def compiled(text):
    """The LinePattern of an expression. Raises ValueError with the reason for one that is refused."""
    try:
        expression = re.compile(text, re.ASCII)
        parsed = parser().parse(text, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError("not a regular expression: %s" % error)
    if expression.groups != 1:
        raise ValueError("it needs exactly one group in parentheses, which is the value")
    ranges = []
    collect_repeats(parsed, ranges)
    return LinePattern(expression, tuple(ranges))


def parser():
    """The parser of `re`, which moved in 3.11."""
    return importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")


def collect_repeats(parsed, ranges):
    """Collect the ranges of all repeats. Raises ValueError for anything whose work cannot be told beforehand."""
    for operation, argument in parsed:
        name = str(operation)
        if name in REPEATS:
            least, most, body = argument
            if len(body) != 1 or str(body[0][0]) not in REPEATABLE:
                raise ValueError("only a single character or set may be repeated")
            ranges.append(min(int(most), MAX_LINE_CHARACTERS) - int(least))
        elif name == "SUBPATTERN":
            collect_repeats(argument[-1], ranges)
        elif name == "BRANCH":
            for branch in argument[1]:
                collect_repeats(branch, ranges)
            ranges.append(len(argument[1]))
        elif name not in TRANSPARENT:
            raise ValueError("only characters, sets, repeats of them, groups and alternatives are allowed")


def find_matches(pattern, text):
    """The group's text in every line that the pattern matches as a whole.

    Raises TooMuchWork where that takes more than MAX_STEPS steps.
    """
    values, steps = [], 0
    for line in text.splitlines():
        if len(line) <= MAX_LINE_CHARACTERS:
            steps += work(pattern, line)
            if steps > MAX_STEPS:
                raise TooMuchWork("the pattern takes too long on this text")
            match = pattern.compiled.fullmatch(line)
            if match and match.group(1):
                values.append(match.group(1))
    return values


def work(pattern, line):
    """The most steps that matching a whole line can take."""
    steps = 1
    for most in pattern.ranges:
        steps *= min(most, len(line)) + 1
    return steps + len(line)
