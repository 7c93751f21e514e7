"""Send what an import found, bundle after bundle, and tell what became of it."""

import sys
import tempfile
from collections import Counter, namedtuple
from urllib.parse import urlencode

from collectors import report
from collectors.bundle import archive_limits
from collectors.bundle.archive_limits import PackedBundle
from collectors.errors import FINDINGS, NOTHING, OK, BundleError, NetworkError, ServerRefusal, UsageError
from collectors.imports import units as import_units
from collectors.server import submission

MOST_SHOWN = 10
CLOSED_STATES = ("withdrawn", "rejected")
REPEATABLE = "What was sent stays. Run the same command again: it goes on with what is left."

Import = namedtuple("Import", "stem outputs doubled sent_before fresh")
Import.__doc__ = "What there is to do: units to send (`fresh`), and why the others are not."

Gone = namedtuple("Gone", "id outputs state")
Gone.__doc__ = "An earlier submission that is closed, or that the registry has no more; `state` is None then."


def plan_import(stem, outputs, sent):
    """The Import of these Outputs, where `sent` are the digests that the registry has already."""
    fresh, doubled, sent_before = import_units.separate_doubles(outputs.units, sent)
    return Import(stem, outputs, doubled, sent_before, fresh)


def send_all(job, server, form, journal, rows, progress):
    """Send the bundles; return what stopped it or None. Each has a row, which says of how many units it is.

    What the registry refuses ends the sending and not the report: quotas are for a day, and the rest is sent later.
    """
    waiting = list(import_units.split_into_bundles(job.fresh))
    number = 0
    while waiting:
        chosen = waiting.pop(0)
        number += 1
        try:
            document = send_bundle(job.stem, chosen, number, server, form, progress)
        except BundleError as error:
            if error.code not in ("bundle.too-large", "bundle.bomb") or len(chosen) == 1:
                return error
            half = len(chosen) // 2
            waiting[:0] = [chosen[:half], chosen[half:]]
            number -= 1
            continue
        except (NetworkError, ServerRefusal) as error:
            return error
        except OSError as error:
            return UsageError("collector.os", "%s." % (error.strerror or error), "Make room, or set TMPDIR.")
        rows.append({"id": document["id"], "outputs": len(chosen)})
        try:
            journal.note_sent(chosen, document["id"])
        except UsageError as error:
            return error
    return None


def send_bundle(stem, chosen, number, server, form, progress):
    """Pack units into one archive and upload it; return the document of the upload."""
    members = sorted((member for unit in chosen for member in unit.members), key=archive_limits.by_name)
    stream = tempfile.TemporaryFile(prefix="highwater-")
    try:
        archive_limits.write(members, stream)
        ready = PackedBundle(stream, "%s-%d.tar.gz" % (stem, number))
    except BaseException:
        stream.close()
        raise
    with ready:
        progress.note("sending %d outputs as %s, %s bytes" % (len(chosen), ready.filename, format(ready.size, ",")))
        return submission.send(server, ready, form, progress)


def look_up(rows, server, progress):
    """Wait until each is checked; what of it is not checked in time says so. Returns what stopped it, or None."""
    for row in rows:
        try:
            document = submission.wait(server, row, server.deadline, progress)
        except (NetworkError, ServerRefusal) as error:
            return error
        runs = report.list_of_dicts(document, "runs")
        row.update(
            state=document.get("state"),
            url=document.get("url"),
            shelf=shelf_address(server, document),
            runs=len(runs),
            by_tool=dict(sorted(Counter(str(run.get("tool")) for run in runs).items())),
            with_errors=sum(bool(run.get("errors")) for run in runs),
            not_read=report.list_of_dicts(document, "not_read"),
            findings=report.list_of_dicts(document, "findings"),
        )
    return None


