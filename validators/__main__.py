"""Check results without a server: `python -m validators check PATH`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from validators import VERSION, benchmark_docs, catalogue, recipes
from validators.checks import check
from validators.findings import Finding, has_error
from validators.measurements import VIOLATED, Run
from validators.reproduction import agreement
from validators.runs.report import UNREADABLE, Report

OK, FOUND_ERRORS, USAGE, NOT_RECOGNISED = 0, 1, 2, 3
CUT_SHORT = 141
"""As a shell reports a command that SIGPIPE ended."""
_METADATA_BYTES = 1024 * 1024

_EPILOG = """examples:
  python -m validators check results/2025.10.01-09.00.00
  python -m validators check run.tar.gz --json --metadata metadata.json
  python -m validators check run.tgz --release SC25 --list production
  python -m validators reproduce run.tgz
  python -m validators rules
  python -m validators describe mdtest
  python -m validators agree < values.json

exit status: 0 no error finding, 1 error findings, 2 usage, 3 nothing recognised or unreadable
"""


class UsageError(Exception):
    """The command line asks for something that isn't there."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status: that of the command, USAGE or CUT_SHORT."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except (UsageError, LookupError) as error:
        print(f"validators: {error.args[0]}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CUT_SHORT
    except OSError as error:
        print(f"validators: {error.filename or options.path}: {error.strerror}", file=sys.stderr)
        return USAGE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m validators",
        description="Check benchmark results as the registry would, without a server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=VERSION)
    verbs = parser.add_subparsers(metavar="VERB", required=True)

    checking = verbs.add_parser("check", help="say what was found in a file, a result folder or an archive")
    _takes_results(checking)
    checking.add_argument("--json", action="store_true", help="the whole report as JSON on stdout")
    checking.set_defaults(run=_check)

    listing = verbs.add_parser("rules", help="list every rule: code, level, text, source")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_rules, path="")

    describing = verbs.add_parser(
        "describe", help="what is read of a benchmark, and what its numbers mean, as Markdown"
    )
    describing.add_argument("tool", metavar="TOOL", nargs="?", help="without it, the names of all")
    describing.set_defaults(run=_describe, path="")

    reproducing = verbs.add_parser("reproduce", help="show how each score is computed from its phases")
    _takes_results(reproducing)
    reproducing.set_defaults(run=_reproduce)

    agreeing = verbs.add_parser("agree", help="hold values of new runs against original ones: JSON in, JSON out")
    agreeing.set_defaults(run=_agree, path="")
    return parser


