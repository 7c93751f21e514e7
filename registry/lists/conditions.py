"""What definition files leave out, filled in: conditions by their names, and the rows of a family of lists.

`conditions.json` names every condition, and sets of them; a family is a table of lists that differ in some words only.
What comes out is a definition in full, as it is stored and shown.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from registry.lists.ranking import DefinitionError
from registry.query import data_files

FILE = "conditions.json"
_WORD = re.compile(r"\{([a-z_]{1,40})\}")

Row = dict[str, Any]


@dataclass(frozen=True)
class NamedConditions:
    """Conditions by name, and sets of such names; a set may hold sets."""

    conditions: Mapping[str, Row] = field(default_factory=dict)
    sets: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def expand_names(self, names: Iterable[str], inside: tuple[str, ...] = ()) -> Iterator[str]:
        """The conditions that names stand for, in order; `inside` are the sets that led there.

        Raises DefinitionError for a name that is not known, and for a set that holds itself.
        """
        for name in names:
            if name in inside:
                raise DefinitionError(f"the set {name} holds itself: {' > '.join([*inside, name])}")
            if name in self.sets:
                yield from self.expand_names(self.sets[name], (*inside, name))
            elif name in self.conditions:
                yield name
            else:
                raise DefinitionError(self._describe_unknown(name))

    def _describe_unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, [*self.conditions, *self.sets], n=1)
        return f"no condition is called {name}" + (f"; did you mean {close[0]}?" if close else "")


def read_conditions(folder: Path) -> NamedConditions:
    """The named conditions of a folder; a folder without the file names none.

    Raises DefinitionError where the file is not what its schema says, or a name is a condition and a set.
    """
    path = folder / FILE
    if not path.exists():
        return NamedConditions()
    content = data_files.read_valid(path, data_files.LIST_DEFINITION, DefinitionError, part="conditions")
    if both := content["conditions"].keys() & content["sets"].keys():
        raise DefinitionError(f"{FILE}: {min(both)} is a condition and a set")
    named = NamedConditions(content["conditions"], content["sets"])
    for name in named.sets:
        _expand_once([name], named, f"{FILE}: ")
    return named


def expand_definition(body: Mapping[str, Any], named: NamedConditions, where: str = "") -> Row:
    """A definition with conditions in place of names. Raises DefinitionError, its text beginning with `where`."""
    words = {"name": body["name"]}
    written = body["eligible"]
    names = [condition for condition in written if isinstance(condition, str)]
    _expand_once(names, named, where)
    expanded: list[Row] = []
    for condition in written:
        if isinstance(condition, str):
            expanded += [fill_words(named.conditions[name], words, where) for name in named.expand_names([condition])]
        else:
            expanded.append(condition)
    return {**body, "eligible": expanded}


def expand_family(family: Mapping[str, Any], where: str = "") -> Iterator[Row]:
    """The definitions of a family, as their files would be written.

    Raises DefinitionError where a member names a form that the family does not have.
    """
    for row in family["lists"]:
        for form, version in row["versions"].items():
            if form not in family["forms"]:
                raise DefinitionError(f"{where}{row['name']}: no form is called {form}")
            own = {name: row[name] for name in ("name", "title", "position")}
            common = fill_words(family["shared"] | family["forms"][form], row["words"], f"{where}{row['name']}: ")
            yield {**common, **own, "version": version}


def fill_words(content: Any, words: Mapping[str, str], where: str = "") -> Any:
    """Content with a word in place of each `{word}` of its texts. Raises DefinitionError for a word not known."""
    if isinstance(content, dict):
        return {name: fill_words(value, words, where) for name, value in content.items()}
    if isinstance(content, list):
        return [fill_words(value, words, where) for value in content]
    if not isinstance(content, str):
        return content
    if unknown := [name for name in _WORD.findall(content) if name not in words]:
        raise DefinitionError(f"{where}no word is called {unknown[0]}")
    return _WORD.sub(lambda found_word: words[found_word[1]], content)


def _expand_once(names: Iterable[str], named: NamedConditions, where: str) -> None:
    """Raises DefinitionError, in the place `where`, for names that can't be expanded or name a condition twice."""
    try:
        conditions = list(named.expand_names(names))
    except DefinitionError as error:
        raise DefinitionError(f"{where}{error}") from error
    if repeated := [name for name, times in Counter(conditions).items() if times > 1]:
        raise DefinitionError(f"{where}{repeated[0]} is named twice")
