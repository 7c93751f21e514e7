"""Imports go one way, between packages and between the layers inside of them. A breach is named by file and line."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("collectors", "highwater", "validators", "registry", "submissions", "launcher", "bench", "tools", "tests")
MAY_IMPORT = {
    "collectors": set(),
    "highwater": set(),
    "validators": set(),
    "registry": {"validators"},
    "submissions": {"validators", "registry"},
}
# Lowest first. A module imports its own room and those of lower layers; rooms of one layer don't know each other.
# A package that has packages itself has layers of its own.
LAYERS = {
    "collectors": (
        {"errors", "probe_results", "progress", "outputs", "scrubbing"},
        {"files", "report", "node", "privacy", "server"},
        {"document"},
        {"probes", "bundle"},
        {"capture", "gate", "imports"},
        {"reproduction"},
        {"verbs"},
        {"cli"},
        {"__main__"},
    ),
    "validators": (
        {"findings", "units", "times", "older_python", "json_schema"},
        {
            "measurements",
            "quantities",
            "bundle",
            "hardware",
            "parameters",
            "schema",
            "signs",
            "failures",
            "scoring",
            "reproduction",
        },
        {"ceilings", "distributions", "evidence"},
        {"system", "example"},
        {"rules", "exports", "questionnaires"},
        {"reading"},
        {"catalogue"},
        {"outputs", "launcher_output", "metric_semantics", "scrubbing", "benchmark_docs"},
        {"runs", "rank_tables", "recipes"},
        {"checks"},
        {"benchmarks", "__main__", "launching", "ranks"},
    ),
    "registry": (
        {"database"},
        {"models", "errors", "environment", "celery"},
        {"query", "monitoring"},
        {"web"},
        {"presentation", "citation", "distributions", "dumps", "identity"},
        {"comparison", "parameters", "log"},
        {"platforms"},
        {"lists", "results", "studies", "timeseries"},
        {"systems", "loading"},
        {"site_pages", "serving"},
        {"management"},
        {"urls", "page_urls", "api_urls", "settings", "tasks", "apps", "wsgi", "asgi"},
    ),
    "registry/query": (
        {"data_files", "dump_files", "kept_sums", "packed_numbers", "row_sources", "stored_bytes"},
        {"names", "differences", "responses", "values"},
        {"public_record"},
        {"facts", "best_results", "cursor_pages", "demonstration", "run_verdict_rows", "reproductions"},
        {"questions"},
    ),
    "submissions": (
        {"models", "errors"},
        {"permissions", "lifecycle"},
        {"web"},
        {"bundles", "notifications", "receipts", "saved_queries"},
        {"accounts", "intake"},
        {"checks"},
        {"editing", "publication", "operations", "damage"},
        {"review", "change_points", "identities", "shelf", "reproduction"},
        {"overview"},
        {"urls", "api_urls", "tasks", "apps", "admin", "management"},
    ),
}
MOST_ARROWS = {"collectors": 63, "validators": 107, "registry": 145, "registry/query": 17, "submissions": 147}
"""Imports between rooms. These only fall, but for new rooms: log has eleven, damaged bytes seven, monitoring four,
imports seven, gate four, recipes five, repetitions eleven.

The page of a system has four more, as it shows what citation, ceilings and results know of it.
Studies have two more: cards elsewhere are drawn as those of citations, and the worker keeps those of the index.
The shelf has eight, three of them from the roof. Marks of reproductions have five.
What a recipe answers of the questionnaire has two."""
LATER_ROOMS = {
    "collectors": {"gate", "imports", "reproduction"},
    "registry": {"database", "identity", "log", "monitoring", "serving"},
    "submissions": {"damage", "identities", "reproduction", "shelf"},
}
"""Features that came after the division of each app into rooms (decision 36)."""
MOST_FIRST_ARROWS = {"collectors": 43, "registry": 113, "submissions": 123}
"""Imports between the other rooms: what the division aimed at, and never more."""
MOST_MODULES, MOST_LINES = 18, 450
MANY_MODULES = {
    "collectors/probes": "one module for each probe",
    "collectors/outputs": "one module for each command that is read",
    "collectors/verbs": "one module for each verb",
    "validators/benchmarks/io500": "one module for each kind of file that a run writes",
    "validators": "the names that benchmark folders import",
}
LONG_MODULES = {
    "validators/bundle/__init__.py": "every way to open an archive, behind one class",
    "validators/benchmarks/io500/defects.py": "a table of known defects",
    "registry/loading/catalogue_loader.py": "one transaction that loads all data files",
    "registry/serving/worker.py": "one loop: its parts would share all of its state",
    "submissions/errors.py": "the table of all refusals",
    "submissions/operations/backup.py": "to be divided: writing and restoring",
}
EDGES = ("api", "views", "forms", "requests", "urls")
"""How the names of modules begin that speak HTTP; what decides and computes does not import them."""
EDGES_THAT_DOMAIN_CODE_IMPORTS = {
    "registry/site_pages/feeds.py": 1,
    "submissions/notifications/mail.py": 1,
}
"""What is left of them, counted. These only fall."""
DUSTBINS = {"utils", "util", "helpers", "helper", "services", "service", "manager", "handlers", "common", "misc"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of every absolute import, wherever in the file it stands."""
    lines_and_names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            lines_and_names += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            lines_and_names.append((node.lineno, node.module or ""))
    return lines_and_names


