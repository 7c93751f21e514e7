"""What of a submission is published anonymously: numbers, versions and codes, and no text that may tell who ran it.

Files, answers in words and the described system are withheld whole. Of what remains a text goes if it holds a name of
the submission, or looks like a path, host or address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.models import Site
from submissions.models import Submission
from validators.units import UNITS

SLUG, INSTITUTION = "anonymous", "Anonymous"
WITHHELD = "withheld"
DECLARED = ("storage_vendor", "filesystem_type", "platform")
"""What of the metadata is published as it was declared, if no name is in it."""
COUNTED = ("client_nodes", "tasks", "production")
_FIXED_WORD_KEYS = frozenset(
    (
        "code",
        "level",
        "outcome",
        "tool",
        "op",
        "quantity",
        "stat",
        "mode",
        "unit",
        "printed_unit",
        "in_short",
        "missing",
        "unconfirmed",
    )
)
"""Keys whose texts are words of this registry, whatever names they may hold."""
_PUBLIC = frozenset(("version", "hint"))
"""Keys whose texts look like paths and are none; a name takes them out."""
_TELLING = re.compile(r"[/\\@]|\w\.[A-Za-z]")
_WORD = re.compile(r"\w+")
_GENERIC = frozenset(
    _WORD.findall(
        "advanced centre center college computer computing company corporation data department facility foundation "
        "group high institute international laboratories laboratory lustre national network performance research "
        "school science sciences scientific service services state storage supercomputer supercomputing system "
        "systems technical technologies technology university"
    )
)
"""Words of names of institutions that name none."""
SHORTEST = 4
"""Letters of a word that names somebody wherever it stands; shorter ones count as a word of their own."""


def is_anonymous(submission: Submission) -> bool:
    """Granted and not lifted, for it or for what it revises."""
    anonymity = getattr(submission, "anonymity", None)
    if anonymity is not None and anonymity.granted:
        return anonymity.lifted_at is None
    return submission.revises is not None and is_anonymous(submission.revises)


def public_site() -> Site:
    """Where results stand that are published anonymously, of whatever institution."""
    return Site.objects.get_or_create(slug=SLUG, defaults={"name": INSTITUTION})[0]


@dataclass(frozen=True)
class Anonymizer:
    """Takes out texts that hold one of `names`, which are in lower case."""

    names: frozenset[str]

    def tells(self, text: str) -> bool:
        """Whether a name is in it: anywhere if it is long enough, else as a word."""
        folded = " ".join(text.casefold().split())
        words = set(_WORD.findall(folded.replace("_", " ")))
        return any(name in words if len(name) < SHORTEST else name in folded for name in self.names)

    def document(self, value: Any, key: str = "") -> Any:
        """The same document with the texts taken out that may tell who ran it."""
        if isinstance(value, Mapping):
            return {name: self.document(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.document(item, key) for item in value]
        if not isinstance(value, str) or key in _FIXED_WORD_KEYS or value in UNITS:
            return value
        telling = self.tells(value) or (key not in _PUBLIC and _TELLING.search(value))
        return WITHHELD if telling else value

    def metadata(self, declared: Mapping[str, Any]) -> dict[str, Any]:
        """What was declared of kind and size of the system."""
        texts = {name: declared[name] for name in DECLARED if declared.get(name) and not self.tells(declared[name])}
        return texts | {name: declared[name] for name in COUNTED if name in declared}

    def run(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """A run of a report, without what the described system says."""
        ours = {name: run[name] for name in ("scores", "hashes")}
        parameters = {name: value for name, value in run["parameters"].items() if not self.tells(name)}
        anonymized = self.document({**run, "parameters": parameters})
        if "given_options" in run:
            ours["given_options"] = self._public_options(run["given_options"])
        return {**anonymized, **ours, "parameter_sources": {}, "printed_at": {}, "described_parameters": {}}

    def _public_options(self, options: Any) -> Any:
        """The given options of a run without those whose name or value tells who ran it (validators/recipes)."""
        if isinstance(options, Mapping):
            return {name: self._public_options(value) for name, value in options.items() if not self.tells(name)}
        if isinstance(options, list):
            return [self._public_options(item) for item in options if not self._tells_option(item)]
        return WITHHELD if isinstance(options, str) and self.tells(options) else options

    def _tells_option(self, item: Any) -> bool:
        """Whether a name that is left out, or the name or value of an option, tells who ran it."""
        texts = item if isinstance(item, list) else [item]
        return any(isinstance(text, str) and self.tells(text) for text in texts)


def anonymizer_for(submission: Submission) -> Anonymizer:
    """With the names of its institution, system, file system and account, and the words that they are made of."""
    site, account, declared = submission.institution, submission.account, submission.metadata
    declared_names = [declared.get(name, "") for name in ("institution", "system", "filesystem_name")]
    institution = [*(_names_of(site) if site else ()), declared_names[0]]
    people = [account.username, account.first_name, account.last_name, *account.email.split("@")]
    names = {" ".join(text.casefold().split()) for text in (*institution, *declared_names, *people)}
    return Anonymizer(frozenset(names | set(_distinctive_words(institution)) - {""}) - {""})


def _names_of(site: Site) -> Iterable[str]:
    """Every name of an institution, also those of what it was merged with."""
    now = site.merged_into or site
    for row in (site, now, *now.former.all()):
        yield from (row.slug, row.name, *(row.also_printed_as or []))


def _distinctive_words(names: Iterable[str]) -> Iterable[str]:
    """The distinctive words of names, and the initials of each: Oak Ridge National Laboratory is ornl."""
    for name in names:
        words = _WORD.findall(name.replace("_", " "))
        yield "".join(word[0] for word in words if word[0].isupper()).casefold() if len(words) > 2 else ""
        yield from (word.casefold() for word in words if len(word) >= SHORTEST and word.casefold() not in _GENERIC)
