"""`diff`: what differs between two described systems."""

import sys

from collectors import report
from collectors.document import compare, parameters, system_file
from collectors.errors import FINDINGS, OK

ABOUT = "show what differs between two system documents"

EXAMPLES = """examples:
  %(prog)s before.json after.json
  %(prog)s ours.tar.gz theirs.tar.gz
  %(prog)s run1/system.json run2/system.json --json

A and B are documents of collect, fold or run, or bundles that contain one. `diff` compares each class of
nodes with the most similar class of the same role. It ignores names of nodes and file systems, load, counters
and other values that always change. Exit status: 0 nothing differs, 1 something differs.
"""

WIDEST_COLUMN = 60
# Other words of the registry (bool, enum, text) say what kind of value it is, which the value shows.
UNITS = frozenset(["B", "KiB", "MiB", "s", "ms", "kHz", "Gbit/s", "MB/s", "pages", "rpm"])


def define(verb):
    verb.add_argument("first", metavar="A", help="a system document or bundle")
    verb.add_argument("second", metavar="B", help="the other one")
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def run(options, progress):
    comparison = compare_documents(
        system_file.load(options.first), system_file.load(options.second), parameters.registry()
    )
    if options.json:
        report.print_json(comparison)
    else:
        for line in lines(comparison):
            report.print_line(line, sys.stdout)
    return OK if is_same(comparison) else FINDINGS


def compare_documents(first, second, registry):
    """{"node_classes": [{role, a, b, differences}], "document": [differences]} of two documents.

    `a` and `b` are {class_id, count} of the classes side by side, None where one has no counterpart.
    """
    volatile = compare.volatile_of(registry)
    pairs = compare.pair_classes(compare.classes(first, volatile), compare.classes(second, volatile))
    around = compare.differences(compare.document_facts(first), compare.document_facts(second))
    return {
        "node_classes": [side_by_side(first_class, other, registry) for first_class, other in pairs],
        "document": [entry(difference, registry) for difference in around],
    }


def side_by_side(first_class, other, registry):
    differences = compare.differences(first_class.facts, other.facts) if first_class and other else []
    return {
        "role": list((first_class or other).role),
        "a": class_summary(first_class),
        "b": class_summary(other),
        "differences": [entry(difference, registry) for difference in differences],
    }


def class_summary(kind):
    return kind and {"class_id": kind.class_id, "count": kind.count}


def entry(difference, registry):
    fields = {"section": compare.section(difference.pointer), "pointer": difference.pointer}
    fields.update(a=difference.before, b=difference.after)
    unit = registry.get(compare.parameter_of(difference.pointer), {}).get("unit")
    if unit:
        fields["unit"] = unit
    return fields


def is_same(comparison):
    """Whether two documents describe the same: no difference, and as many nodes of each kind."""
    classes = comparison["node_classes"]
    paired = all(pair["a"] and pair["b"] and pair["a"]["count"] == pair["b"]["count"] for pair in classes)
    return paired and not any(pair["differences"] for pair in classes) and not comparison["document"]


def lines(comparison):
    """The text for people: a heading for each pair of classes, below it a table by section."""
    for pair in comparison["node_classes"]:
        yield "%s: %s, %s" % ("+".join(pair["role"]), nodes("A", pair["a"]), nodes("B", pair["b"]))
        for line in table(pair["differences"]):
            yield line
    if comparison["document"]:
        yield "job, layouts and storage"
        for line in table(comparison["document"]):
            yield line
    if is_same(comparison):
        yield "nothing differs"


def nodes(name, class_brief):
    if class_brief is None:
        return "none in " + name
    return "%d node%s in %s" % (class_brief["count"], "s" * (class_brief["count"] != 1), name)


def table(differences):
    """Rows of pointer, A and B below the name of their section; a dash where one says nothing."""
    rows = [
        (row["pointer"].split("/", 2)[2], compare.format_value(row["a"]), compare.format_value(row["b"]))
        for row in differences
    ]
    wide = [min(WIDEST_COLUMN, max([len(row[column]) for row in rows] or [0])) for column in (0, 1)]
    section = None
    for row, difference in zip(rows, differences):
        if difference["section"] != section:
            section = difference["section"]
            yield "  " + section
        line = "    %-*s  %-*s  %s" % (wide[0], row[0], wide[1], row[1], row[2])
        yield line + ("  (%s)" % difference["unit"] if difference.get("unit") in UNITS else "")
