"""Rows that follow from others, which no record has: each held against what it follows from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from registry.dumps import editions
from registry.lists import definitions
from registry.loading import catalogue_loader
from registry.models import (
    CatalogueLoad,
    Edition,
    Fact,
    ListDefinition,
    ObservedParameter,
    PublicSystemSnapshot,
    Result,
    RunVerdict,
    Step,
    StepsDue,
    System,
)
from registry.query.facts import fact_index, observed_parameters
from registry.timeseries import detected_steps
from registry.timeseries.change_points import FEWEST
from validators import VERSION

AT_ONCE = 500
MOST_NAMED = 10
"""Rows of one result that are named."""
_PARAMETER = ("parameter", "key", "role", "text", "value", "instances")


def derived_breaks() -> Iterator[str]:
    """Definitions, parameters of described systems and facts that are not what makes them, a sentence for each."""
    yield from definition_breaks()
    yield from parameter_breaks()
    yield from fact_breaks()
    yield from edition_breaks()
    yield from step_breaks()


def step_breaks() -> Iterator[str]:
    """Steps and verdicts on runs that results do not make, of systems for which no worker is at them."""
    of_system = [Exists(model._default_manager.filter(system=OuterRef("pk"))) for model in (Step, RunVerdict)]
    counted = System.objects.annotate(count=Count("results")).filter(count__gte=FEWEST).order_by().values("pk")
    systems = System.objects.filter(of_system[0] | of_system[1] | Q(pk__in=counted))
    systems = systems.exclude(Exists(StepsDue.objects.filter(system=OuterRef("pk"))))
    for system in systems.order_by("pk").iterator(AT_ONCE):
        for sentence in detected_steps.find_differences(system)[:MOST_NAMED]:
            yield f"systems/{system.slug}: {sentence}."


def edition_breaks() -> Iterator[str]:
    """Files of the newest edition that are not those of its manifest."""
    edition = Edition.objects.order_by("pk").last()
    try:
        names = editions.damaged_files(edition) if edition else []
    except (LookupError, TypeError):
        yield "The manifest of the files of the record cannot be read."
        return
    for name in names:
        yield f"The file {name} of the record is not the one of its manifest."


def definition_breaks() -> Iterator[str]:
    """Definitions of lists that are not those of the files of this release."""
    shipped = {(body["name"], body["version"]): body for body in definitions.read_definitions()}
    for definition in ListDefinition.objects.order_by("name", "version"):
        name = f"The definition {definition.name} {definition.version}"
        if (definition.name, definition.version) not in shipped:
            yield f"{name} is in no file of this release."
        elif definition.body != shipped[definition.name, definition.version]:
            yield f"{name} is not the one of its file."


def parameter_breaks() -> Iterator[str]:
    """Parameters that a filter reads and that no published description of a system has, or has otherwise.

    What is volatile is left out by the rules of its time: only rules of today say which parameters lack.
    """
    described = PublicSystemSnapshot.objects.filter(result=OuterRef("result"))
    without = ObservedParameter.objects.filter(~Exists(described)).order_by("result")
    for public_id in without.values_list("result__public_id", flat=True).distinct():
        yield f"{public_id}: parameters of a described system are stored, and it describes none."
    system_snapshots = PublicSystemSnapshot.objects.select_related("result").order_by("result")
    rows = system_snapshots.only("document", "result__public_id", "result__snapshot").iterator(AT_ONCE)
    while batch := list(islice(rows, AT_ONCE)):
        stored: dict[int, Counter[tuple[Any, ...]]] = {system.result_id: Counter() for system in batch}
        for row in ObservedParameter.objects.filter(result__in=stored).values("result", *_PARAMETER).iterator(AT_ONCE):
            stored[row["result"]][_as_key(row)] += 1
        for system in batch:
            yield from _differing_parameters(system, stored[system.result_id])


def _differing_parameters(system: PublicSystemSnapshot, stored: Counter[tuple[Any, ...]]) -> Iterator[str]:
    public_id, versions = system.result.public_id, system.result.snapshot.get("versions")
    try:
        expected = Counter(map(_as_key, observed_parameters.observed_rows(system.document)))
        possible = Counter(map(_as_key, observed_parameters.observed_rows(system.document, with_volatile=True)))
    except (AttributeError, LookupError, TypeError):
        yield f"{public_id}: the published description of its system cannot be read."
        return
    for key in sorted(stored - possible)[:MOST_NAMED]:
        yield f"{public_id}: the stored parameter {key[0]} {key[3]!r:.80} is not in the description of its system."
    if isinstance(versions, dict) and versions.get("validators") == VERSION:
        for key in sorted(expected - stored)[:MOST_NAMED]:
            yield f"{public_id}: the parameter {key[0]} {key[3]!r:.80} of its system is not stored."


def _as_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """A row as it is compared; repr tells true from 1."""
    return *(row[name] for name in _PARAMETER[:4]), repr(row["value"]), row["instances"]


def fact_breaks() -> Iterator[str]:
    """Facts by which results are filtered that the rest of the record does not make."""
    loaded = CatalogueLoad.objects.order_by("-id").values_list("digest", flat=True).first()
    if loaded not in (None, catalogue_loader.files_digest()):
        yield "The facts of results are those of another release: run manage load_catalogue, then verify again."
        return
    erased = Fact.objects.exclude(result__erasure=None).order_by("result")
    for public_id in erased.values_list("result__public_id", flat=True).distinct():
        yield f"{public_id}: facts of it are stored, and it was erased."
    ids = Result.objects.filter(erasure=None).order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE)
    while batch := list(islice(ids, AT_ONCE)):
        count = Counter[str]()
        for public_id, name, stored, expected in fact_index.fact_differences(batch):
            count[public_id] += 1
            if count[public_id] <= MOST_NAMED:
                yield f"{public_id}: its fact {name} {_in_words(stored, expected)}."


def _in_words(stored: str | None, expected: str | None) -> str:
    before, after = ("nothing" if text is None else repr(text) for text in (stored, expected))
    return f"is {before}, and the record makes {after}"
