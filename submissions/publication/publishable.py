"""The form of a run that is published: without names where it is anonymous, texts scrubbed, its system without nodes.

Lists rank what is published, so what a list may ask of a submission is read from here, before and on release day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.text import slugify

from registry.comparison import repeat_runs
from registry.comparison.spreads import measurement_key
from registry.lists.eligibility import SCORE_NAMES, Candidate, exclusion_of
from registry.lists.listing import newest_definitions
from registry.lists.ranking import Exclusion
from registry.models import Measurement, Platform, Result, Site, System
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from submissions.checks import questionnaire, trust
from submissions.models import Check, ScrubbedCopy, Submission, SubmittedSystem
from submissions.publication import anonymizer
from validators.scrubbing import personal
from validators.system import filesystems, public_view

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
            parameters=scrub_document(self.run["parameters"], names=self.names if self.derivative else None),
            scores=values,
        )


@dataclass(frozen=True)
class CheckedRun(Publishable):
    """A submission with its check: what the columns of a result are made of, published or not."""

    check: Check
    system: SubmittedSystem | None
    platform: Platform | None
    """The one that was declared, where the record knows it."""
    stands_for_upload: bool = field(default=True, kw_only=True)
    """Whether numbers of its repeats and findings of the archive go along; not where each run stands for itself."""

    @cached_property
    def same_runs(self) -> Sequence[Mapping[str, Any]]:
        """The runs of the configuration in the archive, with this one; only numbers of them are published."""
        runs: Sequence[Mapping[str, Any]] = self._group["runs"]
        return runs

    @property
    def distributions(self) -> list[dict[str, Any]]:
        """Those of the run, and those of its numbers over the runs of its configuration."""
        over_runs = self._group["distributions"]
        shared = self.without.document(over_runs) if self.without else over_runs
        return [*self.run.get("distributions", []), *shared]

    @cached_property
    def _group(self) -> Mapping[str, Any]:
        if not self.stands_for_upload:
            return {"runs": [], "distributions": []}
        return repeat_runs.repeat_group(self.check.report, counted_index(self.submission, self.check.report))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Of the archive as a whole."""
        archive_findings: list[dict[str, Any]] = self.check.report["findings"] if self.stands_for_upload else []
        return self.without.document(archive_findings) if self.without else archive_findings

    @property
    def institution(self) -> str:
        """The name as declared where it is a spelling of the submitter's own institution, else that institution's."""
        if self.anonymous:
            return anonymizer.INSTITUTION
        site, declared = self.current_site, " ".join(self.metadata.get("institution", "").split())
        own = {fold_text(name) for name in (site.slug, site.name, *(site.also_printed_as or []))}
        return declared if fold_text(declared) in own or slugify(declared) == site.slug else site.name

    @property
    def current_site(self) -> Site:
        """The institution that it is published under: that of the submission, or what that was merged into."""
        institution = self.submission.require_institution()
        return institution.merged_into or institution

    @property
    def system_name(self) -> str:
        """As declared, which of an anonymous one stays private."""
        return " ".join(self.submission.metadata.get("system", "").split())

    @property
    def system_key(self) -> tuple[int, str, bool]:
        """A system is another one where it is published anonymously; then no merging of names tells what it is."""
        site = self.submission.require_institution() if self.anonymous else self.current_site
        return site.pk, fold_text(self.system_name), self.anonymous


def counted_index(submission: Submission, report: Mapping[str, Any]) -> int:
    """Of the run that counts; one that the report lacks is an error further on, and no other run takes its place."""
    index: int = report["primary"] if submission.chosen_primary is None else submission.chosen_primary
    return index


def platforms_by_name() -> dict[str, Platform]:
    """The platforms of the record by all that people call them, folded."""
    rows = list(Platform.objects.select_related("merged_into"))
    platforms_by_slug = {row.slug: row.merged_into or row for row in rows}
    also = {
        name: platforms_by_slug[slug]
        for name, slug in canonical_names.read_names().platforms.items()
        if slug in platforms_by_slug
    }
    return also | {fold_text(name): platforms_by_slug[row.slug] for row in rows for name in (row.slug, row.name)}


def latest_by_submission(rows: QuerySet[Any]) -> dict[Any, Any]:
    newest = rows.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    return {row.submission_id: row for row in rows.filter(pk=Subquery(newest))}


