"""The benchmarks that are known: one folder each, found by looking.

A folder `validators/benchmarks/<slug>/` holds

    benchmark.json  the descriptor: tool, name, operations, versions, parameters, files (schemas/benchmark.1.json)
    README.md       how to run it, and when its output is wrong; its page adds tables from the descriptor
    parser.py       find_runs(bundle) -> Reading; explain(run) -> list[str], the lines of `reproduce`
    parameters.json where parameters of a run are read, if not in its output, and what they are; optional
    lines.json      where outputs begin, and which lines are not read, and why (schemas/lines.1.json)
    rules.py        RULES: list[Rule]; findings(run, context) -> list[Finding], what only metadata, list or release tell
    recipe.py       write_program(facts, given_options), read_options(program); optional
    evidence.json   what its output says twice (schemas/evidence.1.json), with evidence_kinds.py: compare(run); optional
    samples/        outputs with expected values

The slug is the tool's name with `_` for `-`. Nothing else has to be edited to add one.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validators import evidence, quantities
from validators.evidence import Kind
from validators.findings import Finding
from validators.measurements import OUTPUT, Run
from validators.reading.outlines import Outline, outline_of
from validators.rules import Context, Rule, system_rules

if TYPE_CHECKING:
    from validators.bundle import Bundle

FOLDER = Path(__file__).parent / "benchmarks"


@dataclass(slots=True)
class Reading:
    """What one benchmark's parser found in a bundle.

    `primary` is the index in `runs` of the run that counts, or None; `findings` concern the bundle as a whole;
    `claimed` are the paths that it read.
    """

    runs: list[Run] = field(default_factory=list)
    primary: int | None = None
    findings: list[Finding] = field(default_factory=list)
    claimed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark: its descriptor and the functions of its folder."""

    slug: str
    descriptor: dict[str, Any]

    @property
    def tool(self) -> str:
        return str(self.descriptor["tool"])

    @property
    def is_composite(self) -> bool:
        """Whether its runs hold the output of other tools."""
        return bool(self.descriptor.get("composite"))

    @property
    def outline(self) -> Outline:
        """What its folder says of the lines that it prints."""
        return _outline(self.slug, self.tool)

    def find_runs(self, bundle: Bundle) -> Reading:
        reading: Reading = self._module("parser").find_runs(bundle)
        return reading

    def explain(self, run: Run) -> list[str]:
        lines: list[str] = self._module("parser").explain(run)
        return lines

    @property
    def rules(self) -> list[Rule]:
        return list(self._module("rules").RULES)

    @property
    def findings(self) -> Callable[[Run, Context], list[Finding]]:
        function: Callable[[Run, Context], list[Finding]] = self._module("rules").findings
        return function

    @property
    def evidence_kinds(self) -> tuple[Kind, ...]:
        """What its output says twice, kind by kind; none where its folder names none."""
        return evidence.load_kinds(FOLDER / self.slug / evidence.FILE)

    def examine(self, run: Run) -> tuple[dict[str, Any], list[Finding]]:
        """The evidence of a run and what contradicts it; nothing for a tool without kinds of evidence."""
        if not self.evidence_kinds:
            return {}, []
        operations = [measurement.op for measurement in run.measurements if measurement.quantity != "time"]
        pairs = self._module("evidence_kinds").compare(run)
        return evidence.examine(self.evidence_kinds, pairs, run.path, operations)

    @property
    def recipe_module(self) -> Any:
        """The module that writes and reads its part of a recipe; None where its folder has none."""
        return self._module("recipe") if (FOLDER / self.slug / "recipe.py").exists() else None

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"validators.benchmarks.{self.slug}.{name}")


@dataclass(frozen=True, slots=True)
class RunParameter:
    """A named value of the runs of one benchmark; `description` is empty where nobody wrote one yet."""

    name: str
    description: str
    source: str


def run_parameters(benchmark: Benchmark) -> list[RunParameter]:
    """The parameters that the descriptor describes, then the others of which the source is stated."""
    sources = parameter_sources(benchmark.tool)
    described = {parameter["name"]: parameter["description"] for parameter in benchmark.descriptor["parameters"]}
    for texts in _stated_parameters(benchmark.slug).values():
        described |= {name: text for name, text in texts.items() if text}
    names = dict.fromkeys([*described, *sources])
    return [RunParameter(name, described.get(name, ""), sources.get(name, OUTPUT)) for name in names]


