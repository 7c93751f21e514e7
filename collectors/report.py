"""Findings, scores and states as text for people. JSON for programs is printed as it came."""

import contextlib
import json
import sys

from collectors.errors import FINDINGS, NOTHING, OK
from collectors.progress import printable

LEVELS = ("error", "warning", "info")
MEASUREMENTS_SHOWN = 6
# The registry read no further, because it would have kept a key or a token.
REFUSED_UNREAD = "bundle.secret"


def findings_of(document):
    """All findings of a check or of a submission, worst first; those of the archive before those of its runs."""
    found = list_of_dicts(document, "findings")
    for run in list_of_dicts(document, "runs"):
        found += list_of_dicts(run, "findings")
    return sorted(found, key=severity)


def list_of_dicts(document, key):
    values = document.get(key)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def severity(finding):
    level = finding.get("level")
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def exit_status(document):
    """1 if anything is an error or the state is invalid, 3 if nothing was recognised or no rule ran, else 0."""
    refused = any(finding.get("code") == REFUSED_UNREAD for finding in findings_of(document))
    if document.get("status") in ("unreadable", "not_evaluated") and not refused:
        return NOTHING
    if "invalid" in (document.get("state"), document.get("status")):
        return FINDINGS
    return FINDINGS if any(finding.get("level") == "error" for finding in findings_of(document)) else OK


def print_findings(document, stream):
    for finding in findings_of(document):
        print_finding(finding, stream)


def print_finding(finding, stream):
    head = "{:8}{}".format(finding.get("level", "?"), finding.get("code", "?"))
    lines = [head + ("  " + finding["where"] if finding.get("where") else ""), finding.get("message")]
    if finding.get("expected") or finding.get("actual"):
        lines.append("expected {}, found {}".format(finding.get("expected") or "-", finding.get("actual") or "-"))
    if finding.get("hint"):
        lines.append("do: " + finding["hint"])
    for number, line in enumerate(line for line in lines if line):
        show(("        " if number else "") + line, stream)


def print_rules(run, document, stream):
    """Rules that a run violates without a finding of the document that says so."""
    found = [str(finding.get("code")) for finding in findings_of(document)]
    for rule in list_of_dicts(run, "rules"):
        code = str(rule.get("code"))
        if rule.get("outcome") == "violated" and not any(one.startswith(code) for one in found):
            show("rule    {} violated: {}".format(code, rule.get("why")), stream)


def print_submission(document, stream):
    """Findings worst first, then rules, scores, state and address of one submission."""
    print_findings(document, stream)
    print_rules(document, document, stream)
    print_scores(document, stream)
    show("state   {}  (submission {})".format(document.get("state"), document.get("id")), stream)
    if document.get("url"):
        show("url     {}".format(document["url"]), stream)


def print_check(document, stream):
    """Findings worst first, then the runs with their scores, and the verdict."""
    print_findings(document, stream)
    runs = list_of_dicts(document, "runs")
    for index, run in enumerate(runs):
        counts = " (the run that counts)" if len(runs) > 1 and index == document.get("primary") else ""
        show(
            "run     {} {} {}{}".format(run.get("tool"), run.get("version") or "", run.get("path") or "", counts),
            stream,
        )
        print_rules(run, document, stream)
        print_scores(run, stream)
    show("status  {}".format(document.get("status")), stream)


def print_scores(document, stream):
    scores = document.get("scores")
    for name, score in sorted(scores.items()) if isinstance(scores, dict) else ():
        show(f"score   {score_line(name, score)}", stream)
    if not scores:
        print_measured(list_of_dicts(document, "measurements"), stream)


def print_measured(measurements, stream):
    """The first measurements of a run without a score, as printed by its tool; the page has them all."""
    for measurement in measurements[:MEASUREMENTS_SHOWN]:
        what = " ".join(str(measurement.get(name, "")) for name in ("op", "quantity", "stat"))
        show(
            "found   {} {} {}".format(
                what, figure(measurement.get("printed_value")), measurement.get("printed_unit", "")
            ),
            stream,
        )
    more = len(measurements) - MEASUREMENTS_SHOWN
    if more > 0:
        show(f"        and {more} more measurements", stream)


def score_line(name, score):
    if not isinstance(score, dict):
        return f"{name} {score}"
    parts = [("bandwidth_gib_per_s", "GiB/s"), ("rate_kiops", "kIOPS")]
    halves = ", ".join(f"{figure(score[key])} {unit}" for key, unit in parts if score.get(key) is not None)
    return "{} {}".format(name, figure(score.get("value"))) + (f" ({halves})" if halves else "")


def figure(value):
    """A number with the nine digits that published scores have at most, anything else as it is."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def print_list(submissions, stream):
    """One line per submission: id, state, and what it is called."""
    for submission in submissions:
        line = "{:<12} {:<18} {}".format(
            str(submission.get("id")),
            str(submission.get("state")),
            submission.get("url") or submission.get("sha256") or "",
        )
        show(line.rstrip(), stream)


def show(text, stream):
    stream.write(printable(text, stream) + "\n")


def shown(document, options, print_text):
    """Print a document as asked for; return the exit status it means."""
    if options.json:
        print_json(document)
    else:
        print_text(document, sys.stdout)
    return exit_status(document)


def print_json(document):
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        sys.stdout.flush()
