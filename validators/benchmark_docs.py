"""The documentation page of a benchmark, in Markdown: the README of its folder and tables made of its descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from validators import catalogue
from validators.catalogue import Benchmark

README = "README.md"
PARAMETERS = "Parameters"
"""The heading of what a run's parameters are."""
_COMPARABLE = {
    "all": "every version",
    "span": "these versions",
    "version": "the same version",
    "none": "nothing",
}


def benchmark_page(benchmark: Benchmark) -> str:
    """What the README begins with, the tables of the descriptor, the rest of the README, and the rules."""
    begun, rest = _prose(benchmark)
    parts = (begun, *_sections(benchmark), rest, _evidence(benchmark), _rules(benchmark))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _prose(benchmark: Benchmark) -> tuple[str, str]:
    """The README up to its second heading, and what follows; name and description where there is none."""
    path = catalogue.FOLDER / benchmark.slug / README
    if not path.exists():
        return f"# {benchmark.descriptor['name']}\n\n{benchmark.descriptor['description']}", ""
    begun, heading, rest = path.read_text(encoding="utf-8").partition("\n## ")
    return begun, heading + rest


def _sections(benchmark: Benchmark) -> list[str]:
    descriptor = benchmark.descriptor
    source = f"\n\nSource: <{descriptor['source']}>" if "source" in descriptor else ""
    return [
        "## What is measured\n\n" + _operations(descriptor["operations"]) + source,
        "## What numbers are over\n\n" + _meanings(descriptor["versions"]),
        _parameters(benchmark),
        f"## Files\n\nIt is whole by this: {descriptor['completeness']}\n\n" + _files(descriptor["files"]),
    ]


def _operations(operations: Iterable[Mapping[str, Any]]) -> str:
    """A row for what is measured alike, with all its operations."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for row in operations:
        alike = tuple(row[name] for name in ("quantity", "unit", "better", "description"))
        grouped.setdefault(alike, []).append(f"`{row['op']}`" if row["op"] != "*" else "others")
    rows = [
        (" ".join(ops), f"`{quantity}`", unit, better, is_) for (quantity, unit, better, is_), ops in grouped.items()
    ]
    return markdown_table(("operation", "quantity", "printed in", "better", "is"), rows)


def _meanings(entries: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (
            _codes(entry.get("quantities", ())) + (f" of {_codes(entry['ops'])}" if "ops" in entry else ""),
            _codes(entry.get("stats", ())),
            _span(entry),
            entry["scope"],
            _comparable(entry),
        )
        for entry in entries
    ]
    return markdown_table(("quantity", "statistic", "versions", "over", "compares with"), rows)


def _span(entry: Mapping[str, Any]) -> str:
    words = (("from", "from {}"), ("until", "before {}"))
    return " and ".join(text.format(entry[name]) for name, text in words if name in entry) or "all"


def _comparable(entry: Mapping[str, Any]) -> str:
    alike = f", if {_codes(entry['alike'])} is the same" if "alike" in entry else ""
    return _COMPARABLE[entry["comparable_with"]] + alike


def _parameters(benchmark: Benchmark) -> str:
    parameters = catalogue.run_parameters(benchmark)
    if not parameters:
        return ""
    rows = [(f"`{row.name}`", row.description or "no description yet", row.source) for row in parameters]
    query = f"/results/?tool={benchmark.tool}&p.{parameters[0].name}="
    table = markdown_table(("name", "is", "read from"), rows)
    return f"## {PARAMETERS}\n\nResults are looked up by these: `{query}...`\n\n{table}"


def _files(files: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (
            f"`{file['pattern'].removeprefix('**/')}`",
            file["description"] + (", needed" if file.get("needed") else ""),
            " or ".join(f"`{_printable(text)}`" for text in file.get("contains", ())),
        )
        for file in files
    ]
    return markdown_table(("name", "is", "known by"), rows)


def _rules(benchmark: Benchmark) -> str:
    rows = [(f"`{rule.code}`", rule.level, rule.text, rule.source) for rule in benchmark.rules]
    return "## Rules\n\n" + markdown_table(("code", "level", "rule", "source"), rows) if rows else ""


def _evidence(benchmark: Benchmark) -> str:
    """What its output says twice: tolerance, what a contradiction is, and how far real outputs lie apart."""
    if not benchmark.evidence_kinds:
        return ""
    rows = [
        (
            f"`{kind.code}`",
            kind.level,
            kind.text,
            kind.allowed,
            ", ".join(kind.files),
            ", ".join(f"`{each}`" for each in kind.confirms),
            _spread(kind.spread),
        )
        for kind in benchmark.evidence_kinds
    ]
    introduction = (
        "What an output says twice, independently. A run *agrees* with itself or *contradicts* itself, kind by kind; "
        "what is\n*absent* contradicts nothing. Beside each tolerance comes what printed digits leave open.\n"
        "A kind *confirms* the figures that it speaks of independently: `ior-*` are all that begin with `ior-`."
    )
    heads = ("code", "a contradiction is", "what must hold", "allowed", "rests on", "confirms", "over real archives")
    return f"## Evidence\n\n{introduction}\n\n" + markdown_table(heads, rows)


def _spread(spread: Mapping[str, Any]) -> str:
    bounds = f"{spread['least']:g} to {spread['most']:g}; " if "least" in spread else ""
    beyond = f", {len(spread['outside'])} beyond" if spread["outside"] else ""
    return f"{bounds}{spread['comparisons']} comparisons in {spread['archives']} archives{beyond}"


def _codes(names: Sequence[str]) -> str:
    return " ".join(f"`{name}`" for name in names) or "all"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{MIDDLE DOT}" for character in text.strip())


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; a bar inside of a cell stays one."""
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
