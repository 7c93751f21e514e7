"""Checking before sending: with the registry's rules where they are installed here, else what can be said without."""

import json
import os
import subprocess
import sys
from collections import namedtuple

from collectors import archive, bundle
from collectors.errors import CollectorError, NetworkError, NothingCollected, UsageError

# Prints the version of the rules; fails where they, or what they need, cannot be imported.
PROBE = "import validators, validators.checks, validators.__main__; print(validators.VERSION)"
PROBE_TIMEOUT_S = 60
LEVELS = ("error", "warning", "info")


Rules = namedtuple("Rules", "version missing")
Rules.__doc__ = "The version of the rules that this Python can run; or None, and why it cannot."


def rules_here():
    """The Rules installed for this Python."""
    try:
        probe = subprocess.run(
            [sys.executable, "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Rules(None, type(error).__name__)
    if probe.returncode != 0:
        return Rules(None, last_line(probe.stderr))
    return Rules(last_line(probe.stdout), "")


def last_line(output):
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def check_here(path, options, timeout_s):
    """The JSON document of `python -m validators check`, run as a process of its own.

    Raises NetworkError if it does not end in time, UsageError if it ends without a document.
    """
    command = [sys.executable, "-m", "validators", "check", path, "--json"] + options
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        raise NetworkError("collector.timeout", f"The check did not end in {timeout_s:g} s.", "Allow more: --timeout.")
    try:
        return checked(json.loads(done.stdout.decode("utf-8")))
    except ValueError:
        raise UsageError(
            "collector.rules",
            "The rules installed here gave no answer: " + (last_line(done.stderr) or f"exit status {done.returncode}"),
            "Let the registry check it, keeping nothing: validate PATH --server",
        )


def checked(answer):
    """The document of a check; raises ValueError if it is something else."""
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), str):
        raise ValueError("not the document of a check")
    return answer


def checked_by_server(answer):
    """The document of a check that the registry made; raises NetworkError if it is something else."""
    try:
        return checked(answer)
    except ValueError:
        raise NetworkError("collector.not-the-api", "The server's answer is no check.", "Check HIGHWATER_URL.")


def check_alone(path, missing):
    """What can be said without the rules, in the shape of their document; nothing it passes is thereby valid.

    `missing` is why the rules cannot run.
    """
    findings = [not_run(missing)]
    try:
        findings += list(outside_findings(path))
    except NothingCollected as error:
        return document("unreadable", [as_finding(error)] + findings)
    except CollectorError as error:
        findings.append(as_finding(error))
    bad = any(finding["level"] == "error" for finding in findings)
    return document("invalid" if bad else "not_evaluated", findings)


def outside_findings(path):
    """Findings on size, number of files and names; raises BundleError or NothingCollected at the first that stops."""
    bundle.require_known_kind(path)
    if not bundle.is_archive(path):
        for line in bundle.remarks(bundle.scan(path)):
            yield finding("bundle.empty-folder", "info", line, "")
        return
    bundle.require_packed_size(os.path.getsize(path))
    entries = []
    bundle.require_limits(noted(archive.entries(path), entries))
    if not entries:
        raise NothingCollected("bundle.empty", f"{path} holds no file.", "Pack the folder that the benchmark wrote to.")
    for code, name in archive.unsafe_names(entries):
        yield finding(code, "error", f"{name} leads out of the archive.", "Pack the folder again.")


def noted(entries, kept):
    """Pass entries on, keeping each."""
    for entry in entries:
        kept.append(entry)
        yield entry


def not_run(missing):
    return finding(
        "collector.rules.not-run",
        "warning",
        "No rule on the results was run: no parser, score, hash, schema or list rule. Only size, number of files and "
        "names were looked at, because this Python cannot run the registry's rules: " + missing,
        "Let the registry check it, keeping nothing: validate PATH --server",
    )


def as_finding(error):
    return finding(error.code, "error", error.message, error.hint)


def with_own(answer, own):
    """The document of a check with our own findings (code, level, message, hint), each code that it lacks."""
    told = [found for found in answer.get("findings") or [] if isinstance(found, dict)]
    added = [finding(*parts) for parts in own if parts[0] not in {found.get("code") for found in told}]
    if added:
        answer["findings"] = sorted(added + told, key=lambda found: LEVELS.index(found.get("level", "info")))
    if any(found["level"] == "error" for found in added) and answer["status"] != "unreadable":
        answer["status"] = "invalid"
    return answer


def of_description(own):
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
