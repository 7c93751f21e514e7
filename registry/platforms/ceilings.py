"""Results of the record against their ceilings, from what bundles, sources or platforms tell of the parts.

A described system counts alone. Without one, the result's own parameters say how many drives and servers there were,
and the hardware catalogue what one of them can do: that of the drive it names, else that of its platform's enclosure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from registry.models import Result
from registry.query import public_record
from registry.query.facts import observed_parameters
from registry.query.public_record import Row
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from validators import catalogue, hardware
from validators.ceilings import Ceiling, Parts, Raid, raid_of
from validators.ceilings.ceiling_fraction import Efficiency, efficiencies
from validators.hardware import Figure, assumption
from validators.system.parts import memory_of, of_document, rates_of, slot_of


def of_result(result: Result, measurements: Sequence[Row], document: Mapping[str, Any] | None) -> list[Efficiency]:
    """Every measurement that a ceiling is known for. No query where the platform was read with the result."""
    crossing = catalogue.crossings().get(result.tool)
    return efficiencies(crossing, measurements, result.parameters, parts_of(result, document)) if crossing else []


def efficiencies_by_id(public_id: str) -> list[Efficiency]:
    """The same by id. Raises NotOnRecord."""
    result = public_record.find_result(public_id)
    snapshot = observed_parameters.snapshot_of(result)
    return of_result(result, public_record.list_measurements(result), snapshot.document if snapshot else None)


def efficiencies_of(
    public_ids: Collection[str], quantities: Collection[str], source: RowSource = PUBLIC
) -> dict[str, list[Efficiency]]:
    """By id of a result its measurements of these quantities that a ceiling is known for. Three queries."""
    results = list(source.table_rows(Result).filter(public_id__in=public_ids).select_related("platform").order_by())
    measurements = public_record.measurements_by_quantity([result.pk for result in results], quantities, source)
    ids = [result.public_id for result in results]
    documents = dict(zip(ids, observed_parameters.system_documents(ids, source), strict=True))
    return {
        result.public_id: of_result(result, measurements[result.pk], documents[result.public_id]) for result in results
    }


def nearest_to_ceiling(efficiencies: Sequence[Efficiency]) -> list[Efficiency]:
    """Of each operation, quantity and statistic the measurement that is nearest to its ceiling, or above it."""
    nearest: dict[tuple[str, ...], Efficiency] = {}
    for efficiency in efficiencies:
        key = tuple(efficiency.measurement[name] for name in ("op", "quantity", "stat"))
        if key not in nearest or _efficiency_order(efficiency) > _efficiency_order(nearest[key]):
            nearest[key] = efficiency
    return list(nearest.values())


def _efficiency_order(efficiency: Efficiency) -> tuple[bool, float]:
    """What is only below something comes last: how near it was is not known."""
    return efficiency.qualifier != qualified_values.BELOW, efficiency.percent(efficiency.limit)


def parts_of(result: Result, document: Mapping[str, Any] | None) -> Parts:
    """What the storage system of a result was made of, as far as it is known."""
    if document is not None:
        return of_document(document)
    enclosure = hardware.enclosure_of(result.platform.slug) if result.platform else None
    run_counts = RunCounts(result.parameters, result.source)
    drive = hardware.named("drives", str(result.parameters.get("drive_model", "")))
    unit = unit_of(enclosure, drive)
    return replace(
        unit,
        drives=run_counts.count("drives")
        or run_counts.product("drives_per_ost", "osts")
        or _in_all(run_counts, enclosure),
        servers=run_counts.count("data_servers"),
        raid=raid_of(str(result.parameters.get("raid", "")), result.source) or unit.raid,
        paths=run_counts.paths() or unit.paths,
    )


def unit_of(enclosure: hardware.Entry | None, drive: hardware.Entry | None = None) -> Parts:
    """One enclosure of the catalogue, whole, with the drive it is sold with or another."""
    if enclosure is None:
        return Parts(rates=rates_of(drive))
    lanes, ports = hardware.figure(enclosure, "lanes"), hardware.figure(enclosure, "ports")
    link = (enclosure["generation"], int(lanes.value)) if lanes else None
    rate = hardware.figure(hardware.entries("nics").get(enclosure.get("nic", "")), "rate")
    return Parts(
        drives=hardware.figure(enclosure, "slots"),
        rates=rates_of(drive or hardware.entries("drives").get(enclosure.get("drive", "")), link),
        slot=slot_of(*link, lanes.source) if lanes and link else None,
        slot_observed=hardware.figure(enclosure, "slot_observed"),
        paths=hardware.figure(enclosure, "paths"),
        raid=_usual_raid(enclosure),
        servers=hardware.figure(enclosure, "controllers"),
        memory=memory_of(hardware.entries("cpus").get(enclosure.get("cpu", ""))),
        ports=_multiply(ports, rate) if ports and rate else None,
    )


def _usual_raid(enclosure: hardware.Entry) -> Raid | None:
    raid = raid_of(enclosure.get("raid", ""), assumption("raid"))
    return replace(raid, estimated=True) if raid else None


def _multiply(first: Figure, other: Figure) -> Figure:
    sources = "; ".join(dict.fromkeys((first.source, other.source)))
    return Figure(first.value * other.value, other.unit, sources, first.estimated or other.estimated)


def _in_all(run_counts: RunCounts, enclosure: hardware.Entry | None) -> Figure | None:
    """The drives of as many whole enclosures as there were."""
    count, slots = run_counts.count("enclosures"), hardware.figure(enclosure, "slots")
    return replace(_multiply(count, slots), estimated=True) if count and slots else None


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts among the parameters of a result, as figures with its source."""

    parameters: Mapping[str, Any]
    source: str

    def count(self, name: str) -> Figure | None:
        value = self.parameters.get(name)
        is_positive = isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
        return Figure(float(value), "count", self.source) if is_positive and value is not None else None

    def product(self, name: str, other: str) -> Figure | None:
        first, second = self.count(name), self.count(other)
        return _multiply(first, second) if first and second else None

    def paths(self) -> Figure | None:
        """Controllers that serve each drive: what all of them serve, over the drives that there are."""
        served, drives = self.product("drives_per_controller", "data_servers"), self.count("drives")
        return replace(served, value=served.value / drives.value) if served and drives else None


def as_rows(efficiencies: Sequence[Efficiency]) -> list[Row]:
    """Efficiencies as the API shows them; values in canonical units."""
    return [_efficiency_row(efficiency) for efficiency in efficiencies]


def _efficiency_row(efficiency: Efficiency) -> Row:
    names = ("op", "quantity", "stat", "context", "value", "unit")
    limit = efficiency.limit
    return {name: efficiency.measurement[name] for name in names} | {
        "qualifier": efficiency.qualifier,
        "direction": efficiency.direction,
        "over": efficiency.over,
        "limiting": {"layer": limit.layer, "words": limit.words, "percent": efficiency.percent(limit)},
        "above": [ceiling.layer for ceiling in efficiency.above],
        "layers": [_layer_row(efficiency, ceiling) for ceiling in efficiency.ceilings],
    }


def _layer_row(efficiency: Efficiency, ceiling: Ceiling) -> Row:
    observed = ceiling.observed
    return {
        "layer": ceiling.layer,
        "words": ceiling.words,
        "value": ceiling.value,
        "unit": ceiling.unit,
        "percent": efficiency.percent(ceiling),
        "observed": observed,
        "percent_of_observed": None if observed is None else 100 * efficiency.measurement["value"] / observed,
        "estimated": ceiling.estimated,
        "factors": [{"name": name} | asdict(figure) for name, figure in ceiling.factors],
    }
