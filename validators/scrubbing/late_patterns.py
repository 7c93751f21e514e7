"""Regular expressions that are compiled when they are first used: a run of the collector uses few of a hundred."""

import re

_PATTERNS = []


class LatePattern:
    """A regular expression that costs nothing before its first use."""

    def __init__(self, text, flags=0):
        self._text = text
        self._flags = flags
        self._compiled = None
        _PATTERNS.append(self)

    @property
    def compiled_pattern(self):
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return self._compiled


def compile_all():
    """Compile all that there are, for a process whose children would each do it again."""
    return [late.compiled_pattern for late in _PATTERNS]
