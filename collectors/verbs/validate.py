"""`validate`: check results without submitting them."""

from collectors import arguments, bundle, report, submission, validation
from collectors.errors import UsageError

ABOUT = "check results without submitting them"

EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list ten --json
  %(prog)s run.tar.gz --server

Uses the registry's rules where `validators` is installed for this Python. With --server the
registry checks a copy and keeps nothing.
"""


def define(verb):
    verb.add_argument("path", metavar="PATH", help="result folder, result file or archive")
    verb.add_argument("--server", action="store_true", help="let the registry check a copy; it keeps nothing")
    arguments.add_context(verb)
    arguments.add_output(verb)
    arguments.add_timeout(verb)


def run(options, progress):
    form = submission.fields(options.release, arguments.list_names(options), options.metadata)
    if options.server:
        return report.shown(check_on_server(options, form, progress), options, report.print_check)
    bundle.require_known_kind(options.path)
    rules = validation.rules_here()
    if rules.version is None:
        return report.shown(validation.check_alone(options.path, rules.missing), options, report.print_check)
    progress.note(f"checking with the rules {rules.version} installed here")
    return report.shown(
        validation.check_here(options.path, rule_options(options), options.timeout), options, report.print_check
    )


def check_on_server(options, form, progress):
    server = arguments.connect(options, progress)
    with bundle.open_for_sending(options.path, progress.note) as ready:
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc} for a check")
        return validation.checked_by_server(server.post("check/", form, ready).document)


def rule_options(options):
    """The arguments of `validators check` that stand for ours."""
    names = arguments.list_names(options)
    if len(names) > 1:
        raise UsageError("collector.list", "The rules check one list at a time.", "Give --list once, or --server.")
    pairs = [("--release", options.release), ("--list", names[0] if names else None), ("--metadata", options.metadata)]
    return [part for pair in pairs if pair[1] for part in pair]
