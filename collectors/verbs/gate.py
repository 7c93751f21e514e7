"""`gate`: is a run worse than a baseline? For scripts and CI."""

import argparse
import contextlib
import os
import sys

from collectors import report
from collectors.errors import FINDINGS, OK, ServerRefusal, UsageError
from collectors.files import write_whole
from collectors.gate import judgement, reading, reports
from collectors.server import ids, submission
from collectors.server import options as server_options

ABOUT = "decide whether a run is worse than a baseline: exit 0 no, 1 worse, 5 unknown"

EXAMPLES = """examples:
  %(prog)s results --baseline good.json
  %(prog)s results --baseline 784c6d71 --junit gate.xml --markdown gate.md
  %(prog)s 1c2e7b40 --baseline 52f0a9d3
  %(prog)s results --baseline hw-7
  %(prog)s results --baseline fjord
  %(prog)s results --baseline fjord --scope own --nodes 4
  %(prog)s 784c6d71 --baseline results/before --tolerance 5

The baseline is a result (folder, file, archive, or what `validate --json` printed), the public id of a result, the
id of a submission or of a run on your shelf (`list --scope own` shows them), or the name of a system. The last
runs of a system predict the values: published runs, and with --scope own those on your shelf. The variation of a
metric is known from three values, or five of a system. With fewer the exit status is 5, unless --tolerance gives
the loss in percent that is acceptable. Runs with other settings are not compared. --nodes gives the number of
client nodes if the output of the run does not contain it.
"""

CANNOT_TELL = 5
FEWEST_OF_SYSTEM = 5
STATUS = {judgement.WORSE: FINDINGS, judgement.UNKNOWN: CANNOT_TELL}


def define(verb):
    verb.add_argument("target", metavar="PATH|ID", help="the run: a result, or the id of a submission or result")
    verb.add_argument(
        "--baseline", metavar="ID|SYSTEM|PATH", required=True, help="the result or system to compare with"
    )
    verb.add_argument(
        "--fail-on",
        metavar="worse",
        choices=("worse",),
        default="worse",
        help="the verdict that ends with status 1 (worse, the default)",
    )
    verb.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=parse_percent,
        help="accept a loss up to this; without repeats it alone decides",
    )
    verb.add_argument(
        "--nodes", metavar="N", type=parse_nodes, help="client nodes of the run, if its output does not contain them"
    )
    verb.add_argument("--junit", metavar="FILE", help="write JUnit XML to this file")
    verb.add_argument("--markdown", metavar="FILE", help="write a Markdown table to this file")
    server_options.add_scope(verb, "whose runs of a system predict the values")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def parse_percent(text):
    """A share of 1. Raises ArgumentTypeError for less than 0, from 100 on, and what is no number."""
    with contextlib.suppress(ValueError):
        if 0 <= float(text) < 100:
            return float(text) / 100
    raise argparse.ArgumentTypeError("a number from 0 to below 100, without %% (it is %r)" % text)


def parse_nodes(text):
    """A count of nodes. Raises ArgumentTypeError for less than one, and what is no whole number."""
    with contextlib.suppress(ValueError):
        if int(text) >= 1:
            return int(text)
    raise argparse.ArgumentTypeError("a whole number from 1 on (it is %r)" % text)


def run(options, progress):
    now = read_run(options.target, options, progress)
    now = now if options.nodes is None else with_nodes(now, options.nodes)
    before, fewest = read_baseline(options.baseline, now, options, progress)
    verdict, rows, notes = judge_run(now, before, fewest, options.tolerance)
    document = reports.as_document(now, before, verdict, rows, notes)
    if options.junit:
        write_whole(options.junit, reports.as_junit(document))
    if options.markdown:
        write_whole(options.markdown, reports.as_markdown(document))
    if options.json:
        report.print_json(document)
    else:
        reports.print_text(document, sys.stdout)
    return STATUS.get(verdict, OK)


