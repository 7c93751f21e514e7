"""Published numbers, derived again from the stored bytes as a check and a publication would do it now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from registry.models import Measurement, PublicSystemSnapshot, Result
from registry.query.stored_bytes import DamagedBytes
from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import public_storage, stored_path
from submissions.checks import processing, revalidation
from submissions.models import Check, ScrubbedCopy, Submission
from submissions.publication import publishable, snapshot
from validators import VERSION
from validators.system import facts

READ_COLUMNS = (
    *("score", "bandwidth_gib_per_s", "rate_kiops", "repeated_scores", "client_nodes", "tasks", "tool", "tool_version"),
    *("mode", "ten_node"),
)
"""Of a result what the rules read in its bytes."""
DECIDED_COLUMNS = (
    *("trust", "opted_in", "production", "reproducibility", "lists", "bundle_sha256", "public_sha256"),
    "submitted_on",
)
"""Of a result what its review and its submission give, by whatever rules; names may have been merged since."""
MEASUREMENT_FIELDS = (
    "op",
    "quantity",
    "stat",
    "value",
    "unit",
    "printed_value",
    "printed_unit",
    "scored",
    "context",
    "repeats",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A published thing that is derived otherwise; `sentence` has the values, `kind` is the same for many results."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """What differs, a sentence for each; or why nothing could be derived.

    `read_otherwise` are the kinds of what the rules of today read in another way than those that it was published with.
    """

    breaks: list[str] = field(default_factory=list)
    read_otherwise: list[str] = field(default_factory=list)
    unavailable: str = ""


def derive_result(submission: Submission) -> Derivation:
    """Derive what is published of a submission from its stored bytes, and hold it against the public tables.

    `submission` with release, institution, derivative, anonymity, what it revises and its result joined.
    """
    result = submission.require_result()
    if submission.institution is None or submission.release is None:
        lost = "its submission has lost its institution or release"
        return Derivation([f"{result.public_id}: {lost}."], unavailable=lost)
    try:
        damaged = list(_damaged_files(submission, result))
    except FileNotFoundError:
        return Derivation([f"{result.public_id}: stored bytes of it are gone."], unavailable="its bytes are gone")
    if damaged:
        return Derivation([f"{result.public_id}: {sentence}" for sentence in damaged])
    if quarantine.blocked_report(submission, quarantine.judged_files(submission)):
        return Derivation(unavailable="its bytes are in quarantine")
    published_with = _check_of_publication(submission, result)
    if published_with is None or not ScrubbedCopy.objects.filter(submission=submission).exists():
        return Derivation([f"{result.public_id}: the check or the scrubbed copy that it was published with is gone."])
    outcome = processing.run_validators(submission)
    report = outcome.report
    decided, read = list[Difference](), [*_system_differences(result, outcome.system)]
    try:
        derived, measurements = snapshot.derive_rows(submission, report)
    except (KeyError, IndexError, TypeError):
        read.append(_plain_difference("its bytes give no run that could be published."))
    else:
        decided += _column_differences(DECIDED_COLUMNS, result, derived)
        read += _column_differences(READ_COLUMNS, result, derived)
        read += _measurement_differences(result, measurements)
    if published_with.validators_version != VERSION:
        return Derivation(_name_differences(result, decided), read_otherwise=[difference.kind for difference in read])
    read += _report_differences(submission, published_with, report)
    return Derivation(_name_differences(result, decided + read))


def _name_differences(result: Result, differences: Iterable[Difference]) -> list[str]:
    return [f"{result.public_id}: {difference.sentence}" for difference in differences]


def _check_of_publication(submission: Submission, result: Result) -> Check | None:
    checks = submission.checks.filter(made_at__lte=result.published_at) if result.published_at else submission.checks
    return checks.order_by("-made_at", "-id").first()


def _damaged_files(submission: Submission, result: Result) -> Iterator[str]:
    """Stored files that do not have the sha256 that they are known by. Raises FileNotFoundError where one is gone."""
    stored = [(file["name"], file["sha256"], None) for file in files_of(submission)]
    public = [("the public copy", result.public_sha256, public_storage())] if result.public_sha256 else []
    for name, sha256, storage in [*stored, *public]:
        try:
            with stored_path(sha256, storage):
                pass
        except DamagedBytes:
            yield f"the stored bytes of {name} are not those that were kept."


def _report_differences(submission: Submission, stored: Check, report: Mapping[str, Any]) -> Iterator[Difference]:
    """What the stored report says otherwise than one of now."""
    for line in revalidation.report_differences(submission, stored.report, report):
        yield _plain_difference(f"the stored report of its check is not the one of its bytes: {line}.")


def _system_differences(result: Result, system: Mapping[str, Any] | None) -> Iterator[Difference]:
    """What the published description of the system says otherwise than the document in the bytes."""
    published = PublicSystemSnapshot.objects.filter(result=result).first()
    if published is None:
        return
    if system is None:
        yield _plain_difference("a described system is published, and its bytes describe none.")
        return
    document = publishable.make_public_system(system["document"])
    if (published.document, published.sha256) != (document, system["sha256"]):
        yield _plain_difference("the published description of its system is not the one of its bytes.")
    elif published.summary != facts.summary(document):
        yield _plain_difference("the summary of its system is not the one of its description.")


def _plain_difference(sentence: str) -> Difference:
    return Difference(sentence.removesuffix("."), sentence)


def _column_differences(columns: Iterable[str], result: Result, derived: Result) -> Iterator[Difference]:
    for name in columns:
        published, now = getattr(result, name), getattr(derived, name)
        if published != now:
            sentence = f"{name} is published as {published!r}, and derived as {now!r}."
            yield Difference(f"{name} is read otherwise", sentence)


def _measurement_differences(result: Result, derived: Iterable[Measurement]) -> Iterator[Difference]:
    """Published measurements that are derived otherwise or not at all, and those that are not published."""
    expected = _by_metric(derived)
    for metric, published in _by_metric(result.measurements.order_by("position")).items():
        now = expected.pop(metric, None)
        name = " ".join(metric[:3])
        if now is None:
            yield _plain_difference(f"{name} is published, and not derived.")
        elif published != now:
            value, again = (dict(zip(MEASUREMENT_FIELDS, row, strict=True))["value"] for row in (published, now))
            yield Difference(f"{name} is read otherwise", f"{name} is published as {value}, and derived as {again}.")
    for metric in expected:
        yield _plain_difference(f"{' '.join(metric[:3])} is derived, and not published.")


def _by_metric(rows: Iterable[Measurement]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The values of measurements by what was measured; what stands twice is numbered."""
    values: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in rows:
        metric = (row.op, row.quantity, row.stat, repr(sorted(row.context.items())))
        number = 1
        while (*metric, number) in values:
            number += 1
        values[(*metric, number)] = tuple(getattr(row, name) for name in MEASUREMENT_FIELDS)
    return values
