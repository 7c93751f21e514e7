"""What is done with hostile bytes, and in the cage alone. Each job takes paths and JSON, and gives JSON.

Nothing in here may import Django: the process that loads this module must never hold a secret (a test looks).
"""

from __future__ import annotations

import base64
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import validators
from submissions.bundles import scrubbing
from submissions.bundles.cage import archive_view, plain_json
from validators import benchmarks, catalogue, schema
from validators.bundle import Bundle, BundleError, StoredFile, open_bundle, secret_scan
from validators.checks import check, read_files
from validators.findings import Finding
from validators.scrubbing import late_patterns
from validators.system import facts

MANIFEST_BYTES = 4 * 1024 * 1024
"""Of the manifest of a bag that is signed."""


def check_bundle(paths: Sequence[Path], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Check a bundle: `report`, `read_files`, and `system` (sha256, document, summary) or None.

    The first path is the bundle. `extra_files` are names and sha256 of the others; `check` is what
    `validators.checks.check` takes beside them.
    """
    options = {**arguments["check"], "extra_files": _extra_files(paths, arguments)}
    report = check(paths[0], **options)
    system = None
    if report.system is not None:
        document = plain_json.to_jsonb_safe(report.system.document)
        system = {"sha256": report.system.sha256, "summary": facts.summary(document), "document": document}
    return {"report": report.as_json(), "system": system, "read_files": sorted(report.read_files)}


def signed_manifest(paths: Sequence[Path], arguments: Mapping[str, Any]) -> str | None:
    """The bytes that a signature of the bundle covers, in base64; None for what is no bag, or does not open."""
    try:
        with open_bundle(paths[0]) as opened:
            named = [path for path in opened.files if path.rpartition("/")[2] == "manifest-sha256.txt"]
            top = min((path for path in named if path.count("/") <= 1), key=len, default=None)
            return None if top is None else base64.b64encode(opened.read(top, MANIFEST_BYTES)).decode()
    except BundleError:
        return None


def find_secrets(paths: Sequence[Path], arguments: Mapping[str, Any]) -> list[dict[str, str]]:
    """Findings `bundle.secret` in stored files, each opened alone; `files` are their names and sha256.

    `partly`: what can be read of a damaged file is searched. Raises BundleError otherwise.
    """
    findings: list[Finding] = []
    for path, file in zip(paths, arguments["files"], strict=True):
        with open_bundle(path, name=file["name"], sha256=file["sha256"], partly=arguments["partly"]) as bundle:
            findings += secret_scan.scan(bundle, arguments["cleared"])
    return [finding.as_json() for finding in findings]


def scrub_bundle(paths: Sequence[Path], arguments: Mapping[str, Any], out: BinaryIO) -> dict[str, Any]:
    """Write the scrubbed copy to `out`; the ScrubResult. `read` None: what a check of today reads is shown."""
    agreed, read = frozenset(arguments["agreed"]), arguments["read"]

    def choose(bundle: Bundle) -> frozenset[str]:
        return agreed | (read_files(bundle) if read is None else frozenset(read))

    extra_files = _extra_files(paths, arguments)
    scrubbed = scrubbing.derive_copy(paths[0], out, name=arguments["name"], extra_files=extra_files, choose=choose)
    return scrubbed.as_json()


def look_into(paths: Sequence[Path], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What people look at in a bundle: `look` is the name of one of LOOKS, the other arguments are for it."""
    return archive_view.view_bundle(LOOKS[arguments["look"]], paths, arguments)


LOOKS = {
    look.__name__: look
    for look in (archive_view.list_files, archive_view.read_lines, archive_view.offer_texts, archive_view.require_texts)
}


def warm_up() -> None:
    """Load all that a job may need: it can open no file of ours later. Samples of each benchmark fill what is lazy."""
    for part in pkgutil.walk_packages(validators.__path__, "validators."):
        if part.name.rpartition(".")[2] not in ("__main__", "older_python"):
            importlib.import_module(part.name)
    for name in ("compression.zstd", "zstandard", "encodings.cp437", "encodings.utf_16", "encodings.idna", "_strptime"):
        with suppress(ImportError):
            importlib.import_module(name)
    late_patterns.compile_all()
    for name in schema.schemas():
        list(schema.each_error({}, name))
    for name, module in list(sys.modules.items()):
        if name.startswith("validators."):
            _fill_caches(module)
    for sample in sorted(Path(*benchmarks.__path__).glob("*/samples/*")):
        check(sample, metadata={"note": "warm"})
    for benchmark in catalogue.benchmarks():
        benchmark.rules, benchmark.findings  # noqa: B018  # loads the modules of the benchmark


def _fill_caches(module: ModuleType) -> None:
    """Call what a module loads once and keeps: its cached functions without a parameter."""
    for value in vars(module).values():
        if hasattr(value, "cache_info") and not inspect.signature(value).parameters:
            value()


def _extra_files(paths: Sequence[Path], arguments: Mapping[str, Any]) -> dict[str, StoredFile]:
    named = zip(arguments["extra_files"], paths[1:], strict=True)
    return {file["name"]: StoredFile(path, file["sha256"]) for file, path in named}
