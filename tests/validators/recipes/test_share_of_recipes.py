"""How many results have a recipe that can be run: at least 95 % of those that the registry publishes, by benchmark.

A result counts where the check accepts it: it has values and no error. A summary alone is published as *reported*
(decision 39), and counts for nothing here. Job files are accepted by fio itself, where it is installed; command lines
and config.ini where reading them again gives the options of the run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from validators import checks, recipes
from validators.benchmarks.io500 import options as io500_options
from validators.evidence import SUMMARY_ALONE
from validators.findings import has_error
from validators.measurements import Run
from validators.recipes import Facts, Program

LEAST_SHARE = 0.95
FEWEST = {"io500": 30, "ior": 55, "mdtest": 25, "fio": 40}
"""Fewer results than these would mean that some were not found."""
VALUES = {"RW": "write", "BS": "4k", "SIZE": "1m"}
"""What a user may put in the place of what terse lines do not tell."""


def recipe_of(run: Run) -> dict[str, Any]:
    facts = Facts(run.tool, run.version, run.mode, run.client_nodes, run.tasks, run.parameters, run.tests)
    return recipes.write_recipe(facts, run.given_options)


def is_published(run: Run, findings: Sequence[Any]) -> bool:
    """Whether the registry publishes a run as a result of its benchmark."""
    is_reported = SUMMARY_ALONE in [finding.code for finding in run.findings]
    return bool(run.measurements) and not has_error([*findings, *run.findings]) and not is_reported


def is_accepted(run: Run, recipe: dict[str, Any], folder: Path) -> bool:
    """Whether there is something to start, and the benchmark, or our reader of its options, takes it."""
    is_same = recipe["options_sha256"] == recipes.options_digest(run.given_options)
    if run.tool == "fio":
        is_taken = fio_accepts(recipe, folder) if shutil.which("fio") else is_read_again(recipe)
        return is_same and is_taken
    return is_same and run.given_options is not None


def fio_accepts(recipe: dict[str, Any], folder: Path) -> bool:
    if not recipe["files"]:
        return False
    path = folder / "job.fio"
    path.write_text(recipe["files"][0]["text"])
    names = (row["name"][1:] for row in recipe["variables"])
    values = {name: VALUES.get(name.partition("_")[0], "1") for name in names}
    variables = {**os.environ, **values, "TESTDIR": str(folder)}
    return subprocess.run(["fio", "--parse-only", str(path)], env=variables, capture_output=True).returncode == 0


def is_read_again(recipe: dict[str, Any]) -> bool:
    """Whether our reader finds in a job file the options that stand in it, line by line."""
    from validators.benchmarks.fio.recipe import read_options

    text = "".join(file["text"] for file in recipe["files"])
    given_options = read_options(Program(files={"job.fio": text}))
    sections = [given_options["global"], *(job["options"] for job in given_options["jobs"])] if given_options else []
    unknown = re.findall(r"^\w+=\$\{(?!TESTDIR)", text, re.MULTILINE)
    lines = re.findall(r"^\w+=", text, re.MULTILINE)
    return sum(map(len, sections)) + len(unknown) == len(lines) > 0


@pytest.fixture(scope="module")
def accepted_by_tool(
    shared: Path, published_archives: Sequence[Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[str, bool]]]:
    """By benchmark, each result of the collected outputs and the published archives, and whether its recipe counts."""
    folder = tmp_path_factory.mktemp("recipes")
    results: dict[str, list[tuple[str, bool]]] = {tool: [] for tool in FEWEST}
    for path, run in list_results(shared, published_archives):
        if run.tool in results:
            results[run.tool].append((path.name, is_accepted(run, recipe_of(run), folder)))
    return results


def list_results(shared: Path, archives: Sequence[Path]) -> Iterator[tuple[Path, Run]]:
    outputs = [*(shared / "data" / "bench").glob("*/*"), *(shared / "data" / "outputs2").glob("*/*")]
    for path in [*sorted(outputs), *archives]:
        report = checks.check(path, benchmark="io500" if path in archives else None)
        yield from ((path, run) for run in report.runs if is_published(run, report.findings))


@pytest.mark.parametrize("tool", FEWEST)
def test_most_results_have_a_recipe_that_is_accepted(
    accepted_by_tool: dict[str, list[tuple[str, bool]]], tool: str
) -> None:
    results = accepted_by_tool[tool]
    refused = [name for name, is_good in results if not is_good]
    share = 1 - len(refused) / len(results)
    print(f"{tool}: {len(results) - len(refused)} of {len(results)} results, {share:.1%}")
    assert len(results) >= FEWEST[tool] and share >= LEAST_SHARE, refused


def test_published_archives_have_recipes_with_the_hash_of_their_configuration(
    published_archives: Sequence[Path],
) -> None:
    """With the private values put back, a recipe gives the hash that io500 itself printed."""
    is_same_hash = []
    for path in published_archives:
        for run in checks.check(path, benchmark="io500").runs:
            printed_hash = (run.hashes.get("config") or {}).get("printed")
            if printed_hash and run.given_options and "settings" in run.given_options:
                is_same_hash.append(printed_hash in config_hashes(run))
    assert len(is_same_hash) > 10 and sum(is_same_hash) >= LEAST_SHARE * len(is_same_hash)


def config_hashes(run: Any) -> list[str]:
    again = io500_options.read_settings(recipe_of(run)["files"][0]["text"].splitlines())
    original: dict[tuple[str, str], str] = {}
    for settings in reversed(list(run.evidence.settings.values())):
        original |= settings
    restored = {key: original[key] if re.search(r"\$[A-Z]", value) else value for key, value in again.items()}
    return list(io500_options.config_hashes(restored, run.version))