@cache
def imported_names(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name with what is taken from it): `from a import b` may import the module a.b."""
    lines_and_names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            lines_and_names += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            lines_and_names += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return lines_and_names


def wrong_directions(package: str) -> list[str]:
    allowed = MAY_IMPORT[package] | {package}
    return [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(package)
        for line, name in imports(path)
        if name.split(".")[0] in PACKAGES and name.split(".")[0] not in allowed
    ]


def is_room(app: str, name: str) -> bool:
    return (ROOT / app / f"{name}.py").is_file() or (ROOT / app / name / "__init__.py").is_file()


@cache
def rooms(app: str) -> set[str]:
    """What one sees in the folder of an app: root modules and packages."""
    names = {path.relative_to(ROOT / app).parts[0].removesuffix(".py") for path in modules(app)}
    return {name for name in names if is_room(app, name)} - {"__init__", "migrations"}


@cache
def arrows(app: str) -> dict[tuple[str, str], list[str]]:
    """Places where one room of an app imports another."""
    places: dict[tuple[str, str], list[str]] = {}
    inside = app.replace("/", ".") + "."
    for path in modules(app):
        room = path.relative_to(ROOT / app).parts[0].removesuffix(".py")
        if room not in rooms(app):
            continue
        for line, name in imported_names(path):
            imported = name.removeprefix(inside).split(".")[0]
            if name.startswith(inside) and imported != room and is_room(app, imported):
                places.setdefault((room, imported), []).append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    return places


def layer_of(app: str) -> dict[str, int]:
    return {room: number for number, layer in enumerate(LAYERS[app]) for room in layer}


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_packages_import_in_one_direction(package: str) -> None:
    assert modules(package), f"{package}/ has no module"
    assert wrong_directions(package) == []


@pytest.mark.parametrize("app", sorted(LAYERS))
def test_every_room_is_in_a_layer(app: str) -> None:
    assert rooms(app) == set(layer_of(app))


@pytest.mark.parametrize("app", sorted(LAYERS))
def test_rooms_import_lower_layers_only(app: str) -> None:
    layers = layer_of(app)
    upward = [
        f"{place}: {importing} is in layer {layers[importing] + 1}, {imported} in {layers[imported] + 1}"
        for (importing, imported), places in arrows(app).items()
        if layers[imported] >= layers[importing]
        for place in places
    ]
    assert upward == []


@pytest.mark.parametrize("app", sorted(LAYERS))
def test_imports_between_packages_become_fewer(app: str) -> None:
    assert len(arrows(app)) <= MOST_ARROWS[app]


@pytest.mark.parametrize("app", sorted(LATER_ROOMS))
def test_rooms_of_the_division_import_no_more_of_each_other(app: str) -> None:
    assert rooms(app) > LATER_ROOMS[app]
    between = [names for names in arrows(app) if not LATER_ROOMS[app].intersection(names)]
    assert len(between) <= MOST_FIRST_ARROWS[app]


@pytest.mark.parametrize("app", sorted(LAYERS))
def test_packages_and_modules_have_a_size_limit(app: str) -> None:
    packages: dict[str, int] = {}
    for path in modules(app):
        place = path.relative_to(ROOT)
        if "migrations" in place.parts or "samples" in place.parts:
            continue
        if path.name != "__init__.py":
            packages[str(place.parent)] = packages.get(str(place.parent), 0) + 1
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines <= MOST_LINES or str(place) in LONG_MODULES, f"{place} has {lines} lines"
    large = {name: count for name, count in packages.items() if count > MOST_MODULES and name not in MANY_MODULES}
    assert large == {}


@pytest.mark.parametrize("app", ["registry", "submissions"])
def test_domain_modules_do_not_import_http(app: str) -> None:
    """`web/` is the ground of all edges, and what it offers to them counts as one."""
    counts: dict[str, int] = {}
    for path in modules(app):
        place = path.relative_to(ROOT)
        if len(place.parts) < 3 or place.parts[1] in ("web", "models", "migrations", "management"):
            continue
        if path.stem.startswith(EDGES):
            continue
        for _, name in imported_names(path):
            parts = name.split(".")
            steps = [part for part in parts[2:] if part.startswith(EDGES)]
            if parts[0] in ("registry", "submissions") and parts[1] != "web" and steps and is_module(parts, steps[0]):
                counts[str(place)] = counts.get(str(place), 0) + 1
    more = {name: count for name, count in counts.items() if count > EDGES_THAT_DOMAIN_CODE_IMPORTS.get(name, 0)}
    assert more == {}


def is_module(parts: list[str], last: str) -> bool:
    return (ROOT.joinpath(*parts[: parts.index(last)]) / f"{last}.py").is_file()


def test_the_collector_needs_the_standard_library_only() -> None:
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules("collectors")
        for line, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"collectors"}
    ]
    assert foreign == []


def test_the_client_needs_the_standard_library_and_frames_that_are_asked_for() -> None:
    foreign = {
        name.split(".")[0]
        for path in modules("highwater")
        for _, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"highwater"}
    }
    assert foreign == {"pandas", "polars"}


def test_validators_need_the_standard_library_and_may_use_jsonschema() -> None:
    """In one module, which goes on without it: a site runs these rules offline, from a single file."""
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules("validators")
        for line, name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"validators"}
        if (path.name, name) != ("schema.py", "jsonschema")
    ]
    assert foreign == []


def test_no_module_has_a_generic_name() -> None:
    named = [str(path.relative_to(ROOT)) for package in PACKAGES for path in modules(package) if path.stem in DUSTBINS]
    assert named == []


def test_a_wrong_import_fails_the_check(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from submissions.models import Submission\n    return Submission\n")
    assert imports(bad) == [(2, "submissions.models")]
    assert imported_names(bad) == [(2, "submissions.models.Submission")]
