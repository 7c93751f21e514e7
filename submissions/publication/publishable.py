"""The form of a run that is published: without names where it is anonymous, texts scrubbed, its system without nodes.

Lists rank what is published, so what a list may ask of a submission is read from here, before and on release day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from registry.lists.eligibility import SCORE_NAMES, Candidate, exclusion_of
from registry.lists.listing import newest_definitions
from registry.lists.ranking import Exclusion
from submissions.checks import questionnaire, trust
from submissions.models import ScrubbedCopy, Submission
from submissions.publication import anonymizer
from validators.scrubbing import personal
from validators.system import public_view

VERSION_LIMIT = 80
_NO_RUN: dict[str, Any] = {"scores": {}, "hashes": {}, "parameters": {}, "version": "", "measurements": []}
_VERSIONED = re.compile(r"(?:version|firmware|kernel|microcode|appliance|release|rdma_stack|agesa|packages)$")
"""Names whose values are versions: 1.6.0.326 is a firmware there and no address."""


@dataclass(frozen=True)
class Publishable:
    """One submission, the run of its check that counts, and what makes them public."""

    submission: Submission
    checked_run: Mapping[str, Any]
    derivative: ScrubbedCopy | None
    """The scrubbed copy; None until a submission was prepared for review."""
    document: dict[str, Any] | None
    """The description of the system in the form that is published."""
    without: anonymizer.Anonymizer | None
    """Takes the names out of what is published anonymously."""

    @property
    def anonymous(self) -> bool:
        return self.without is not None

    @cached_property
    def names(self) -> personal.Names:
        """What the files of the bundle gave away of people and machines."""
        names = personal.Names()
        if self.derivative:
            names.take_up(self.derivative.names)
        return names

    @cached_property
    def run(self) -> Mapping[str, Any]:
        return self.without.run(self.checked_run) if self.without else self.checked_run

    @property
    def metadata(self) -> dict[str, Any]:
        declared: dict[str, Any] = self.submission.metadata
        return self.without.metadata(declared) if self.without else declared

    def count_of(self, name: str) -> int | None:
        """`client_nodes` or `tasks`: as the run shows it, else as it was declared; None where neither says."""
        return self.run["parameters"].get(name) or self.metadata.get(name)

    def candidate(
        self,
        release: str | None,
        production: bool,
        reproducibility: str,
        answers: str | None,
        lists: Sequence[str] | None = None,
    ) -> Candidate:
        """What lists may ask of it; `release` is a slug, `answers` the completeness of its questionnaire.

        `lists` are those for which it is to be accepted, by default those of its submission.
        """
        score = self.run["scores"].get("SCORE") or {}
        values = {name: score.get("value" if name == "score" else name) for name in SCORE_NAMES}
        return Candidate(
            trust=trust.trust_of(self.run),
            release=release,
            tool_version=self.run["version"][:VERSION_LIMIT],
            client_nodes=self.count_of("client_nodes"),
            ten_node=None,
            opted_in=True,
            production=production,
            reproducibility=reproducibility,
            lists=self.submission.lists if lists is None else lists,
            answers=answers,
            parameters=scrub_document(self.run["parameters"], names=self.names),
            scores=values,
        )


def public_document(system: Any) -> dict[str, Any] | None:
    """The published form of a submission's described system, if it has one."""
    return make_public_system(system.document) if system else None


def anonymizer_of(submission: Submission) -> anonymizer.Anonymizer | None:
    """What takes the names out, if it is to be published anonymously."""
    return anonymizer.anonymizer_for(submission) if anonymizer.is_anonymous(submission) else None


def publishable_of(submission: Submission, run: Mapping[str, Any] | None) -> Publishable:
    """A submission with its run that counts as it would be published; without a run there is nothing to rank."""
    return Publishable(
        submission,
        run or _NO_RUN,
        ScrubbedCopy.objects.filter(submission=submission).first(),
        public_document(getattr(submission, "system_snapshot", None)),
        anonymizer_of(submission),
    )


def list_exclusions(
    submission: Submission, run: Mapping[str, Any] | None, production: bool, reproducibility: str
) -> dict[str, Exclusion | None]:
    """For each list of a submission, why its run could not rank there once published; None where it could.

    `run` is that of the check which counts; without one it has nothing to rank.
    """
    bodies = newest_definitions(submission.lists)
    publishable = publishable_of(submission, run)
    filled = questionnaire.fill_questionnaires(
        submission, questionnaire.required_by_list(bodies), publishable.document, publishable.run
    )
    release = submission.release.slug if submission.release else None
    candidate = publishable.candidate(release, production, reproducibility, questionnaire.completeness(filled))
    measurements = publishable.run["measurements"]
    return {name: exclusion_of(candidate, body, measurements) for name, body in bodies.items()}


def scrub_document(value: Any, name: str = "", names: personal.Names | None = None) -> Any:
    """The same document with every text scrubbed like a line of the bundle, as `name=text` where it has a name.

    `names` are those that the bundle gave away.
    """
    names = personal.Names() if names is None else names
    if isinstance(value, dict):
        return {key: scrub_document(item, key, names) for key, item in value.items()}
    if isinstance(value, list):
        return [scrub_document(item, name, names) for item in value]
    if not isinstance(value, str) or not value:
        return value
    before = f"{name}=" if name else ""
    lines = (personal.scrub_line(before + line, names, Counter()) for line in value.split("\n"))
    return "\n".join(line.removeprefix(before) for line in lines)


def make_public_system(document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a document (schema system.1) that may be shown to everybody."""
    public_document: dict[str, Any] = _scrubbed(public_view.public(document), "")
    return public_document


def _scrubbed(value: Any, name: str) -> Any:
    """The same value with its texts scrubbed, each as what its name says it is."""
    if isinstance(value, dict):
        about = name if name == _PACKAGES else _about(value) or name
        named = {key: about if key in _VALUES or name == _PACKAGES else key for key in value}
        return {_text(key, ""): _scrubbed(item, named[key]) for key, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item, name) for item in value]
    return _text(value, name) if isinstance(value, str) and value else value


_PACKAGES = "packages"
"""Its values are versions, whatever the packages are called."""
_VALUES = ("values", "value", "majority", "pre", "post")
"""Fields whose meaning is told by their neighbours."""


def _about(item: Mapping[str, Any]) -> str:
    """What a value beside it is of: the entry or id of a parameter, or the end of a pointer."""
    return str(item.get("key") or item.get("id") or str(item.get("pointer", "")).rpartition("/")[2])


def _text(text: str, name: str) -> str:
    before = f"{'version' if _VERSIONED.search(name) else name}=" if name else ""
    return str(personal.scrub_line(before + text, personal.Names(), Counter())).removeprefix(before)
