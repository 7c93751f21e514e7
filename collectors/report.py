"""Findings, scores and states as text for people. JSON for programs is printed as it came."""

import contextlib
import json
import sys

from collectors.errors import FINDINGS, NOTHING, OK
from collectors.progress import print_line, printable

LEVELS = ("error", "warning", "info")
MOST_MEASUREMENTS = 6
MOST_UNREAD = 10
MOST_RUNS = 10
FEWEST_REPEATS = 3
# Of runs that vary by 1 %: exp(sqrt(2) x Student's t x 0.01), t of three runs 4.303 and of five 2.776.
REPEAT_HINT = (
    "run it three times with the same settings and upload all outputs together: then its range is known.",
    "Where runs vary by 1 %, three of each tell a change of 6.3 % from chance, five of each one of 4.0 %.",
)
RANK_WORDS = {"can": "could rank", "cannot": "cannot rank", "unknown": "cannot be told"}
# The registry read no further, because it would have kept a key or a token.
REFUSED_UNREAD = "bundle.secret"


def findings_of(document):
    """All findings of a check or of a submission, worst first; those of the archive before those of its runs."""
    all_findings = list_of_dicts(document, "findings")
    for run in list_of_dicts(document, "runs"):
        all_findings += list_of_dicts(run, "findings")
    return sorted(all_findings, key=severity)


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
        print_line(("        " if number else "") + line, stream)


def print_rules(run, document, stream):
    """Rules that a run violates without a finding of the document that says so."""
    finding_codes = [str(finding.get("code")) for finding in findings_of(document)]
    for rule in list_of_dicts(run, "rules"):
        code = str(rule.get("code"))
        if rule.get("outcome") == "violated" and not any(
            finding_code.startswith(code) for finding_code in finding_codes
        ):
            print_line("rule    {} violated: {}".format(code, rule.get("why")), stream)


def print_submission(document, stream):
    """Findings worst first, then rules, scores, state and address of one submission."""
    print_findings(document, stream)
    print_rules(document, document, stream)
    print_scores(document, stream)
    print_unread(document, stream)
    print_repeat_hint(document, [document], document.get("primary"), stream)
    print_prospects(document, stream)
    print_choice(document, stream)
    print_state(document, stream)


def print_choice(document, stream):
    """The runs of an upload of which none counts yet, by the numbers that `submit --run` takes."""
    runs = list_of_dicts(document, "runs")
    if document.get("primary") is not None or document.get("state") != "checked" or len(runs) < 2:
        return
    for number, run in enumerate(runs[:MOST_RUNS]):
        print_line("run     {}  {} {}".format(number, run.get("tool"), run.get("path")), stream)
    if len(runs) > MOST_RUNS:
        print_line("        and {} more; --json lists them".format(len(runs) - MOST_RUNS), stream)
    print_line("choose  one run counts for lists: `submit ID --run N`; its page says first where it could rank", stream)


def print_prospects(document, stream):
    """Where the run could rank, and why not: on the chosen lists, where some are chosen, else on all.

    Nothing where the registry does not say.
    """
    if not isinstance(document.get("could_rank"), list):
        return
    prospects = list_of_dicts(document, "could_rank")
    lists = document.get("lists")
    chosen = [row for row in prospects if isinstance(lists, list) and row.get("name") in lists]
    for prospect in chosen or prospects:
        outcome = str(prospect.get("outcome"))
        facts = ", ".join(str(prospect[name]) for name in ("fact", "source") if prospect.get(name))
        line = "list    {}: {}".format(prospect.get("name"), RANK_WORDS.get(outcome, outcome))
        if prospect.get("why"):
            line += ". {}{}".format(prospect["why"], " ({})".format(facts) if facts else "")
        print_line(line, stream)
        needs = prospect.get("needs")
        for need in needs if isinstance(needs, list) else ():
            print_line("        needs: {}".format(need), stream)
    if chosen and len(chosen) < len(prospects):
        others = ", ".join(str(row.get("name")) for row in prospects if row not in chosen)
        print_line("list    not chosen: {}; --json has them".format(others), stream)
    if not prospects and document.get("tool"):
        print_line("list    no open release ranks results of {}".format(document["tool"]), stream)


REVIEW_WORDS = {"changes_requested": "asks for changes", "rejected": "rejected it"}


def print_review(document, stream):
    """Of a submission that a reviewer sent back or rejected: who did, when and why."""
    reviews = list_of_dicts(document, "reviews")
    if document.get("state") in REVIEW_WORDS and reviews:
        newest = max(reviews, key=lambda review: str(review.get("made_at")))
        act = REVIEW_WORDS[document["state"]]
        print_line("review  {} {}, {}:".format(newest.get("reviewer"), act, day_of(newest.get("made_at"))), stream)
        for line in str(newest.get("reason")).splitlines():
            print_line("        {}".format(line), stream)


