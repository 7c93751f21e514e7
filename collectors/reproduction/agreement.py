"""The repeats of a job of `reproduce` against the original: ratios with their intervals, and the facts that differ.

It asks nobody: the original lies beside the job, and the arithmetic is the registry's (validators/reproduction).
"""

import os
import re
from collections import namedtuple

from collectors.bundle import offline_rules
from collectors.document import compare, parameters, system_file
from collectors.errors import CollectorError, UsageError
from collectors.gate import reading
from collectors.report import list_of_dicts

RESULTS = "results"
SCALE = ("version", "client_nodes", "tasks")
MOST_NAMED = 40
VARIABLE = re.compile(r"\$(?:[A-Z][A-Z0-9_]*|\{[A-Z][A-Z0-9_]*\})\Z")

Fact = namedtuple("Fact", "name original here")
Fact.__doc__ = "Something that both sides know and that differs, or that one side alone knows (None on the other)."


def judge_folder(folder, original, timeout, progress):
    """The comparison as JSON: `metrics` with ratio, low, high, outcome and why; `differing` and `one_sided` facts.

    Raises NothingCollected where no result was read, UsageError where the rules cannot run.
    """
    check = reading.run_check(os.path.join(folder, RESULTS), timeout, progress)
    name = str(original.get("result"))
    there, here = read_original_run(original, name), reading.read_check(check, folder)
    if there.tool != here.tool:
        raise UsageError(
            "collector.agree.tool", "These are results of %s, the original is one of %s." % (here.tool, there.tool)
        )
    run = first_run(check)
    answer = judge_metrics(there, here, run, timeout)
    settings, one_sided = list_settings(original, run, answer["recipe"])
    systems = original.get("system"), read_system(folder, progress)
    machines, unknown = list_machine_facts(*systems)
    return {
        "result": name,
        "tool": there.tool,
        "notes": ["%s: %s" % (run.name, run.trouble) for run in (there, here) if run.trouble],
        "outcome": answer["outcome"] if not (there.trouble or here.trouble) else answer["cannot_tell"],
        "metrics": answer["metrics"],
        "differing": [fact._asdict() for fact in settings + machines],
        "one_sided": [fact._asdict() for fact in one_sided + unknown],
        "machines_compared": None not in systems,
    }


def read_original_run(original, name):
    """The Run of the original with all its repeats."""
    record = dict(original["record"], distributions=list_of_dicts(original, "distributions"))
    return reading.read_record(record, name)


def first_run(check):
    """The run of a check that counts, as its report has it."""
    runs = list_of_dicts(check, "runs")
    return runs[reading.choose_runs(check, runs, "")[0]]


def judge_metrics(there, here, run, timeout):
    """What the rules say of the values of both, and the recipe of a new run; metrics of one side are left out."""
    metrics = [metric for metric in sorted(there.metrics) if metric in here.metrics]
    rows = [
        {"quantity": metric.quantity, "original": there.metrics[metric], "new": here.metrics[metric]}
        for metric in metrics
    ]
    answer = offline_rules.ask_rules(reading.require_rules().python, ["agree"], {"run": run, "rows": rows}, timeout)
    for metric, row, judged in zip(metrics, rows, answer["metrics"]):
        judged.update(op=metric.op, context=metric.context, unit=metric.unit, **row)
    return answer


def list_settings(original, run, recipe):
    """(Facts that differ, Facts that one side alone knows) of version, scale and options.

    Where no recipe tells the options of one side, the settings of the benchmark stand for them.
    """
    record = original["record"]
    row = dict(record, version=record.get("tool_version") or None)
    facts = [Fact(name, row.get(name), run.get(name) or None) for name in SCALE]
    there, here = list_options(original["recipe"]), list_options(recipe)
    if not (there and here):
        names = [name for name in reading.list_setting_names(str(run.get("tool"))) if name not in reading.SHOWN_ONLY]
        sides = reading.read_settings(record), reading.read_settings(run)
        there, here = [{name: side.get(name) for name in names if name not in SCALE} for side in sides]
    names = sorted(set(there) | set(here))
    return divide_facts(facts + [known_fact(name, there.get(name), here.get(name)) for name in names])


