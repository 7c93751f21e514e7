"""Systems of published results: how a description can be asked for, and what the record has seen of a parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from django.db.models import Count, Sum

from registry.models import ObservedParameter, PublicSystemSnapshot, Result
from registry.models.snapshots import text_of
from registry.query import public_record
from registry.query.public_record import current_results
from registry.query.row_sources import PUBLIC, RowSource
from validators import exports, parameters

VALUES_SHOWN = 200


class ObservedValue(TypedDict):
    """A value of a parameter, and how often it was seen."""

    key: str
    role: str
    value: Any
    text: str
    results: int
    instances: int


def snapshot_of(result: Result) -> PublicSystemSnapshot | None:
    return PublicSystemSnapshot.objects.filter(result=result).first()


def require_snapshot(public_id: str) -> PublicSystemSnapshot:
    """Raises NotOnRecord for a result that is not there, and for one whose system is not described."""
    snapshot = snapshot_of(public_record.find_result(public_id))
    if snapshot is None:
        missing = public_record.NotOnRecord("description", public_id)
        missing.hint = "The bundle of this result does not describe its system."
        raise missing
    return snapshot


def system_documents(public_ids: Sequence[str], source: RowSource = PUBLIC) -> list[dict[str, Any] | None]:
    """The described system of each result, in the order given; None where there is none. One query."""
    system_snapshots = source.table_rows(PublicSystemSnapshot).filter(result__public_id__in=public_ids)
    document_by_id = dict(system_snapshots.values_list("result__public_id", "document"))
    return [document_by_id.get(public_id) for public_id in public_ids]


def conversion_inputs(result: Result) -> exports.Supplement:
    """What forms of other programmes ask of a result beside the description of its system."""
    return exports.Supplement(
        institution=result.institution,
        tool_version=result.tool_version,
        client_nodes=result.client_nodes,
        procs_per_node=result.parameters.get("procs_per_node"),
    )


def convert(form: str, document: Mapping[str, Any], about: exports.Supplement) -> exports.Conversion:
    """The description in the form of another programme. Raises NotOnRecord with the forms that there are."""
    if form not in exports.names():
        raise public_record.NotOnRecord("form", form, exports.names())
    return exports.export(form, document, about)


def missing_in_forms(document: Mapping[str, Any], about: exports.Supplement) -> dict[str, list[str]]:
    """By form, the places that it demands and that nothing tells."""
    return {form: exports.export(form, document, about).missing for form in exports.names()}


def observed_rows(document: Mapping[str, Any], *, with_volatile: bool = False) -> Iterator[dict[str, Any]]:
    """The columns of each ObservedParameter of a document; what is volatile is of one moment and left out."""
    instances: Counter[tuple[str, str, str, str]] = Counter()
    values: dict[tuple[str, str, str, str], Any] = {}
    for node_class in document["node_classes"]:
        for parameter in node_class.get("parameters", []):
            definition = parameters.parameters().get(parameter["id"])
            if definition and definition.volatile and not with_volatile:
                continue
            for observed_value in parameter["values"]:
                place = (
                    parameter["id"],
                    parameter.get("key", ""),
                    node_class["role"][0],
                    text_of(observed_value["value"]),
                )
                instances[place] += observed_value["instances"] * node_class["count"]
                values[place] = observed_value["value"]
    for place, count in instances.items():
        names = dict(zip(("parameter", "key", "role", "text"), place, strict=True))
        yield names | {"value": values[place], "instances": min(count, 2**63 - 1)}


def values_seen(parameter_id: str) -> list[ObservedValue]:
    """What results that count today have of a parameter, most results first; at most VALUES_SHOWN rows, one query.

    Rows have key, role, value, text, results (how many) and instances (on all of them).
    """
    rows = (
        ObservedParameter.objects.filter(parameter=parameter_id, result__in=current_results().order_by().values("id"))
        .order_by()
        .values("key", "role", "value", "text")
        .annotate(results=Count("result", distinct=True), instances=Sum("instances"))
        .order_by("key", "role", "-results", "-instances", "text")
    )
    return list(rows[:VALUES_SHOWN])