def print_state(document, stream):
    """Where a submission stands: name, release and lists, state, what it waits for, its result and its address."""
    if document.get("name"):
        print_line("name    {}".format(document["name"]), stream)
    if document.get("release"):
        lists = document.get("lists")
        on_lists = ", lists " + " ".join(map(str, lists)) if isinstance(lists, list) and lists else ""
        print_line("release {}{}".format(document["release"], on_lists), stream)
    print_line("state   {}  (submission {})".format(document.get("state"), document.get("id")), stream)
    answered = document.get("answered_by_recipe")
    if isinstance(answered, list) and answered:
        print_line("recipe  answers {}".format(", ".join(map(str, answered))), stream)
    print_review(document, stream)
    if waits_for(document):
        print_line("next    {}".format(waits_for(document)), stream)
    if document.get("shelf_runs"):
        runs = count_text(document["shelf_runs"], "run")
        print_line("shelf   {}; `list --scope own` lists what is on it".format(runs), stream)
    if document.get("result"):
        print_line("result  {}".format(document["result"]), stream)
    if document.get("url"):
        print_line("url     {}".format(document["url"]), stream)


def print_check(document, stream):
    """Findings worst first, then the runs with their scores, and the verdict."""
    print_findings(document, stream)
    runs = list_of_dicts(document, "runs")
    for index, run in enumerate(runs):
        counts = " (the run that counts)" if len(runs) > 1 and index == document.get("primary") else ""
        print_line(
            "run     {} {} {}{}".format(run.get("tool"), run.get("version") or "", place_of(run), counts),
            stream,
        )
        print_rules(run, document, stream)
        print_scores(run, stream)
    print_rules_not_run(document, stream)
    print_unread(document, stream)
    print_repeat_hint(document, runs, document.get("primary"), stream)
    print_line("status  {}".format(document.get("status")), stream)
    if document.get("expires_at"):
        print_line("expires {} unless it is changed or kept".format(document["expires_at"]), stream)


def print_rules_not_run(document, stream):
    """The codes of all rules that did not run, one line for each benchmark."""
    by_tool = {}
    for rule in list_of_dicts(document, "rules_not_run"):
        tool, _, name = str(rule.get("code")).partition(".")
        by_tool.setdefault(tool, []).append(name)
    for tool, names in sorted(by_tool.items()):
        print_line("not run {}: {}".format(tool, ", ".join(names)), stream)


def place_of(part):
    """The path of a run or of what was not read, with its lines where it has not all of the file."""
    path, lines = part.get("path") or "", part.get("lines")
    return "{}, lines {} to {}".format(path, lines.get("first"), lines.get("last")) if isinstance(lines, dict) else path


def print_unread(document, stream):
    """What no benchmark read of the files, and why; the first of many."""
    entries = list_of_dicts(document, "not_read")
    for entry in entries[:MOST_UNREAD]:
        looks_like = "looks like {}; ".format(entry["looks_like"]) if entry.get("looks_like") else ""
        print_line("unread  {}: {}{}".format(place_of(entry), looks_like, entry.get("reason")), stream)
    more = len(entries) - MOST_UNREAD
    if more > 0:
        print_line(f"        and {more} more that were not read", stream)


def print_repeat_hint(document, runs, primary, stream):
    """What three runs would tell, where the run that counts, or any of several, was not repeated."""
    counted = [(index, run) for index, run in enumerate(runs) if len(runs) == 1 or primary in (None, index)]
    single = [
        run
        for index, run in counted
        if list_of_dicts(run, "measurements") and not is_repeated(document, run, primary if len(runs) == 1 else index)
    ]
    if single:
        print_line("repeat  " + REPEAT_HINT[0], stream)
        print_line("        " + REPEAT_HINT[1], stream)


def is_repeated(document, run, index):
    """Whether there are three runs of its configuration, beside it in the archive or in its own output."""
    place = index or 0
    for group in list_of_dicts(document, "groups"):
        members = group.get("runs")
        if group.get("kind") == "repeats" and isinstance(members, list) and place in members:
            if len(members) >= FEWEST_REPEATS:
                return True
    parameters = run.get("parameters")
    counts = [parameters.get(name) for name in ("iterations", "runs")] if isinstance(parameters, dict) else []
    contexts = [row.get("context") for row in list_of_dicts(run, "measurements")]
    iterations = {str(context["iter"]) for context in contexts if isinstance(context, dict) and "iter" in context}
    return any(isinstance(count, int) and count >= FEWEST_REPEATS for count in (*counts, len(iterations)))


def print_scores(document, stream):
    scores = document.get("scores")
    for name, score in sorted(scores.items()) if isinstance(scores, dict) else ():
        print_line(f"score   {score_line(name, score)}", stream)
    if not scores:
        print_measurements(list_of_dicts(document, "measurements"), stream)


