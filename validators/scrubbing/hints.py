"""Which of some hundred short texts stand in a line: asked of every line, before patterns are tried on it."""

_START = 3
_SHORT_LINE = 400
"""Longer lines are searched for each hint: that is quicker than to take them apart."""


class Hints:
    """Short texts, each with what it hints at."""

    def __init__(self, rows):
        """`rows` are pairs of a hint and what it hints at; a hint may stand in several."""
        self._meanings = {}
        for hint, meanings in rows:
            self._meanings.setdefault(hint, set()).add(meanings)
        self._brief = [hint for hint in self._meanings if len(hint) < _START]
        self._by_start = {}
        for hint in self._meanings:
            if len(hint) >= _START:
                self._by_start.setdefault(hint[:_START], []).append(hint)

    def list_meanings(self, line):
        """The set of all that the hints in a line hint at."""
        meanings = set()
        for hint in self._possible_hints(line):
            if hint in line:
                meanings |= self._meanings[hint]
        return meanings

    def _possible_hints(self, line):
        if len(line) > _SHORT_LINE:
            return self._meanings
        starts = {line[place : place + _START] for place in range(len(line) - _START + 1)}
        longer = [hint for start in starts & self._by_start.keys() for hint in self._by_start[start]]
        return self._brief + longer
