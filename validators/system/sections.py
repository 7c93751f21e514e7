"""A system document as people read it: sections of named rows, each with its values as text and as numbers.

Pages show the sections, and a comparison lays them side by side, so what is shown is what is compared. A parameter
that has one value on 3,000 targets is one row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from validators import parameters
from validators.parameters import defaults
from validators.system import facts, formatting
from validators.system.facts import Document

ROLES = {
    "client": "Clients",
    "mds": "Metadata servers",
    "oss": "Object storage servers",
    "mgs": "Management servers",
    "nsd": "NSD servers",
    "storage": "Storage nodes",
    "gateway": "Gateways",
    "admin": "Administration nodes",
    "other": "Other nodes",
}
"""What nodes of a role are called, in the order in which they are shown."""
REASONS = {
    "not_applicable": "does not apply here",
    "not_installed": "the software is not installed",
    "permission_denied": "only root may read it",
    "timeout": "took too long",
    "output_limit": "more output than is read",
    "parse_error": "could not be understood",
    "redacted": "kept at the site",
    "disabled": "never read",
    "unsupported_version": "this version is not known",
}


_LONGEST_LINE = 4000
LISTED = ("Network", "Block devices", "Mounts")
"""Sections that list all there is, so that what is not in them is not there."""


@dataclass(frozen=True, slots=True)
class ObservedValue:
    """One value: as it is, as it is written, and of how many instances (targets, devices, nodes).

    `differs`: from the default of the release; None where that cannot be said.
    """

    value: Any
    text: str
    instances: int = 1
    differs: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One named fact. `parameter` is its id in the registry of parameters, "" for what is none.

    `default` is what the release of Lustre sets by itself, "" where it is not known.
    """

    name: str
    seen: tuple[ObservedValue, ...]
    parameter: str = ""
    key: str = ""
    volatile: bool = False
    default: str = ""

    @property
    def instances(self) -> int:
        return sum(value.instances for value in self.seen)

    @property
    def differs(self) -> bool | None:
        """Whether some value is not the default; None where that cannot be said of any, or of the others."""
        verdicts = [value.differs for value in self.seen]
        return True if True in verdicts else (None if None in verdicts else False)


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title; `subject` names the nodes that they are of, "" for what is of the run as a whole."""

    title: str
    rows: list[Row]
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """One class of nodes: its name, its node class, and its sections."""

    name: str
    nodes: Mapping[str, Any]
    sections: list[Section] = field(default_factory=list)


def subjects(document: Document) -> list[Subject]:
    """The classes of nodes by role, the largest first; the second of a role is "Clients, class 2"."""
    taken: Counter[str] = Counter()
    all_subjects = []
    for node_class in sorted(document["node_classes"], key=_order):
        name = " and ".join(ROLES[role] for role in sorted(set(node_class["role"]), key=list(ROLES).index))
        name = name[0] + name[1:].lower()
        taken[name] += 1
        called = name if taken[name] == 1 else f"{name}, class {taken[name]}"
        all_subjects.append(Subject(called, node_class, [*_sections(called, node_class)]))
    return all_subjects


def _order(node_class: Mapping[str, Any]) -> tuple[int, int]:
    return min(list(ROLES).index(role) for role in node_class["role"]), -node_class["count"]


def of_the_run(document: Document) -> list[Section]:
    """What is not of one class of nodes: command, storage systems, layouts, fabric, job."""
    storage = [
        row
        for number, system in enumerate(document.get("storage_systems", []), 1)
        for row in _storage(system, f"storage system {number}" if number > 1 else "storage system")
    ]
    layouts = [
        Row(f"{layout['phase']}{_part(number)}", _single_value(text))
        for layout in document.get("layouts", [])
        for number, text in enumerate(_layout(layout))
    ]
    fabric = [
        Row(
            fabric_entry.get("name", f"fabric {number}"),
            _single_value(
                formatting.format_fields(formatting.order_like_schema(fabric_entry, "fabric"), leave_out=("name",))
            ),
        )
        for number, fabric_entry in enumerate(document.get("fabric", []), 1)
    ]
    titled_rows = (
        ("Command", [*_command(document.get("run", {}))]),
        ("Storage systems", storage),
        ("Layouts", layouts),
        ("Fabric", fabric),
        ("Job", [*_job(document.get("job", {}))]),
    )
    return [Section(title, rows) for title, rows in titled_rows if rows]


def _storage(system: Mapping[str, Any], called: str) -> Iterator[Row]:
    for name, value in formatting.order_like_schema(system, "storage_system").items():
        if name not in ("targets", "server_classes") and value not in (None, ""):
            label, unit = formatting.unit_of(name)
            yield Row(f"{called} {label}", (ObservedValue(value, formatting.quantity(value, unit)),))
    for target in system.get("targets", []):
        yield Row(
            f"{called} {target['kind']} targets",
            _single_value(
                formatting.format_fields(formatting.order_like_schema(target, "target"), leave_out=("kind",))
            ),
        )


def _part(number: int) -> str:
    return f", component {number}" if number else ""


def _layout(layout: Mapping[str, Any]) -> Iterator[str]:
    """The layout of a folder or file, then its components."""
    yield (
        formatting.format_fields(formatting.order_like_schema(layout, "layout"), leave_out=("phase", "components"))
        or "—"
    )
    for component in layout.get("components", []):
        yield formatting.format_fields(formatting.order_like_schema(component, "component"))


def _command(run: Mapping[str, Any]) -> Iterator[Row]:
    """How the wrapped command was started: its words, how large it was, what it was linked with and built from."""
    if run.get("arguments"):
        yield Row("command line", _single_value(_joined(run["arguments"])))
    for name in ("nodes", "tasks"):
        if run.get(name) is not None:
            source = run.get(f"{name}_from", "")
            yield Row(
                name,
                (ObservedValue(run[name], f"{formatting.quantity(run[name], '')}{f' ({source})' if source else ''}"),),
            )
    for library in run.get("libraries", []):
        version = library.get("version", "of unknown version")
        yield Row(f"{library['name']} {library['file']}", _single_value(f"{version}{_where_from(library)}"))
    if run.get("modules"):
        others = run.get("modules_not_listed", 0)
        yield Row("modules", _single_value(", ".join(run["modules"]) + (f" and {others} others" if others else "")))
    for name, value in run.get("source", {}).items():
        yield Row(f"source {name}", _single_value(value))


def _joined(words: Iterable[Mapping[str, str]]) -> str:
    """Typed words as one line; an option that ends in = has its value behind it."""
    line = ""
    for word in words:
        line += word["text"] if line.endswith("=") or not line else f" {word['text']}"
    return line[:_LONGEST_LINE]


def _where_from(library: Mapping[str, str]) -> str:
    place = library.get("version_from", "library")
    return "" if place == "library" else f" (of its {place})"


def _job(job: Mapping[str, Any]) -> Iterator[Row]:
    for name in ("nodes", "ranks", "ranks_per_node", "binding", "mpi"):
        if job.get(name) is not None:
            yield _fact(name, job[name])
    if job.get("preload"):
        yield Row("preloaded libraries", _single_value(", ".join(job["preload"])))
    for hints in job.get("mpiio_hints", []):
        for name, value in sorted(hints["hints"].items()):
            yield Row(f"{hints['pattern']} {name}", _single_value(value), parameter="mpiio.hints", key=name)
    for name, value in sorted(job.get("environment", {}).items()):
        yield Row(name, _single_value(value))


# One class of nodes


def _sections(subject: str, node_class: Mapping[str, Any]) -> Iterator[Section]:
    hardware = node_class["hardware"]
    titled_rows = [
        ("Hardware", [*_hardware(hardware)]),
        ("BIOS", [*_bios(hardware.get("bios", {}))]),
        ("Operating system", [*_os(node_class["os"])]),
        ("Network", _device_rows(node_class.get("network", []), "kind", formatting.network)),
        ("Block devices", _device_rows(node_class.get("block", []), "model", formatting.block)),
        ("Mounts", _device_rows(node_class.get("mounts", []), "type", formatting.mount)),
    ]
    grouped: dict[str, list[Row]] = {}
    release, ram_bytes = facts.lustre_release(node_class), hardware["memory"].get("total_bytes")
    for parameter in node_class.get("parameters", []):
        definition = parameters.parameters().get(parameter["id"])
        title = parameters.groups()[definition.group] if definition else "Of the site"
        grouped.setdefault(title, []).append(_parameter(parameter, definition, release, ram_bytes))
    order = [*parameters.groups().values(), "Of the site"]
    titled_rows += [(title, grouped[title]) for title in order if title in grouped]
    for title, rows in titled_rows:
        if rows:
            yield Section(title, rows, subject)


def _parameter(
    parameter: Mapping[str, Any], definition: parameters.Parameter | None, release: str, ram_bytes: int | None
) -> Row:
    key = parameter.get("key", "")
    unit = parameter.get("unit") or formatting.unit_of(key)[1] or (definition.unit if definition else "")
    held_against = definition.id if definition and not key else ""
    values = [
        ObservedValue(
            row["value"],
            formatting.quantity(row["value"], unit),
            row["instances"],
            defaults.differs(held_against, row["value"], release, ram_bytes),
        )
        for row in sorted(parameter["values"], key=lambda row: -row["instances"])
    ]
    return Row(
        f"{parameter['id']} {key}" if key else parameter["id"],
        tuple(values),
        definition.id if definition else "",
        key,
        bool(definition and definition.volatile),
        _default_text(defaults.default(held_against, release, ram_bytes), unit),
    )


def _default_text(expected: defaults.Default | None, unit: str) -> str:
    if expected is None:
        return ""
    return expected.words if expected.value is None else formatting.quantity(expected.value, unit)


def _hardware(hardware: Mapping[str, Any]) -> Iterator[Row]:
    product = " ".join(filter(None, [hardware.get("vendor"), hardware.get("product")]))
    if product:
        yield Row("product", _single_value(product))
    for part in ("cpu", "memory"):
        for name, value in formatting.order_like_schema(hardware[part], part).items():
            if isinstance(value, dict):
                value = ", ".join(f"{word} \N{MULTIPLICATION SIGN} {count}" for word, count in sorted(value.items()))
            if value not in (None, ""):
                yield _fact(f"{part} {name}", value)
    if hardware.get("numa"):
        yield Row("NUMA nodes", _single_value(f"{len(hardware['numa'])}"))
    for item in hardware.get("accelerators", []):
        yield Row(
            item["model"],
            _single_value(formatting.format_fields(item, leave_out=("model", "count")) or "—", item["count"]),
        )


def _bios(bios: Mapping[str, Any]) -> Iterator[Row]:
    for name in ("vendor", "version", "date"):
        if bios.get(name):
            yield Row(name, _single_value(bios[name]))
    for name, value in sorted(bios.get("attributes", {}).items()):
        yield Row(name, (ObservedValue(value, formatting.quantity(value, "")),), parameter="bios.profile", key=name)


def _os(os: Mapping[str, Any]) -> Iterator[Row]:
    release = " ".join(filter(None, [os.get("id"), os.get("version")]))
    if release:
        yield Row("release", _single_value(release))
    for name in ("kernel", "appliance", "rdma_stack"):
        if os.get(name):
            yield _fact(name, os[name])
    if os.get("cmdline"):
        yield Row("kernel command line", _single_value(" ".join(os["cmdline"])))
    for title, names in (("mitigation", os.get("mitigations", {})), ("package", os.get("packages", {}))):
        for name, value in sorted(names.items()):
            yield Row(f"{title} {name}", _single_value(value))


def _device_rows(items: Iterable[Mapping[str, Any]], named_by: str, text: formatting.Describe) -> list[Row]:
    """Devices under the name of their kind; several of one name are several values of one row."""
    rows: dict[str, list[ObservedValue]] = {}
    for item in items:
        name = str(item.get(named_by) or "of unknown model")
        rows.setdefault(name, []).append(ObservedValue(text(item), text(item), max(1, int(item.get("count", 1)))))
    return [Row(name, tuple(sorted(values, key=lambda value: -value.instances))) for name, values in rows.items()]


def _fact(name: str, value: Any) -> Row:
    """A field of the schema, whose unit is the end of its name."""
    label, unit = formatting.unit_of(name)
    return Row(label, (ObservedValue(value, formatting.quantity(value, unit)),))


def _single_value(text: str, instances: int = 1) -> tuple[ObservedValue, ...]:
    return (ObservedValue(text, text, max(1, instances)),)


# What is missing, what differs


def missing(node_class: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """(reason in words, names of the parameters) of one class of nodes, the reason with most of them first."""
    by_reason: dict[str, list[str]] = {}
    for row in node_class.get("missing", []):
        by_reason.setdefault(row["reason"], []).append(" ".join(filter(None, [row["id"], row.get("key", "")])))
    return [(REASONS[reason], names) for reason, names in sorted(by_reason.items(), key=lambda pair: -len(pair[1]))]


def outliers(node_class: Mapping[str, Any]) -> list[dict[str, str]]:
    """What single nodes of a class have and the others have not."""
    return [
        {
            "member": row["member"],
            "what": _pointed(row["pointer"]),
            "value": _pointed_value(row, "value"),
            "majority": _pointed_value(row, "majority"),
        }
        for row in node_class.get("outliers", [])
    ]


def drift(document: Document) -> list[dict[str, Any]]:
    """What changed during the run, the gravest first."""
    rows = sorted(document.get("drift", []), key=lambda row: facts.SEVERITIES.index(row["severity"]))
    return [
        {
            "severity": row["severity"],
            "what": _pointed(row["pointer"]),
            "before": _pointed_value(row, "pre"),
            "after": _pointed_value(row, "post"),
            "members": row.get("members"),
        }
        for row in rows
    ]


def _pointed(pointer: str) -> str:
    """A pointer in words: "/hardware/memory/total_bytes" -> "hardware memory total_bytes"; a parameter by its id."""
    return pointer.removeprefix("/parameters").strip("/").replace("/", " ").replace("~1", "/").replace("~0", "~")


def _pointed_value(row: Mapping[str, Any], name: str) -> str:
    """A value beside its pointer, with the unit that the end of the pointer names.

    Truth values stay true and false, as a collector counts them: "true x6, false x1".
    """
    if isinstance(row.get(name), bool):
        return str(row[name]).lower()
    return formatting.quantity(row.get(name), formatting.unit_of(row["pointer"])[1])