def _takes_results(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("path", metavar="PATH", help="raw output file, result folder, .tar .tar.gz .tgz .zip, or bundle")
    verb.add_argument("--benchmark", metavar="TOOL", help="look for this tool only")
    verb.add_argument("--release", metavar="R", help="the release aimed at, for rules that depend on it")
    verb.add_argument("--list", metavar="L", dest="list_name", help="the list aimed at")
    verb.add_argument("--metadata", metavar="FILE", help="JSON that goes with the upload (schema metadata.1)")


def _check(options: argparse.Namespace) -> int:
    report = _report(options)
    if options.json:
        json.dump(report.as_json(), sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        _print_report(report)
    return _exit_status(report)


def _reproduce(options: argparse.Namespace) -> int:
    report = _report(options)
    for run in report.runs:
        print(f"{run.tool} {run.version} in {run.path or 'the root'}")
        print("\n".join(f"  {line}" for line in catalogue.benchmark(run.tool).explain(run)))
        _print_evidence(run)
    if not report.runs:
        _print_findings(report.findings)
    return _exit_status(report)


def _agree(options: argparse.Namespace) -> int:
    """`{"run", "rows": [{"quantity", "original": [...], "new": [...]}]}` on standard input, by canonical names.

    `run` is the new one as a report has it; the answer has its recipe, too.
    """
    try:
        question = json.load(sys.stdin)
        run, rows = question["run"], question["rows"]
        answer = agreement.judge_rows(run["tool"], rows) | {"recipe": _recipe_of(run)}
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise UsageError("agree: no question in JSON on standard input") from error
    json.dump(answer, sys.stdout)
    print()
    return OK


def _recipe_of(run: dict[str, Any]) -> dict[str, Any]:
    names = ("tool", "version", "mode", "client_nodes", "tasks", "parameters", "tests")
    return recipes.write_recipe(recipes.Facts(*(run[name] for name in names)), run["given_options"])


def _rules(options: argparse.Namespace) -> int:
    rules = [rule.as_json() for rule in catalogue.rules()]
    if options.json:
        json.dump(rules, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        for rule in rules:
            print(f"{rule['code']}  [{rule['level']}]\n  {rule['text']}\n  Source: {rule['source']}\n")
    return OK


def _describe(options: argparse.Namespace) -> int:
    if options.tool:
        print(benchmark_docs.benchmark_page(catalogue.benchmark(options.tool)), end="")
    else:
        for benchmark in catalogue.benchmarks():
            print(f"{benchmark.tool:<18}{benchmark.descriptor['name']}")
    return OK


def _report(options: argparse.Namespace) -> Report:
    return check(
        options.path,
        benchmark=options.benchmark,
        release={"slug": options.release} if options.release else None,
        list_name=options.list_name,
        metadata=_metadata(options.metadata),
    )


def _metadata(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    path = Path(name)
    if path.stat().st_size > _METADATA_BYTES:
        raise UsageError(f"{path}: more than {_METADATA_BYTES} bytes")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UsageError(f"{path}: must hold a JSON object")
    return document


def _exit_status(report: Report) -> int:
    """1 for any error finding, of whichever run; 3 without a run."""
    if report.status == UNREADABLE:
        return NOT_RECOGNISED
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    return FOUND_ERRORS if has_error(findings) else OK


def _print_report(report: Report) -> None:
    _print_findings(report.findings)
    for index, run in enumerate(report.runs):
        counts = "  (counts)" if index == report.primary and len(report.runs) > 1 else ""
        lines = f", lines {run.lines[0]} to {run.lines[1]}" if run.lines else ""
        print(
            f"{_printable(run.tool)} {_printable(run.version)} in {_printable(run.path) or 'the root'}{lines}{counts}"
        )
        _print_scores(run)
        _print_findings(run.findings)
        _print_rules(run)
        _print_evidence(run)
    for entry in report.not_read:
        lines = f", lines {entry['lines']['first']} to {entry['lines']['last']}" if entry["lines"] else ""
        looks_like = f"looks like {entry['looks_like']}; " if entry["looks_like"] else ""
        print(f"not read: {_printable(entry['path'])}{lines}: {looks_like}{_printable(entry['reason'])}")
    print(report.status)


def _print_rules(run: Run) -> None:
    """How many rules came out how, and those that are violated."""
    outcomes = [outcome.outcome for outcome in run.rules]
    counted = ", ".join(f"{outcomes.count(word)} {word.replace('_', ' ')}" for word in sorted(set(outcomes)))
    print(f"  rules: {counted or 'none'}")
    for outcome in run.rules:
        if outcome.outcome == VIOLATED:
            print(f"    violated {outcome.code}: {_printable(outcome.why)}")


def _print_evidence(run: Run) -> None:
    """How many kinds of evidence agree, what nothing confirms, what contradicts; nothing for a tool without kinds."""
    if not run.evidence_outcomes:
        return
    agreeing, unconfirmed = catalogue.evidence_lines(run)
    print(f"  evidence: {agreeing}\n    {_printable(unconfirmed)}")
    for kind in run.evidence_outcomes["kinds"]:
        if kind["outcome"] == "contradicts":
            print(f"    contradicts {kind['code']}  {_printable(kind['where'])}")


def _print_scores(run: Run) -> None:
    for name, score in run.scores.items():
        if score["value"] is None:
            print(f"  {name} none: a phase is missing")
            continue
        halves = f"{score['bandwidth_gib_per_s']:.6f} GiB/s, {score['rate_kiops']:.6f} kIOPS"
        printed_text = "not printed" if score["printed"] is None else f"printed {score['printed']:g}"
        print(f"  {name} {score['value']:.6f} ({halves}; {printed_text})")


def _print_findings(findings: Iterable[Finding]) -> None:
    for finding in findings:
        print(f"  {finding.level:<7} {finding.code}  {_printable(finding.where)}")
        print(f"          {_printable(finding.message)}")
        if finding.expected or finding.actual:
            expected, actual = _printable(finding.expected) or "nothing", _printable(finding.actual) or "nothing"
            print(f"          expected {expected}, found {actual}")
        if finding.hint:
            print(f"          To do: {_printable(finding.hint)}")


def _printable(text: str) -> str:
    """Text from inside a bundle, without characters that would steer a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


if __name__ == "__main__":
    sys.exit(main())