def run_columns(
    source: CheckedRun, system: System, candidate: Candidate, names: canonical_names.Names
) -> dict[str, Any]:
    """The columns of a result that follow from its run and from what was declared; the others are of publication."""
    metadata, run = source.metadata, source.run
    vendor, filesystem_name = metadata.get("storage_vendor", ""), metadata.get("filesystem_name", "")
    filesystem_type = metadata.get("filesystem_type", "")
    return {
        "tool": run["tool"],
        "tool_version": candidate.tool_version,
        "mode": run["mode"][:40],
        "trust": candidate.trust,
        "site": system.site,
        "system": system,
        "platform": source.platform or system.platform,
        "institution": source.institution,
        "system_name": system.name if source.anonymous else source.system_name,
        "filesystem_type": filesystem_type,
        "filesystem_family": _filesystem_family(names, filesystem_type, vendor, filesystem_name, run)[:80],
        "filesystem_name": filesystem_name,
        "storage_vendor": vendor,
        "vendor": names.vendor(vendor)[:120],
        "client_nodes": candidate.client_nodes,
        "ten_node": candidate.ten_node,
        "opted_in": candidate.opted_in,
        "tasks": source.count_of("tasks"),
        "production": candidate.production,
        "lists": candidate.lists,
        "reproducibility": candidate.reproducibility,
        **candidate.scores,
        "repeated_scores": repeat_runs.repeated_scores(source.same_runs),
        "parameters": candidate.parameters,
    }


def result_measurements(result: Result, source: CheckedRun) -> Iterable[Measurement]:
    """The numbers of a run as rows of its result, in their order; nothing is stored."""
    again = repeat_runs.repeated_values(source.same_runs)
    for position, row in enumerate(source.run["measurements"], 1):
        yield Measurement(
            result=result, position=position, repeats=again.get(measurement_key(row)) if again else None, **row
        )


def _filesystem_family(
    names: canonical_names.Names, declared: str, vendor: str, name: str, run: Mapping[str, Any]
) -> str:
    """Of a declared name that nobody knows, the file system that the described system has, if it has one."""
    family = names.family(declared, vendor, name)
    described = run.get("described_parameters", {}).get("filesystem_type")
    if filesystems.named_by(family) is None and isinstance(described, str):
        mounted = filesystems.of_type(described)
        return names.family(mounted.name) if mounted else family
    return family


def make_snapshot(source: CheckedRun, questionnaires: dict[str, str]) -> dict[str, Any]:
    """What a page shows beside the numbers, as it was on release day. Everything in here is public."""
    run = source.run
    answers = questionnaire.public_answers(source.submission, questionnaires, source.document, run)
    if source.anonymous and answers:
        answers["rows"] = []
    return {
        "scores": run["scores"],
        "hashes": run["hashes"],
        "findings": source.findings + run["findings"],
        "rules": run["rules"],
        **{name: run[name] for name in ("evidence", "missing_measurements", "given_options") if name in run},
        "tests": run["tests"],
        "distributions": source.distributions,
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "versions": {"validators": source.check.validators_version},
        "answers": answers,
    }


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

    `names` are those that the bundle gave away; None: nothing is known of them.
    """
    if isinstance(value, dict):
        return {key: scrub_document(item, key, names) for key, item in value.items()}
    if isinstance(value, list):
        return [scrub_document(item, name, names) for item in value]
    if not isinstance(value, str) or not value:
        return value
    before = f"{name}=" if name else ""
    lines = (_scrub_line(before + line, names) for line in value.split("\n"))
    return "\n".join(line.removeprefix(before) for line in lines)


_clean_lines: set[str] = set()
MOST_CLEAN, LONGEST_CLEAN = 20_000, 300
"""Lines of which this process knows that no rule takes anything out of them, and characters of such a line."""


def _scrub_line(line: str, names: personal.Names | None) -> str:
    """The line after each rule. Most texts of a run are those of every run: without names each is looked at once.

    What holds something that a rule takes out is not remembered.
    """
    if names is not None:
        return str(personal.scrub_line(line, names, Counter()))
    if line in _clean_lines:
        return line
    scrubbed = str(personal.scrub_line(line, personal.Names(), Counter()))
    if scrubbed == line and len(line) <= LONGEST_CLEAN:
        if len(_clean_lines) >= MOST_CLEAN:
            _clean_lines.clear()
        _clean_lines.add(line)
    return scrubbed


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
    return _scrub_line(before + text, None).removeprefix(before)
