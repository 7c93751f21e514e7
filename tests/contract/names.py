"""The names that scripts, users and other programs rely on, read from the running code.

`python -m tests.contract.names` prints them as JSON. tests/contract/kept.json is what that printed for the last landed
release: no change of structure may lose one of them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DEPTH = 6
"""Of fields in an answer; no answer of ours is deeper without repeating itself."""


def names() -> dict[str, list[str]]:
    """Every kind of name, sorted."""
    kinds = {
        "addresses": addresses(),
        "API": api(),
        "codes of findings and problems": codes(),
        "settings": settings(),
        "verbs and flags": verbs(),
        "tables and columns": columns(),
        "tasks": tasks(),
        "management commands": commands(),
        "metrics": metrics(),
    }
    return {kind: sorted(set(listed_names)) for kind, listed_names in kinds.items()}


def addresses() -> Iterator[str]:
    from django.urls import get_resolver

    yield from _addresses(get_resolver().url_patterns, "")


def _addresses(patterns: Any, before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            if not route.startswith(("admin/", "account/")) or "allauth" not in str(pattern.urlconf_module):
                yield from _addresses(pattern.url_patterns, route)
        elif not route.startswith("admin/"):
            yield f"/{route} {pattern.name or ''}".strip()


def api() -> Iterator[str]:
    """Operations, their parameters, and every field of every answer and body by its path."""
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "responses" not in operation:
                continue
            place = f"{method.upper()} {path}"
            yield place
            for parameter in operation.get("parameters", []):
                yield f"{place} ?{parameter['name']}"
            for status, answer in operation["responses"].items():
                for content in answer.get("content", {}).values():
                    for field in _fields(content.get("schema", {}), schemas, DEPTH):
                        yield f"{place} {status} {field}"
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for field in _fields(content.get("schema", {}), schemas, DEPTH):
                    yield f"{place} body {field}"


def _fields(schema: dict[str, Any], schemas: dict[str, Any], depth: int) -> Iterator[str]:
    if depth == 0:
        return
    if "$ref" in schema:
        yield from _fields(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas, depth)
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _fields(part, schemas, depth)
    if isinstance(schema.get("items"), dict):
        for field in _fields(schema["items"], schemas, depth):
            yield f"[].{field}"
    for name, below in schema.get("properties", {}).items():
        yield name
        for field in _fields(below, schemas, depth - 1):
            yield f"{name}.{field}"


def codes() -> Iterator[str]:
    for name in ("findings", "problems"):
        text = (ROOT / "docs" / f"{name}.md").read_text()
        for code in re.findall(r"`([a-z0-9-]+(?:\.[a-z0-9-]+)+)`", text):
            yield f"{name} {code}"


def settings() -> Iterator[str]:
    from registry.environment import VARIABLES

    yield from VARIABLES


def verbs() -> Iterator[str]:
    from collectors.cli import parser

    yield from _verbs(parser(), "highwater.pyz")


def _verbs(parser: argparse.ArgumentParser, before: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, below in action.choices.items():
                yield f"{before} {verb}"
                yield from _verbs(below, f"{before} {verb}")
        else:
            for flag in action.option_strings:
                yield f"{before} {flag}"


def columns() -> Iterator[str]:
    from django.apps import apps

    for model in apps.get_models(include_auto_created=True):
        if model._meta.app_label in ("registry", "submissions"):
            yield model._meta.db_table
            for field in model._meta.local_concrete_fields:
                yield f"{model._meta.db_table}.{field.column}"


def tasks() -> Iterator[str]:
    from registry.celery import app

    app.loader.import_default_modules()
    yield from (name for name in app.tasks if not name.startswith("celery."))


def commands() -> Iterator[str]:
    from django.core.management import get_commands

    yield from (name for name, app in get_commands().items() if app in ("registry", "submissions"))


def metrics() -> Iterator[str]:
    text = (ROOT / "docs" / "api.md").read_text()
    yield from re.findall(r"`(highwater_[a-z_]+)", text)


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(names(), indent=1))
