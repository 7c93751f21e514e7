"""What a tool says of the lines that it prints: `lines.json` of its folder, as patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Banner:
    """A line with which an output begins: it holds `word`, which is searched first.

    `joined`: the tool's reader takes several in a row, which are parts of one another. `last`: it ends the output of a
    tool that holds those of others. Those of a `kind` are joined with others of it only. `apart`: behind results that
    another banner began it begins another output.
    """

    word: bytes
    pattern: re.Pattern[bytes]
    joined: bool = False
    last: bool = False
    apart: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """Where outputs of a tool begin; which lines are not read, and why; which hold what every run must have.

    `traces` are lines of results that nothing else prints. `preface` matches lines directly before a banner that belong
    to it. `holds` are tools whose outputs stand inside. `within`: it prints into the output of other programs.
    `interrupted` are words with which it says that it was ended early; `open_ended`: nothing tells that the last of its
    parts was printed.
    """

    tool: str
    banners: tuple[Banner, ...] = ()
    traces: tuple[Banner, ...] = ()
    preface: re.Pattern[bytes] | None = None
    holds: frozenset[str] = frozenset()
    within: bool = False
    ignored: tuple[re.Pattern[str], ...] = ()
    required: re.Pattern[str] | None = None
    interrupted: tuple[str, ...] = ()
    open_ended: bool = False

    @property
    def sees_whole(self) -> bool:
        return self.within or bool(self.holds)


def outline_of(tool: str, document: Mapping[str, Any]) -> Outline:
    """The outline of a tool from its `lines.json`; an empty one where there is none."""
    return Outline(
        tool,
        tuple(
            Banner(
                row["word"].encode(),
                re.compile(row["pattern"].encode(), re.MULTILINE),
                row.get("joined", False),
                row.get("last", False),
                row.get("apart", False),
                row.get("kind", ""),
            )
            for row in document.get("begins", ())
        ),
        tuple(Banner(row["word"].encode(), re.compile(row["pattern"].encode())) for row in document.get("traces", ())),
        _any_of_bytes(document.get("preface", ())),
        frozenset(document.get("holds", ())),
        document.get("within", False),
        tuple(re.compile(row["pattern"]) for row in document.get("ignored", ())),
        _any_of(document.get("required", ())),
        tuple(document.get("interrupted", ())),
        document.get("open_ended", False),
    )


def _any_of(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


def _any_of_bytes(patterns: Sequence[str]) -> re.Pattern[bytes] | None:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode()) if patterns else None
