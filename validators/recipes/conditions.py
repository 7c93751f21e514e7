"""The part of a recipe that a described system tells: environment, layouts, build, and what was tuned."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from validators import parameters
from validators.recipes import BUILD, LAUNCH, TESTDIR, Missing
from validators.recipes.data_set import add_client_memory
from validators.system import formatting, sections
from validators.system.facts import Document

_READ, _SET = "lctl get_param -n ", "lctl set_param "
_MODULE = re.compile(r"/sys/module/(\w{1,40})/parameters/(\w{1,60})")
_LUSTRE_MODULES = frozenset({"libcfs", "lnet", "ko2iblnd", "ksocklnd"})
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|(?:^|_)(?:KEY|PWD)(?:_|$)", re.IGNORECASE)
_PLACE = re.compile(r"(?:^|[=:,;\s])(?:/|~|\w{1,20}://)|@")
_ONLY_SET = "set"
"""What stands for a variable whose value may be private."""
NO_SYSTEM = Missing(
    "described system", "The result has no description of its system.", "Layout, environment and tunables."
)
_NO_LAYOUT = Missing("layout", "How files were laid out over targets is not recorded.", "Every rate of large files.")
_PLACEMENT = Missing("placement", "The launcher is recorded, and not where processes ran.", "Every rate.")
_NO_ENVIRONMENT = Missing(
    "environment", "No variable that steers input and output is recorded.", "Rates of collective I/O."
)


def add_conditions(recipe: dict[str, Any], document: Document | None) -> dict[str, Any]:
    """The recipe of a run with what the description of its system (schema system.1, public form) tells."""
    missing = list(recipe["missing"])
    document = document or {}
    environment, layout = _list_environment(document), list(_list_layouts(document))
    run = document.get("run", {})
    build = {name: run[name] for name in ("libraries", "modules", "source") if run.get(name)}
    launcher = run.get("launcher")
    recorded_facts = {row.as_json()["what"] for row, is_known in ((LAUNCH, launcher), (BUILD, build)) if is_known}
    missing = [row for row in missing if row["what"] not in recorded_facts]
    if launcher:
        missing.append(
            Missing("placement", "Only the launcher is recorded, not where ranks ran.", "Every rate.").as_json()
        )
    absent = [row for row, is_known in ((_NO_LAYOUT, layout), (_NO_ENVIRONMENT, environment)) if not is_known]
    missing += [row.as_json() for row in (absent if document else [NO_SYSTEM])]
    return recipe | {
        "data_set": add_client_memory(recipe["data_set"], document),
        "launcher": launcher,
        "build": build,
        "environment": environment,
        "layout": layout,
        "tunables": list(_list_tunables(document)) if document else [],
        "missing": missing,
    }


def _list_environment(document: Document) -> list[dict[str, str | None]]:
    """Variables that steer input and output; the value is null where only their presence was recorded."""
    job = document.get("job", {})
    rows = sorted(job.get("environment", {}).items())
    return [{"variable": name, "value": None if _is_private(name, value) else value} for name, value in rows]


def _is_private(name: str, value: str) -> bool:
    """Whether the value of a variable is not known, or may be a secret or tell a place."""
    return value == _ONLY_SET or _SECRET_NAME.search(name) is not None or _PLACE.search(value) is not None


def _list_layouts(document: Document) -> Iterator[dict[str, Any]]:
    """What the layout of each phase's files was, and the command that makes it where one does."""
    for layout in document.get("layouts", []):
        words = formatting.format_fields(
            formatting.order_like_schema(layout, "layout"), leave_out=("phase", "components")
        )
        yield {"phase": layout["phase"], "words": words, "command": _layout_command(layout)}


def _layout_command(layout: Mapping[str, Any]) -> str | None:
    """The command of Lustre that lays files out so; None for composite layouts, and where the count is not known."""
    count, size = layout.get("stripe_count"), layout.get("stripe_size_bytes")
    if count is None or layout.get("components") or layout.get("overstriped") or layout.get("mirror_count"):
        return None
    return f"lfs setstripe -c {count}{f' -S {size}' if size else ''} {TESTDIR}"


def _list_tunables(document: Document) -> Iterator[dict[str, Any]]:
    """What differs from the default of its release, with how it is set and undone and who may."""
    for subject in sections.subjects(document):
        rows = (row for section in subject.sections for row in section.rows if row.parameter and not row.volatile)
        for row in rows:
            yield from (_describe_tunable(subject.name, row, value) for value in row.seen if value.differs)


def _describe_tunable(subject: str, row: sections.Row, value: sections.ObservedValue) -> dict[str, Any]:
    setting, read_command = _find_commands(row.parameter)
    return {
        "parameter": row.parameter,
        "nodes": subject,
        "instances": value.instances,
        "value": value.text,
        "default": row.default,
        "set": f"{setting}={shlex.quote(_parameter_text(value.value))}" if setting else None,
        "undo": f"{setting}=VALUE_BEFORE" if setting else None,
        "read_before": read_command if setting else None,
        "who": "root" if setting else None,
    }


def _find_commands(name: str) -> tuple[str, str]:
    """(command that sets a parameter up to its value, command that reads it); empty texts where none is known.

    Options of Lustre's modules are read when these are loaded, so they are unloaded before.
    """
    definition = parameters.parameters().get(name)
    if definition is None:
        return "", ""
    if definition.command.startswith(_READ):
        return _SET + definition.command.removeprefix(_READ), definition.command
    paths = [place.path for place in definition.paths]
    module = _MODULE.fullmatch(paths[0]) if len(paths) == 1 else None
    if module is None or module[1] not in _LUSTRE_MODULES:
        return "", ""
    return f"lustre_rmmod && modprobe {module[1]} {module[2]}", f"cat {paths[0]}"


def _parameter_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
