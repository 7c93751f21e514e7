"""The configuration of a run: what the ini files say, and the hash of it under every option schema io500 ever had."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from validators.benchmarks.io500.hashes import format_hash, pair_hash, set_hash

SCHEMAS = Path(__file__).parent / "option_schemas.json"
MOST_SETTINGS = 1000
"""Options that are read of one file: a full dump has 120."""
_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})

Settings = dict[tuple[str, str], str]
"""Values set in an ini file by (section, option), both in lower case; an empty value is not set and not in it."""


class Option(NamedTuple):
    """One option as its releases define it; `name` is spelt as hashed, `default` is None where there is none."""

    section: str
    name: str
    kind: str
    default: str | None


class Family(NamedTuple):
    """The options that a set of releases shares; `default_hash` is that of an empty ini file."""

    letter: str
    tags: tuple[str, ...]
    options: dict[tuple[str, str], Option]
    default_hash: int


@cache
def families() -> tuple[Family, ...]:
    """Every option schema known, from option_schemas.json."""
    stored = json.loads(SCHEMAS.read_text())
    schemas = []
    for letter, family in stored["families"].items():
        options = [Option(*row[:4]) for row in stored["options"] if letter in row[4]]
        by_name = {(option.section.lower(), option.name.lower()): option for option in options}
        schemas.append(Family(letter, tuple(family["tags"]), by_name, _hash_of(options)))
    return tuple(schemas)


def read_settings(lines: Iterable[str]) -> Settings:
    """The options that an ini file sets. Names are case-insensitive; `#` and `;` begin a comment anywhere."""
    settings: Settings = {}
    section = ""
    for line in lines:
        text = line.split("#", 1)[0].split(";", 1)[0].strip()
        if text.startswith("["):
            section = text.strip("[] \t").lower()
        elif "=" in text:
            name, value = text.split("=", 1)
            if value.strip() and len(settings) < MOST_SETTINGS:
                settings[section, name.strip().lower()] = value.strip()
    return settings


def config_hashes(settings: Settings, version: str) -> Iterator[str]:
    """The config hash of these settings under each family, that of the run's own version first.

    Builds between two releases had options, or lacked some, unlike any release. So for each family follows the hash
    that covers unreleased options too, and at the end that of what is set alone, as a full dump would give.
    """
    for family in sorted(families(), key=lambda family: -_nearness(family, version)):
        released = _config_hash(family, settings)
        yield format_hash(released)
        unreleased = [key for key in settings if key not in family.options]
        if unreleased:
            yield format_hash(
                released ^ set_hash((option, settings[section, option]) for section, option in unreleased)
            )
    yield format_hash(_dump_hash(settings))


def _config_hash(family: Family, settings: Settings) -> int:
    """The family's default hash, with each option that is set exchanged for its own value."""
    combined = family.default_hash
    for key, value in settings.items():
        option = family.options.get(key)
        if option is not None:
            combined ^= _option_hash(option, option.default) ^ _option_hash(option, value)
    return combined


def _dump_hash(settings: Settings) -> int:
    combined = 0
    for key, value in settings.items():
        combined ^= _option_hash(_any_option(key), value)
    return combined


def _any_option(key: tuple[str, str]) -> Option:
    """The option of this name in any family: only its spelling and kind matter here."""
    for family in reversed(families()):
        if key in family.options:
            return family.options[key]
    return Option(key[0], key[1], "text", None)


def _option_hash(option: Option, value: str | None) -> int:
    if value is None:
        return 0
    if option.kind == "bool":
        value = "TRUE" if value.lower() in _TRUE else "FALSE"
    return pair_hash(option.name, value)


def is_same_setting(value: str, other: str) -> bool:
    """Whether two texts set an option alike; TRUE is also 1, FALSE also 0."""
    return value == other or _truth(value) == _truth(other) != ""


def _truth(value: str) -> str:
    return "TRUE" if value.lower() in _TRUE else "FALSE" if value.lower() in _FALSE else ""


def _hash_of(options: Iterable[Option]) -> int:
    combined = 0
    for option in options:
        combined ^= _option_hash(option, option.default)
    return combined


def _nearness(family: Family, version: str) -> int:
    """How many characters of the version string the best tag of the family explains."""
    return max((len(tag) for tag in family.tags if version.startswith(tag)), default=0)


def unknown_options(settings: Settings) -> list[str]:
    """Options that no release ever had, as `section.option`."""
    option_keys = {key for family in families() for key in family.options}
    return [f"{section}.{option}" for section, option in settings if (section, option) not in option_keys]