def known_fact(name, original, here):
    """A Fact of an option; a variable that stands for its value on one side alone is a value that is not known."""
    sides = (original, here)
    if original != here:
        sides = tuple(None if value and VARIABLE.match(value) else value for value in sides)
    return Fact(name, *sides)


def list_options(recipe):
    """{name: text} of the options in the command lines and input files of a recipe."""
    options = {}
    lines = [("", recipe.get("arguments"))]
    lines += [(str(row.get("step")) + " ", row.get("arguments")) for row in list_of_dicts(recipe, "commands")]
    for step, arguments in lines:
        name = None
        for word in map(str, arguments or ()):
            if word.startswith("-"):
                name, _, value = word.partition("=")
                options[step + name] = value
            elif name is not None:
                options[step + name] = word
    for row in list_of_dicts(recipe, "files"):
        section = ""
        for line in str(row.get("text")).splitlines():
            name, _, value = line.partition("=")
            if line.startswith("["):
                section = line + " "
            elif line.strip() and line[0] not in "#;":
                options[section + name.strip()] = value.strip()
    return options


def divide_facts(facts):
    """(those that differ, those that one side alone knows); what neither knows is in none."""
    differing = [fact for fact in facts if None not in fact and fact.original != fact.here]
    return differing, [fact for fact in facts if (fact.original is None) != (fact.here is None)]


def read_system(folder, progress):
    """What `run` recorded of this machine at the first repeat; None, and a note, where it cannot be read."""
    try:
        return system_file.load(os.path.join(folder, "run-1", "system.json"))
    except (CollectorError, OSError) as error:
        progress.note("the machine of the repeats is not described: %s" % error)
        return None


def list_machine_facts(there, here):
    """(Facts that differ, Facts that one side alone knows) of two described systems, by readable pointers.

    Classes of nodes are compared with the nearest of their role; those without a counterpart are not described here.
    """
    if there is None or here is None:
        return [], []
    volatile = compare.volatile_of(parameters.registry())
    pairs = compare.pair_classes(compare.classes(there, volatile), compare.classes(here, volatile))
    sides = [(first.facts, other.facts) for first, other in pairs if first and other]
    sides.append((compare.document_facts(there), compare.document_facts(here)))
    differing, one_sided = [], []
    for first, other in sides:
        described = [{compare.section(pointer) for pointer in facts} for facts in (first, other)]
        for difference in compare.differences(first, other):
            is_absence = compare.is_whole(difference) and all(
                compare.section(difference.pointer) in sections for sections in described
            )
            is_known = is_absence or None not in (difference.before, difference.after)
            (differing if is_known else one_sided).append(Fact(*difference))
    return differing, one_sided


def agreement_lines(document):
    """The comparison as text: a line for each metric, the facts that differ, what came of it."""
    counted = "%d facts differ" % len(document["differing"])
    if not document["machines_compared"]:
        counted += ", the machine of one side is not described"
    for row in document["metrics"]:
        title = " ".join(part for part in (row["op"], row["quantity"].replace("_", " "), row["context"]) if part)
        yield "%s: %s; %s" % (title, format_ratio(row), counted)
        yield "  %s: %s" % (row["outcome"], row["why"])
    for note in document["notes"]:
        yield "note: " + note
    for fact in document["differing"][:MOST_NAMED]:
        values = [compare.format_value(fact[side]) for side in ("original", "here")]
        yield "differs  %s: %s, here %s" % (fact["name"], values[0], values[1])
    if len(document["differing"]) > MOST_NAMED:
        yield "... and %d more: --json" % (len(document["differing"]) - MOST_NAMED)
    if document["one_sided"]:
        yield "%d facts are known of one side alone" % len(document["one_sided"])
    yield "outcome  %s" % document["outcome"]


def format_ratio(row):
    """`0.93 x (0.89 to 0.97)`, and why there is no interval."""
    if row["ratio"] is None:
        return "no ratio"
    if row["low"] is None:
        return "%.2f x (one run: no interval)" % row["ratio"]
    return "%.2f x (%.2f to %.2f)" % (row["ratio"], row["low"], row["high"])
