"""Checking before sending, where the registry's rules cannot run: what can be said without them, and that."""

import os

from collectors import files
from collectors.bundle import archive, archive_limits
from collectors.bundle.offline_rules import require_check_document
from collectors.errors import CollectorError, NetworkError, NothingCollected

LEVELS = ("error", "warning", "info")


def checked_by_server(answer):
    """The document of a check that the registry made; raises NetworkError if it is something else."""
    try:
        return require_check_document(answer)
    except ValueError:
        raise NetworkError("collector.not-the-api", "The server's answer is no check.", "Check HIGHWATER_URL.")


def check_alone(path, missing, rules):
    """What can be said without the rules, in the shape of their document; what it passes is `not_evaluated`.

    `missing` is why the rules cannot run. Each of `rules` is named as one that did not.
    """
    findings = [not_run(missing)]
    try:
        findings += list(outside_findings(path))
    except NothingCollected as error:
        return dict(document("unreadable", [as_finding(error)] + findings), rules_not_run=rules)
    except CollectorError as error:
        findings.append(as_finding(error))
    bad = any(finding["level"] == "error" for finding in findings)
    return dict(document("invalid" if bad else "not_evaluated", findings), rules_not_run=rules)


def outside_findings(path):
    """Findings on size, number of files and names; raises BundleError or NothingCollected at the first that stops."""
    archive_limits.require_supported_kind(path)
    if not files.is_archive(path):
        for line in archive_limits.remarks(archive_limits.scan(path)):
            yield finding("bundle.empty-folder", "info", line, "")
        return
    archive_limits.require_packed_size(os.path.getsize(path))
    entries = []
    archive_limits.require_limits(collect_entries(archive.entries(path), entries))
    if not entries:
        raise NothingCollected("bundle.empty", f"{path} holds no file.", "Pack the folder that the benchmark wrote to.")
    for code, name in archive.unsafe_names(entries):
        yield finding(code, "error", f"{name} leads out of the archive.", "Pack the folder again.")


def collect_entries(entries, collected_entries):
    """Pass entries on, keeping each."""
    for entry in entries:
        collected_entries.append(entry)
        yield entry


def not_run(missing):
    return finding(
        "collector.rules.not-run",
        "warning",
        "No rule on the results was run: no parser, score, hash, schema or list rule. Only size, number of files and "
        "names were looked at. The registry's rules cannot run here: " + missing + ".",
        "Run the same command with a newer Python, or let the registry check a copy: validate PATH --server",
    )


def as_finding(error):
    return finding(error.code, "error", error.message, error.hint)


def add_findings(answer, own):
    """The document of a check with our own findings (code, level, message, hint), each code that it lacks."""
    existing_findings = [entry for entry in answer.get("findings") or [] if isinstance(entry, dict)]
    added = [finding(*parts) for parts in own if parts[0] not in {entry.get("code") for entry in existing_findings}]
    if added:
        answer["findings"] = sorted(
            added + existing_findings, key=lambda entry: LEVELS.index(entry.get("level", "info"))
        )
    if any(entry["level"] == "error" for entry in added) and answer["status"] != "unreadable":
        answer["status"] = "invalid"
    return answer


def document_of_findings(own):
    """The document of a check that found these things in a description of a system, and nothing else."""
    return document("invalid" if own else "valid", [finding(*parts) for parts in own])


def finding(code, level, message, hint):
    return {
        "code": code,
        "level": level,
        "message": message,
        "hint": hint,
        "where": "",
        "expected": "",
        "actual": "",
    }


def document(status, findings):
    return {"status": status, "primary": None, "findings": findings, "runs": []}
