"""What the description of a system says in the results of MLPerf Storage v3.0: counts, capacity and rated power.

The files are hostile: they are read as YAML of plain texts without merge keys, small, with few aliases, and only for
figures and for words of closed lists. Texts, names of hosts, addresses and the environment of a run stay where they
are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

MOST_BYTES, MOST_ALIASES, MOST_FIGURE = 256 * 2**10, 500, 10**9
_FIGURE = re.compile(r"\+?\d{1,15}(\.\d{0,15})?", re.ASCII)
_WORDS = {
    "availability": ("available", "preview", "RDI"),
    "deployment": ("onprem", "cloud"),
}

Row = dict[str, Any]


class DescriptionError(Exception):
    """The file is no description that can be read."""


def read_description(path: Path) -> Row:
    """The facts of a description: `usable_capacity_TiB`, `rack_units`, `provisioned_power_W`, `storage_nodes`,
    `storage_drives`, `client_hosts`, `availability`, `deployment`; what the file does not say is left out.

    Power is the rated watts of all supplies of storage nodes and switches, as the round's table computes it;
    storage inside the hosts has none of its own. Raises DescriptionError for a file that is too large, no YAML or no
    description; OSError where it cannot be read.
    """
    if path.is_symlink() or path.stat().st_size > MOST_BYTES:
        raise DescriptionError("The description is larger than one, or a link.")
    described = _read_section(_load_yaml(path.read_bytes()), "system_under_test")
    if not described:
        raise DescriptionError("The file has no system_under_test.")
    solution = _read_section(described, "solution")
    nodes, switches = _read_groups(described, "product_nodes"), _read_groups(described, "product_switches")
    is_local = _read_section(solution, "architecture").get("storage_location") == "local"
    facts = {
        "usable_capacity_TiB": _read_figure(solution.get("usable_capacity_tib")),
        "rack_units": _read_figure(described.get("total_rack_units")),
        "provisioned_power_W": None if is_local else _rated_power([*nodes, *switches]),
        "storage_nodes": _sum_quantities([_read_figure(node.get("quantity")) for node in nodes]),
        "storage_drives": _sum_quantities([_drives_of(node) for node in nodes]),
        "client_hosts": _sum_quantities(
            [_read_figure(group.get("quantity")) for group in _read_groups(described, "clients")]
        ),
        "availability": _read_word("availability", solution.get("availability")),
        "deployment": _read_word("deployment", described.get("deployment")),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _load_yaml(content: bytes) -> Any:
    """The document with each value as text, since SafeLoader fails on an empty `!!int` and its like.

    A merge key may double a mapping again and again, so files with one are refused.
    """
    try:
        text = content.decode("utf-8")
        aliases = 0
        for event in yaml.parse(text, yaml.BaseLoader):
            aliases += isinstance(event, yaml.AliasEvent)
            if aliases > MOST_ALIASES or (isinstance(event, yaml.ScalarEvent) and event.value == "<<"):
                raise DescriptionError("The description repeats itself more than a description needs.")
        return yaml.BaseLoader(text).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise DescriptionError("The description is not YAML.") from error


def _read_section(document: Any, name: str) -> Mapping[str, Any]:
    section = document.get(name) if isinstance(document, dict) else None
    return section if isinstance(section, dict) else {}


def _read_groups(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    groups = document.get(name)
    return [group for group in groups if isinstance(group, dict)] if isinstance(groups, list) else []


def _read_figure(text: Any) -> float | None:
    """A decimal number above zero, whole ones as such. None for all else."""
    if not isinstance(text, str) or not _FIGURE.fullmatch(text):
        return None
    value = float(text)
    if not 0 < value < MOST_FIGURE:
        return None
    return int(value) if math.floor(value) == value else value


def _sum_quantities(figures: Sequence[float | None]) -> float | None:
    """The sum; None where there is nothing to add, or a part is not known."""
    numbers = [figure for figure in figures if figure is not None]
    return sum(numbers) if numbers and len(numbers) == len(figures) else None


def _drives_of(node: Mapping[str, Any]) -> float | None:
    of_one = _sum_quantities([_read_figure(drive.get("unit_count")) for drive in _read_groups(node, "drives")])
    quantity = _read_figure(node.get("quantity"))
    return None if of_one is None or quantity is None else of_one * quantity


def _rated_power(groups: Sequence[Mapping[str, Any]]) -> float | None:
    """Watts on the plates of all supplies, spare ones too; None where a group does not say them."""
    powers = []
    for group in groups:
        power = _read_section(_read_section(group, "chassis") or group, "power")
        supplies = [_supply_power(supply) for supply in _read_groups(power, "psus_configured")]
        of_one, quantity = _sum_quantities(supplies), _read_figure(group.get("quantity") or group.get("count"))
        powers.append(None if of_one is None or quantity is None else of_one * quantity)
    return _sum_quantities(powers)


def _supply_power(supply: Mapping[str, Any]) -> float | None:
    watts, count = _read_figure(supply.get("nameplate_power_watts")), _read_figure(supply.get("unit_count"))
    return None if watts is None or count is None else watts * count


def _read_word(name: str, value: Any) -> str | None:
    return value if isinstance(value, str) and value in _WORDS[name] else None