def print_measurements(measurements, stream):
    """The first measurements of a run without a score, as printed by its tool; the page has them all."""
    for measurement in measurements[:MOST_MEASUREMENTS]:
        what = " ".join(str(measurement.get(name, "")) for name in ("op", "quantity", "stat"))
        print_line(
            "found   {} {} {}".format(
                what, figure(measurement.get("printed_value")), measurement.get("printed_unit", "")
            ),
            stream,
        )
    more = len(measurements) - MOST_MEASUREMENTS
    if more > 0:
        print_line(f"        and {more} more measurements", stream)


def score_line(name, score):
    if not isinstance(score, dict):
        return f"{name} {score}"
    parts = [("bandwidth_gib_per_s", "GiB/s"), ("rate_kiops", "kIOPS")]
    halves = ", ".join(f"{figure(score[key])} {unit}" for key, unit in parts if score.get(key) is not None)
    return "{} {}".format(name, figure(score.get("value"))) + (f" ({halves})" if halves else "")


def count_text(number, word):
    """ "1 output", "2 outputs"."""
    return "{} {}{}".format(number, word, "" if number == 1 else "s")


def figure(value):
    """A number with the nine digits that published scores have at most, anything else as it is."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


STEPS = {
    "B": (1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB")),
    "B/s": (1024, ("B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s")),
    "ns": (1000, ("ns", "us", "ms", "s")),
}
"""Units in which the registry computes, and those in which people read the same."""


def readable_unit(unit, values):
    """The unit that fits the largest of some numbers, and what one of it is in `unit`; others stay, with 1."""
    base, names = STEPS.get(unit, (1, (unit,)))
    largest = max((abs(value) for value in values), default=0)
    step = 0
    while step < len(names) - 1 and largest >= base ** (step + 1):
        step += 1
    return names[step], base**step


RESULT_FIELDS = ("institution", "system", "release", "trust", "reproducibility", "client_nodes", "tasks")


def print_result(document, address, stream):
    """A published result: which benchmark on what, where it is from, its numbers, and its address."""
    document = document if isinstance(document, dict) else {}
    print_line(
        "result  {}  {} {}".format(document.get("id"), document.get("tool"), document.get("tool_version")), stream
    )
    for name in RESULT_FIELDS:
        value = label_trust(document) if name == "trust" else document.get(name)
        print_line("{:<16}{}".format(name.replace("_", " "), "not known" if value in (None, "") else value), stream)
    if document.get("withdrawn_at"):
        print_line(
            "withdrawn {}: {}".format(day_of(document["withdrawn_at"]), document.get("withdrawn_reason")), stream
        )
    print_scores(document, stream)
    print_line("findings {}".format(len(list_of_dicts(document, "findings"))), stream)
    print_line("url     {}".format(address), stream)


def label_trust(row):
    """The trust of a result, never alone where rules are violated, also from a registry that has no words for it."""
    if row.get("trust_label"):
        return row["trust_label"]
    count = row.get("rules_violated")
    if not isinstance(count, int) or not count:
        return row.get("trust")
    return "{}, {} rule{} violated".format(row.get("trust"), count, "" if count == 1 else "s")


WAITS_FOR = {
    "submitter": "waits for you or your institution",
    "check": "waits for the check",
    "review": "waits for review",
    "publication": "waits for the release to be published",
}
MOST_NAME = 40


def print_list(submissions, stream):
    """One line per submission: id, state, name, score or numbers, release, and what it waits for."""
    rows = [
        (
            str(row.get("id")),
            str(row.get("state")) + (" (test)" if row.get("test") is True else ""),
            cut_text(row.get("name") or "", MOST_NAME),
            str(row.get("run") or ""),
            str(row.get("numbers") or "") if row.get("score") is None else "score " + figure(row["score"]),
            str(row.get("release") or ""),
            waits_for(row),
        )
        for row in submissions
    ]
    print_table(rows, stream)


def waits_for(row):
    """What a submission waits for, in words; "" where that is nothing, or the registry does not say."""
    waited = row.get("waits_for")
    return WAITS_FOR.get(waited, "waits for " + waited) if isinstance(waited, str) else ""


def print_table(rows, stream):
    """Rows of texts in columns; a column that is empty in all rows is left out."""
    rows = [[printable(cell, stream) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths) if width]
        print_line("  ".join(cells).rstrip(), stream)


def cut_text(text, most):
    """A text with at most so many characters, the last three dots where it had more."""
    text = str(text)
    return text if len(text) <= most else text[: most - 3] + "..."


def day_of(moment):
    """The day of an RFC 3339 moment (UTC); "" for anything else."""
    return moment[:10] if isinstance(moment, str) else ""


def print_document(document, options, print_text):
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
