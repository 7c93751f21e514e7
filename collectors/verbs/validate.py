"""`validate`: check results without submitting them."""

import os
import sys

from collectors import files, report
from collectors.bundle import archive_limits, description_check, offline_rules, validation, verification
from collectors.errors import CollectorError, UsageError
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "check results without submitting them"

EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list ten --json
  %(prog)s run.tar.gz --server
  %(prog)s system.json

In a bundle, `validate` checks every file against its checksum and the system document against its
schema. The registry's rules are part of this program and need Python 3.9 or later. An older Python looks
for a newer one to run them. If there is none, it names every rule that did not run and ends with 3.
With --server the registry checks a copy and stores nothing.
"""


def define(verb):
    verb.add_argument("path", metavar="PATH", help="result folder, result file, bundle, archive or system.json")
    verb.add_argument("--server", action="store_true", help="let the registry check a copy; it stores nothing")
    server_options.add_context(verb)
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    form = submission.fields(options.release, server_options.list_names(options), options.metadata)
    if options.server:
        return report.print_document(check_on_server(options, form, progress), options, report.print_check)
    archive_limits.require_supported_kind(options.path)
    return report.print_document(check_here(options, progress), options, report.print_check)


def check_here(options, progress):
    """What can be said without the registry: of a description by itself; of results by the rules that come along."""
    described = description_check.findings(options.path) if description_check.is_description(options.path) else None
    may_be_output = bool(described) and described[0][0] in description_check.OF_OUTPUTS_TOO
    if described is not None and not may_be_output:
        return validation.document_of_findings(described)
    rules = offline_rules.rules_here()
    if rules.version is None:
        answer = validation.check_alone(options.path, rules.missing, offline_rules.list_rules())
    else:
        by = "" if rules.python == sys.executable else " by " + rules.python
        progress.note(f"checking with the registry's rules {rules.version}, on this machine{by}")
        answer = offline_rules.check_here(rules.python, options.path, rule_options(options), options.timeout)
    if may_be_output and not answer.get("runs"):
        return validation.document_of_findings(described)
    return validation.add_findings(answer, bag_findings(options.path))


def bag_findings(path):
    """What is wrong with the bag that PATH is, or why it cannot be read to its end."""
    if os.path.isfile(path) and not files.is_archive(path):
        return []
    try:
        return verification.findings(path) or []
    except CollectorError as error:
        return [(error.code, "error", error.message, error.hint)]


def check_on_server(options, form, progress):
    server = server_options.connect(options, progress)
    with archive_limits.open_for_sending(options.path, progress.note) as ready:
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc} for a check")
        return validation.checked_by_server(server.post("check/", form, ready).document)


def rule_options(options):
    """The arguments of `validators check` that stand for ours. Raises UsageError for more than one list."""
    names = server_options.list_names(options)
    if len(names) > 1:
        raise UsageError("collector.list", "The rules check one list at a time.", "Give --list once, or --server.")
    pairs = [("--release", options.release), ("--list", names[0] if names else None), ("--metadata", options.metadata)]
    return [part for pair in pairs if pair[1] for part in pair]
