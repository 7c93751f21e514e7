"""Where the parameters of a run come from, and what the described system says beside them.

`parameters.json` in the folder of a benchmark names what does not simply stand in the tool's output: by source, the
parameters that are of it. What a site describes stands beside what the tool printed and never replaces it.
"""

from __future__ import annotations

from typing import Any

from validators import catalogue
from validators.measurements import OUTPUT, Run
from validators.system import facts
from validators.system.parts import of_document

FILE_NAMES = "file names"
RESULT = "result"
"""Source of what came out of a run: times, counts and sums, which are no settings of it."""
SOURCES = frozenset({
    RESULT, FILE_NAMES, "command line", "configuration", "rules of the benchmark",
    "output, else command line", "output, else configuration",
})  # fmt: skip
"""What `parameters.json` may name."""

_DESCRIBED = {
    "nps": ("bios.nps", None, facts.CLIENT),
    "cpt": ("lnet.cpu_partition_table", "partitions", facts.CLIENT),
    "networks": ("lnet.networks", None, facts.CLIENT),
    "lustre_version": ("lustre.version", None, facts.CLIENT),
    "stripe_count": ("lustre.layout.stripe_count", None, None),
    "stripe_size_bytes": ("lustre.layout.stripe_size", None, None),
}
"""Names of parameters of runs by what the registry of parameters calls them: id, key of a map, role of node.

Of the CPU partitions the table in effect counts. The parameter of the module is what was asked for; its 0 lets Lustre
decide.
"""
MOST_VALUES = 8
"""Values of one parameter that are named, where nodes or targets differ."""


def parameter_sources(run: Run) -> dict[str, str]:
    """The source of each parameter of a run, by name."""
    sources = catalogue.parameter_sources(run.tool)
    return {name: sources.get(name, OUTPUT) for name in run.parameters}


def outcomes(tool: str) -> frozenset[str]:
    """Names of parameters that came out of runs of a tool, or name its files, and are no settings; of any tool."""
    by_name = catalogue.parameter_sources(tool) if catalogue.find(tool) else {}
    return frozenset(name for name, source in by_name.items() if source in (RESULT, FILE_NAMES))


def setting_parameters(run: Run) -> dict[str, Any]:
    """The parameters that make a configuration: everything but what came out of the run."""
    return {name: run.parameters[name] for name, source in parameter_sources(run).items() if source != RESULT}


def parameters_from_system(document: facts.Document) -> dict[str, Any]:
    """What a described system says under the names of parameters of runs: one value, or those that are there."""
    values_by_name: dict[str, list[Any]] = {"filesystem_type": facts.filesystem_types(document)}
    if (nodes := facts.client_nodes(document)) is not None:
        values_by_name["client_nodes"] = [nodes]
    parts = of_document(document)
    for name, count in (("drives", parts.drives), ("data_servers", parts.servers)):
        values_by_name[name] = [int(count.value)] if count else []
    for name, (parameter, key, role) in _DESCRIBED.items():
        values = [value for value in facts.values(document, parameter, role, key) if value is not None]
        values_by_name[name] = [value for value in values if isinstance(value, (str, int, float))][:MOST_VALUES]
    return {
        name: values[0] if len(values) == 1 else values for name, values in sorted(values_by_name.items()) if values
    }
