"""Which of some hundred short texts stand in a line: asked of every line, before patterns are tried on it."""

_START = 3
_SHORT_LINE = 400
"""Longer lines are searched for each hint: that is quicker than to take them apart."""


class Hints:
    """Short texts, each with what it hints at."""

    def __init__(self, rows):
        """`rows` are pairs of a hint and what it hints at; a hint may stand in several."""
        self._meant = {}
        for hint, meant in rows:
            self._meant.setdefault(hint, set()).add(meant)
        self._brief = [hint for hint in self._meant if len(hint) < _START]
        self._by_start = {}
        for hint in self._meant:
            if len(hint) >= _START:
                self._by_start.setdefault(hint[:_START], []).append(hint)

    def meant_in(self, line):
        """The set of all that the hints in a line hint at."""
        meant = set()
        for hint in self._candidates(line):
            if hint in line:
                meant |= self._meant[hint]
        return meant

    def _candidates(self, line):
        if len(line) > _SHORT_LINE:
            return self._meant
        starts = {line[place : place + _START] for place in range(len(line) - _START + 1)}
        found = [hint for start in starts & self._by_start.keys() for hint in self._by_start[start]]
        return self._brief + found