def look_up_earlier(job, server, journal, documents):
    """(rows, Gone) of the submissions with what was sent before, of the first ones alone: where their runs are.

    `documents` are those that were looked up already, by id; they are not asked for again. What the registry does not
    answer has no row: the import does not depend on it.
    """
    counts = Counter(journal.sent[unit.digest] for unit in job.sent_before)
    rows, gone = [], []
    for submission_id in list(counts)[:MOST_SHOWN]:
        try:
            is_looked_up = submission_id in documents
            document = documents[submission_id] if is_looked_up else find_earlier(server, submission_id)
        except (NetworkError, ServerRefusal):
            continue
        state = document["state"] if document else None
        if state is None or state in CLOSED_STATES:
            gone.append(Gone(submission_id, counts[submission_id], state))
            continue
        shelf = shelf_page(server, document) if document.get("shelf_runs") else None
        row = {"id": submission_id, "outputs": counts[submission_id], "state": state, "shelf": shelf}
        rows.append(row)
    return rows, gone


def find_earlier(server, submission_id):
    """The document of an earlier submission; None where the registry has none, or the record names what is no id."""
    try:
        return submission.load_submission(server, submission.submission_path(submission_id))
    except UsageError:
        return None
    except ServerRefusal as error:
        if error.http_status in (404, 410):
            return None
        raise


def forget_gone(units, server, journal):
    """Forget what was sent of these units and is withdrawn, rejected or erased since: it is sent again.

    Returns the document of each earlier submission by its id, None where the registry has none. Raises NetworkError or
    ServerRefusal where the registry does not say what it has.
    """
    earlier = {journal.sent[unit.digest] for unit in units if unit.digest in journal.sent}
    documents = {submission_id: find_earlier(server, submission_id) for submission_id in sorted(earlier)}
    journal.forget(
        submission_id
        for submission_id, document in documents.items()
        if document is None or document["state"] in CLOSED_STATES
    )
    return documents


def shelf_address(server, document):
    """The page with the runs of a submission on the shelf; None where none of them comes there."""
    sound = [run for run in report.list_of_dicts(document, "runs") if not run.get("errors")]
    if not sound or not document.get("institution") or document.get("test") or document.get("state") != "checked":
        return None
    return shelf_page(server, document)


def shelf_page(server, document):
    return "%s/shelf/?%s" % (server.base.geturl().rstrip("/"), urlencode({"submission": document.get("id")}))


def make_summary_document(job, rows, earlier_rows, gone, stopped):
    """The report as JSON: what was found, doubled, not read, sent, and what the registry read in it."""
    sent = sum(row["outputs"] for row in rows)
    checked = [row for row in rows if "runs" in row]
    return {
        "outputs": len(job.outputs.units),
        "by_tool": dict(sorted(Counter(unit.tool for unit in job.outputs.units).items())),
        "sent": sent,
        "sent_before": len(job.sent_before),
        "not_sent": len(job.fresh) - sent,
        "doubled": [row._asdict() for row in job.doubled],
        "not_read": [row._asdict() for row in job.outputs.left_out],
        "submissions": rows,
        "submissions_before": earlier_rows,
        "gone": [row._asdict() for row in gone],
        "runs": sum(row["runs"] for row in checked),
        "runs_with_errors": sum(row["with_errors"] for row in checked),
        "stopped": stopped.as_json() if stopped is not None else None,
    }


def exit_status(document, stopped):
    """That of what stopped it; else 1 for what the registry finds wrong, 3 where there was no output at all."""
    if stopped is not None:
        return stopped.exit_status
    if not document["outputs"]:
        return NOTHING
    rows = document["submissions"]
    return FINDINGS if document["runs_with_errors"] or any(row.get("state") == "invalid" for row in rows) else OK