@cache
def parameter_sources(tool: str) -> Mapping[str, str]:
    """The sources that `parameters.json` in the folder of a benchmark states, by the name of the parameter."""
    return {name: source for source, names in _stated_parameters(benchmark(tool).slug).items() for name in names}


@cache
def _stated_parameters(slug: str) -> Mapping[str, Mapping[str, str]]:
    """By source the names of `parameters.json` with what they are; empty where the descriptor describes the name."""
    path = FOLDER / slug / "parameters.json"
    stated: Mapping[str, Mapping[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stated


@cache
def _outline(slug: str, tool: str) -> Outline:
    path = FOLDER / slug / "lines.json"
    return outline_of(tool, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})


def evidence_lines(run: Run) -> tuple[str, str]:
    """The evidence of a run in words: how many kinds agree, and what nothing confirms."""
    return run.evidence_outcomes["in_short"], evidence.unconfirmed_line(run.evidence_outcomes)


@cache
def benchmarks() -> tuple[Benchmark, ...]:
    """Every benchmark folder, by slug."""
    paths = sorted(FOLDER.glob("*/benchmark.json"))
    return tuple(Benchmark(path.parent.name, _load_descriptor(path)) for path in paths)


def _load_descriptor(path: Path) -> dict[str, Any]:
    """A descriptor, with the better direction that the table of quantities has for each of its operations."""
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    operations = [row | {"better": quantities.better_of(row["quantity"], row["unit"])} for row in written["operations"]]
    return written | {"operations": operations}


def benchmark(tool: str) -> Benchmark:
    """The benchmark of a tool's name (`io500`, `obdfilter-survey`). Raises LookupError where there is none."""
    if match := find(tool):
        return match
    tools = ", ".join(candidate.tool for candidate in benchmarks())
    raise LookupError(f"no benchmark {tool!r}; there are {tools}")


def find(tool: str) -> Benchmark | None:
    """The same; None for an unknown one, such as a reported result may name."""
    return next((candidate for candidate in benchmarks() if tool in (candidate.tool, candidate.slug)), None)


def crossings() -> Mapping[str, Mapping[str, Any]]:
    """The layers that the data of each tool crosses, by tool; a tool of which nothing is known is left out."""
    return {
        benchmark.tool: benchmark.descriptor["crosses"]
        for benchmark in benchmarks()
        if "crosses" in benchmark.descriptor
    }


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """What is known of a quantity of an operation: `unit` as the tool prints it, `better` higher, lower or none."""

    tool: str
    description: str
    unit: str
    better: str


def describe(tool: str, op: str, quantity: str) -> MetricDescription | None:
    """What the descriptor of a tool says of what was measured; None for a tool or quantity that has none."""
    for row in descriptor(tool).get("operations", ()):
        if row["quantity"] == quantity and fnmatchcase(op, row["op"]):
            return MetricDescription(descriptor(tool)["name"], row["description"], row["unit"], row["better"])
    return None


def label_operation(tool: str, op: str) -> str:
    """An operation as people say it; empty where the descriptor of the tool does not say."""
    rows = descriptor(tool).get("operations", ())
    return next((str(row["label"]) for row in rows if "label" in row and fnmatchcase(op, row["op"])), "")


def meanings(tool: str) -> Sequence[Mapping[str, Any]]:
    """What the numbers of a tool are over, by version: `versions` of its descriptor; empty for an unknown tool."""
    entries: Sequence[Mapping[str, Any]] = descriptor(tool).get("versions", ())
    return entries


def defaults(tool: str) -> Mapping[str, Any]:
    """What options of a tool are where a run sets nothing, by their parameter; empty for an unknown tool."""
    values_by_parameter: Mapping[str, Any] = descriptor(tool).get("defaults", {})
    return values_by_parameter


def descriptor(tool: str) -> Mapping[str, Any]:
    """The descriptor of a tool; empty for an unknown one."""
    match = find(tool)
    return match.descriptor if match else {}


def tool_name(tool: str) -> str:
    """What people call a tool; the tool itself for an unknown one."""
    return str(descriptor(tool).get("name", tool))


@cache
def scored_tools() -> frozenset[str]:
    """The tools that give a score: those whose folder defines one."""
    return frozenset(benchmark.tool for benchmark in benchmarks() if (FOLDER / benchmark.slug / "scores.json").exists())


def rules() -> list[Rule]:
    """Every rule of every benchmark, then those on descriptions of systems."""
    return [rule for candidate in benchmarks() for rule in candidate.rules] + system_rules.RULES


def rule_texts() -> dict[str, str]:
    """What each rule asks for, by its code."""
    return {rule.code: rule.text for rule in rules()}
