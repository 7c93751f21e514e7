"""A judged run as JSON, as text, as JUnit's XML and as Markdown."""

import math
from xml.sax.saxutils import escape, quoteattr

from collectors import report
from collectors.gate.judgement import ALIKE, UNKNOWN, WORSE

MOST_NAMED = 8


def as_document(run, baseline, verdict, rows, notes):
    """The judgement as JSON; `rows` are (Metric, earlier values, new values, Judged)."""
    return {
        "verdict": verdict,
        "tool": run.tool,
        "run": run.name,
        "baseline": baseline.name,
        "notes": notes,
        "metrics": [
            {
                "op": metric.op,
                "quantity": metric.quantity,
                "context": metric.context,
                "unit": metric.unit,
                "verdict": judged.verdict,
                "ratio": judged.ratio,
                "chance": judged.chance,
                "why": judged.why,
                "before": list(map(as_json_number, earlier)),
                "now": list(map(as_json_number, new)),
            }
            for metric, earlier, new, judged in rows
        ],
    }


def as_json_number(value):
    """A value, None for what JSON has no number for."""
    return value if math.isfinite(value) else None


def title_of(row):
    return " ".join(part for part in (row["op"], row["quantity"], row["context"]) if part)


def facts_of(row):
    """The change with the chance, and the reason, as one text."""
    parts = []
    if row["ratio"] is not None:
        parts.append("%+.1f %%" % (100 * (row["ratio"] - 1)))
    if row["chance"] is not None:
        parts.append("chance without a change %.2g" % row["chance"])
    if row["ratio"] is not None:
        parts.append("of %d before, %d now" % (len(row["before"]), len(row["now"])))
    if row["why"]:
        parts.append(row["why"])
    return "; ".join(parts)


def print_text(document, stream):
    report.print_line("run      %s (%s)" % (document["run"], document["tool"]), stream)
    report.print_line("against  %s" % document["baseline"], stream)
    for note in document["notes"]:
        report.print_line("note     " + note, stream)
    report.print_table(
        [("", title_of(row), row["verdict"], facts_of(row)) for row in document["metrics"]] or [("", "no metric")],
        stream,
    )
    report.print_line("verdict  " + document["verdict"], stream)


def as_junit(document):
    """JUnit's XML: a test case for each metric; worse is a failure, what cannot be message is skipped."""
    rows = document["metrics"]
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (WORSE, UNKNOWN)}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuite name="highwater gate" tests="%d" failures="%d" errors="0" skipped="%d">'
        % (len(rows), count[WORSE], count[UNKNOWN]),
    ]
    for row in rows:
        head = "  <testcase classname=%s name=%s" % (
            format_xml_attribute(document["tool"]),
            format_xml_attribute(title_of(row)),
        )
        message = format_xml_attribute(facts_of(row))
        inside = {WORSE: "<failure message=%s/>" % message, UNKNOWN: "<skipped message=%s/>" % message}.get(
            row["verdict"]
        )
        lines.append("%s>%s</testcase>" % (head, inside) if inside else head + "/>")
    lines.append("  <system-out>%s</system-out>" % escape(xml_text("; ".join(document["notes"]))))
    return "\n".join(lines + ["</testsuite>"]) + "\n"


def format_xml_attribute(text):
    return quoteattr(xml_text(text))


def xml_text(text):
    """A text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in str(text)).encode("utf-8", "replace").decode("utf-8")


def as_markdown(document):
    """A table for a comment on a change."""
    marks = {WORSE: "**worse**", ALIKE: "not worse"}
    lines = [
        "### Storage benchmark: %s" % document["verdict"],
        "",
        "%s against %s." % (table_cell(document["run"]), table_cell(document["baseline"])),
        "",
        "| metric | before | now | change | verdict |",
        "|---|---:|---:|---:|---|",
    ]
    for row in document["metrics"]:
        change = "" if row["ratio"] is None else "%+.1f %%" % (100 * (row["ratio"] - 1))
        message = marks.get(row["verdict"], row["verdict"]) + (": " + table_cell(row["why"]) if row["why"] else "")
        before, now = [mean_text(row[name], row["unit"]) for name in ("before", "now")]
        lines.append("| %s | %s | %s | %s | %s |" % (table_cell(title_of(row)), before, now, change, message))
    return "\n".join(lines + [""] + ["- " + table_cell(note) for note in document["notes"]]) + "\n"


def table_cell(text):
    """A text that stays in its cell, and is neither markup nor HTML."""
    text = "".join(c if c.isprintable() else " " for c in str(text))
    return "".join("\\" + c if c in "\\`*_[]<>|#!" else c for c in text)


def mean_text(values, unit):
    """The mean of values with its unit, as people read it."""
    return "" if not values or None in values else "%.5g %s" % (sum(values) / len(values), table_cell(unit))