def print_summary(document, stream):
    """The report as text: counts, then the first names of each kind."""
    tools = ", ".join("%s %d" % pair for pair in sorted(document["by_tool"].items()))
    outputs = report.count_text(document["outputs"], "output")
    report.print_line("found    " + outputs + (": " + tools if tools else ""), stream)
    # All is sent where nothing stopped it, apart from --dry-run.
    is_trial = document["not_sent"] and document["stopped"] is None
    unsent_word = "to send" if is_trial else "not sent"
    for name, word in (("sent", "sent"), ("sent_before", "before"), ("not_sent", unsent_word)):
        if document[name] or (name == "sent" and not is_trial):
            report.print_line("%-8s %s" % (word, report.count_text(document[name], "output")), stream)
    doubles = ["%s is %s" % (row["path"], row["same_as"]) for row in document["doubled"]]
    unread = ["%s: %s" % (row["path"], row["reason"]) for row in document["not_read"]]
    for row in document["submissions"]:
        unread += ["%s: %s" % (report.place_of(entry), entry.get("reason")) for entry in row.get("not_read", ())]
    for word, lines in (("doubled", doubles), ("unread", unread)):
        if lines:
            report.print_line("%-8s %d" % (word, len(lines)), stream)
        for line in lines[:MOST_SHOWN]:
            report.print_line("         " + line, stream)
        if len(lines) > MOST_SHOWN:
            report.print_line("         and %d more; --json lists them" % (len(lines) - MOST_SHOWN), stream)
    for row in document["submissions"]:
        if "runs" in row:
            errors = ", %d with errors" % row["with_errors"] if row["with_errors"] else ""
            runs = report.count_text(row["runs"], "run")
            report.print_line("bundle   %s  %s, %s%s" % (row["id"], row["state"], runs, errors), stream)
        else:
            report.print_line("bundle   %s  not known to be checked" % row["id"], stream)
    for row in document["submissions_before"]:
        report.print_line(
            "before   %s  %s, %s" % (row["id"], row["state"], report.count_text(row["outputs"], "output")), stream
        )
    for row in document["gone"]:
        outcome = "was " + row["state"] if row["state"] else "is not there any more"
        report.print_line(
            "gone     %s  %s, %s" % (row["id"], outcome, report.count_text(row["outputs"], "output")), stream
        )
    if document["gone"]:
        report.print_line("         --again sends these outputs again", stream)
    rows = document["submissions"] + document["submissions_before"]
    shelves = [row["shelf"] for row in rows if row.get("shelf")]
    for address in shelves[:MOST_SHOWN]:
        report.print_line("shelf    " + address, stream)
    if shelves:
        report.print_line("         `list --scope own` lists the runs within a minute", stream)


def do_import(job, server, form, journal, documents, options, progress):
    """Send, wait, print; return the exit status. Raises nothing that a registry says: the report has it.

    Whoever interrupts it gets the report of what was sent until then. Raises UsageError, before anything is sent, where
    it could not be noted.
    """
    rows, earlier_rows, gone = [], [], []
    if job.fresh:
        journal.require_writable()
    try:
        stopped = send_all(job, server, form, journal, rows, progress)
        if options.wait and rows:
            stopped = look_up(rows, server, progress) or stopped
        if options.wait and stopped is None:
            earlier_rows, gone = look_up_earlier(job, server, journal, documents)
    except (KeyboardInterrupt, SystemExit):
        finish_report(job, rows, NetworkError("collector.interrupted", "Interrupted."), options, progress)
        raise
    return finish_report(job, rows, stopped, options, progress, earlier_rows, gone)


def finish_report(job, rows, stopped, options, progress, earlier_rows=(), gone=()):
    document = make_summary_document(job, rows, list(earlier_rows), gone, stopped)
    if options.json:
        report.print_json(document)
    else:
        print_summary(document, sys.stdout)
    if stopped is not None:
        progress.note("error: %s [%s]" % (stopped.message, stopped.code))
        progress.note("       " + (stopped.hint or REPEATABLE))
        progress.note("       " + REPEATABLE) if stopped.hint else None
    return exit_status(document, stopped)