def judge_run(now, before, fewest, tolerance):
    """(verdict, rows, notes): of runs that are no evidence or not alike nothing is told."""
    notes = ["%s: %s" % (run.name, run.trouble) for run in (now, before) if run.trouble]
    if now.tool != before.tool:
        notes.append("these are results of %s and of %s" % (now.tool, before.tool))
    elif before.settings is not None:
        differing, unknown, paths_differ = reading.compare_settings(now.tool, before.settings, now.settings)
        if differing:
            notes.append("settings differ: " + ", ".join(differing))
        if unknown:
            notes.append("settings are known of one alone: " + ", ".join(unknown))
        blocking = len(notes)
        notes += ["these differ, and may be paths alone: " + ", ".join(paths_differ)] if paths_differ else []
        return judge_metrics(now, before, fewest, tolerance, notes, blocking)
    return judge_metrics(now, before, fewest, tolerance, notes, len(notes))


def judge_metrics(now, before, fewest, tolerance, notes, blocking):
    metrics = sorted(set(now.metrics) | set(before.metrics))
    pairs = [(before.metrics.get(metric, []), now.metrics.get(metric, [])) for metric in metrics]
    quantities = reading.index_quantities()
    higher = [quantities[metric.quantity].higher_is_better for metric in metrics]
    judged = judgement.judge_metrics(pairs, higher, fewest, tolerance)
    if blocking:
        why = notes[0]
        judged = [judgement.Judged(judgement.UNKNOWN, row.ratio, None, why) for row in judged]
    rows = [(metric, earlier, new, row) for metric, (earlier, new), row in zip(metrics, pairs, judged)]
    return judgement.combine_verdicts(judged), rows, notes


def read_run(target, options, progress):
    """The Run that a path or an id means. Raises UsageError for neither."""
    if os.path.lexists(target):
        return reading.read_check(reading.run_check(target, options.timeout, progress), target)
    if ids.is_public(target):
        server = server_options.connect_as_reader(options, progress)
        return reading.read_record(submission.load_object(server, "results/%s/" % target), target)
    if ids.is_beginning(target):
        server = server_options.connect(options, progress)
        return reading.read_record(load_run(server, target), target)
    raise UsageError("collector.path", "%s is no file, folder or id." % target)


def with_nodes(run, nodes):
    """The Run with its client nodes as they were given. Raises UsageError where it says another number itself."""
    own_nodes = run.settings.get("client_nodes")
    if own_nodes not in (None, nodes):
        raise UsageError(
            "collector.gate.nodes",
            "%s says itself that it has %s client nodes." % (run.name, own_nodes),
            "Leave --nodes out.",
        )
    return run._replace(settings=dict(run.settings, client_nodes=nodes))


def load_run(server, text):
    """The document of a submission, or of one run on the shelf, that an id or its beginning means.

    Raises UsageError where it means none or several, ServerRefusal where the registry has none.
    """
    if ids.is_of_run(text):
        return submission.load_object(server, "shelf/%s/" % text.lower())
    try:
        return submission.load_submission(server, submission.find_path(server, text))
    except (UsageError, ServerRefusal) as missing:
        return submission.load_object(server, "shelf/%s/" % ids.find_shelved(server, text, missing))


def read_baseline(text, now, options, progress):
    """(Run, how many values it takes) of the baseline: a result, or the history of a system.

    Raises UsageError for what can be neither, ServerRefusal where the registry does not answer it.
    """
    if os.path.lexists(text) or ids.is_beginning(text):
        if options.scope:
            raise UsageError("collector.scope", "--scope is for a system, and %s is none." % text, "Leave it out.")
        return read_run(text, options, progress), judgement.FEWEST
    if ids.is_public(text) and not options.scope:
        try:
            return read_run(text, options, progress), judgement.FEWEST
        except ServerRefusal as error:
            if error.http_status != 404:
                raise
    if not ids.is_slug(text):
        raise UsageError("collector.id", "%s is no file, id or name of a system." % text)
    scope = server_options.asked_scope(options)
    server = server_options.connect_to_ask(options, progress)
    document = submission.load_object(
        server, "systems/%s/history/" % text, None if scope == server_options.PUBLIC else {"scope": scope}
    )
    before = reading.read_history(document, now, "earlier runs of " + text)
    if not before.metrics and not before.trouble:
        trouble = "no earlier run of these settings and client nodes is known"
        if "client_nodes" not in now.settings:
            trouble += "; the run does not say its client nodes: give them with --nodes"
        before = before._replace(trouble=trouble)
    return before, FEWEST_OF_SYSTEM
