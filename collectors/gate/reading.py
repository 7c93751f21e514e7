"""The values of a run, by metric: of a check, of a submission or published result, or of the history of a system."""

import json
import math
import os
from collections import namedtuple

from collectors.bundle import archive_limits, benchmark_detection, offline_rules
from collectors.errors import NothingCollected, UsageError
from collectors.report import list_of_dicts

REPEATED = ("iterations", "runs")
# Tells single iterations apart, which are values of one metric here.
ITERATION = "iter"
INVALID = "invalid"
# Of the statistics of a metric that was measured once, the first of these.
PREFERRED = ("phase", "mean", "max")
# It holds paths, which may differ from job to job.
SHOWN_ONLY = ("command_line",)

Run = namedtuple("Run", "tool metrics settings name trouble ids")
Run.__new__.__defaults__ = ((),)
Run.__doc__ = """Values of a run: `metrics` are lists of numbers by Metric; `trouble` says why it is no evidence, or "".

    `settings` are by name; None where the values are of runs with the same settings already. `ids` are those by which
    a registry has it.
    """
Metric = namedtuple("Metric", "op quantity context unit")
Quantity = namedtuple("Quantity", "name higher_is_better headline")


def run_check(path, timeout_s, progress):
    """The document of a check of a result on this machine, by the registry's rules.

    Raises UsageError where they cannot run.
    """
    document = load_document(path)
    if document is None:
        archive_limits.require_supported_kind(path)
        rules = require_rules()
        progress.note("reading %s" % path)
        document = offline_rules.check_here(rules.python, path, [], timeout_s)
    return document


def require_rules():
    """The Rules that can run here. Raises UsageError where none can."""
    rules = offline_rules.rules_here()
    if rules.version is None:
        raise UsageError("collector.rules", "The registry's rules cannot run here: %s." % rules.missing)
    return rules


def read_check(document, name):
    """The Run of a document of `validate --json`: the run that counts with its repeats, or the only ones there are.

    Raises NothingCollected where no run was read, UsageError where several are no repeats of each other.
    """
    runs = list_of_dicts(document, "runs")
    chosen = choose_runs(document, runs, name)
    first = runs[chosen[0]]
    distributions = [row for place in chosen for row in list_of_dicts(runs[place], "distributions")]
    measurements = [row for place in chosen for row in list_of_dicts(runs[place], "measurements")]
    is_invalid = document.get("status") not in (None, "valid")
    return Run(
        str(first.get("tool")),
        group_metrics(str(first.get("tool")), measurements, distributions, len(chosen) > 1),
        read_settings(first),
        name,
        "its check found errors" if is_invalid else "",
    )


def choose_runs(document, runs, name):
    """Places of the runs whose values count. Raises NothingCollected without runs, UsageError where it is not clear."""
    if not runs:
        raise NothingCollected("collector.gate.empty", "In %s no result was recognised." % name)
    groups = [row.get("runs") for row in list_of_dicts(document, "groups") if row.get("kind") == "repeats"]
    groups = [group for group in groups if isinstance(group, list) and all(is_place(place, runs) for place in group)]
    primary = document.get("primary")
    if is_place(primary, runs):
        return next((group for group in groups if primary in group), [primary])
    if len(runs) == 1:
        return [0]
    if len(groups) == 1:
        return groups[0]
    raise UsageError(
        "collector.gate.several", "%s holds several runs that are no repeats of each other." % name, "Give one of them."
    )


def is_place(value, runs):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(runs)


def read_record(document, name):
    """The Run of a submission or a published result of the API. Raises NothingCollected without measurements."""
    tool, measurements = document.get("tool"), list_of_dicts(document, "measurements")
    if not isinstance(tool, str) or not measurements:
        raise NothingCollected("collector.gate.empty", "%s has no measurements." % name)
    distributions = list_of_dicts(document, "distributions")
    primary = document.get("primary")
    for group in list_of_dicts(document, "groups"):
        members = group.get("runs")
        if group.get("kind") == "repeats" and isinstance(members, list) and primary in members:
            distributions += list_of_dicts(group, "distributions")
    repeats = [dict(row, over="runs", members=row.get("values")) for row in list_of_dicts(document, "repeats")]
    distributions = repeats or distributions
    trouble = "its check found errors" if document.get("state") == "invalid" else ""
    trouble = "it is withdrawn" if document.get("withdrawn_at") else trouble
    metrics = group_metrics(tool, measurements, distributions, False)
    own_ids = [document[key] for key in ("id", "result") if isinstance(document.get(key), str)]
    return Run(tool, metrics, read_settings(document), name, trouble, own_ids)


def read_history(document, run, name):
    """The Run of a system's earlier values that are like a run: same tool, client nodes and known settings.

    Of each series the values before the run itself and since the last step before it, at most 20.
    """
    metrics, has_tool = {}, False
    for series in list_of_dicts(document, "series"):
        if series.get("tool") != run.tool:
            continue
        has_tool = True
        if not is_like(series, run):
            continue
        quantity = find_quantity(run.tool, str(series.get("quantity")))
        if quantity is None:
            continue
        points = list_of_dicts(series, "points")
        end = next((place for place, point in enumerate(points) if point.get("result") in run.ids), len(points))
        places = [step["place"] for step in list_of_dicts(series, "steps") if isinstance(step.get("place"), int)]
        points = points[max([0] + [place for place in places if place < end]) : end]
        values = [as_float(point["value"]) for point in points if is_number(point.get("value"))][-20:]
        metric = Metric(
            str(series.get("op")), quantity.name, format_context(series.get("context")), str(series.get("unit"))
        )
        if len(values) > len(metrics.get(metric, ())):
            metrics[metric] = values
    trouble = "" if has_tool else "no earlier run of %s is known of it" % run.tool
    return Run(run.tool, metrics, None, name, trouble)


def is_like(series, run):
    """Whether a series is of the scale and settings of a run. What is not known of either is not alike."""
    nodes = series.get("client_nodes")
    if nodes != run.settings.get("client_nodes"):
        return False
    settings = series.get("settings")
    return not isinstance(settings, dict) or all(
        value is not None and run.settings.get(name) == value for name, value in settings.items()
    )


def group_metrics(tool, measurements, distributions, several):
    """Values by Metric. Of one metric, the statistic with the most repeats counts; headline quantities, if there are.

    `several` runs: each gives one value of a statistic.
    """
    by_statistic = {}
    for row in distributions:
        members = row.get("members")
        if row.get("over") in REPEATED and isinstance(members, list):
            take_values(by_statistic, tool, row, list(map(as_float, filter(is_number, members))), extend=several)
    counted = set(by_statistic)
    for row in measurements:
        if is_number(row.get("value")):
            context = row.get("context")
            repeats = several or isinstance(context, dict) and ITERATION in context
            take_values(by_statistic, tool, row, [as_float(row["value"])], extend=repeats, unless=counted)
    best = {}
    for (metric, statistic), values in by_statistic.items():
        rank = (len(values), statistic in PREFERRED, -PREFERRED.index(statistic) if statistic in PREFERRED else 0)
        if metric not in best or rank > best[metric][0]:
            best[metric] = (rank, values)
    headline = {metric for metric in best if index_quantities()[metric.quantity].headline}
    return {metric: values for metric, (_rank, values) in best.items() if metric in headline or not headline}


def take_values(by_statistic, tool, row, values, extend, unless=()):
    """Put values under their metric and statistic."""
    quantity = find_quantity(tool, str(row.get("quantity")))
    statistic = str(row.get("stat"))
    if quantity is None or statistic in ("stdev", "deviation", "min", "variance"):
        return
    metric = Metric(str(row.get("op")), quantity.name, format_context(row.get("context")), str(row.get("unit")))
    key = (metric, statistic)
    if key in unless:
        return
    by_statistic[key] = by_statistic.get(key, []) + values if extend else by_statistic.get(key) or values


def format_context(context):
    """A context as text that sorts, without the number of the iteration, and without that a phase is not invalid."""
    pairs = sorted(context.items()) if isinstance(context, dict) else []
    return ", ".join("%s %s" % pair for pair in pairs if pair[0] != ITERATION and pair != (INVALID, False))


def read_settings(document):
    """The parameters of a run, and its client nodes where it is known otherwise how many there were."""
    settings = {} if document.get("client_nodes") is None else {"client_nodes": document["client_nodes"]}
    parameters = document.get("parameters")
    settings.update(parameters if isinstance(parameters, dict) else {})
    return settings


def compare_settings(tool, before, now):
    """(names of settings that differ, of those that one side does not know, of those that are only shown)."""
    names = list_setting_names(tool)
    on_both = [name for name in names if name in before and name in now]
    differing = [name for name in on_both if before[name] != now[name]]
    return (
        [name for name in differing if name not in SHOWN_ONLY],
        [name for name in names if name not in SHOWN_ONLY and (name in before) != (name in now)],
        [name for name in differing if name in SHOWN_ONLY],
    )


def list_setting_names(tool):
    """The names of the settings of a benchmark that two runs of one configuration share."""
    names = []
    for benchmark in benchmark_detection.load_benchmarks():
        if benchmark.tool == tool:
            names = benchmark.settings
    return [name for entry in names for name in (entry if isinstance(entry, list) else [entry])]


def find_quantity(tool, reported):
    """The Quantity that a tool reports under a name, if one direction of it is better; else None."""
    for row in load_quantity_rows():
        for name in row.get("reported", ()):
            is_of_tool = tool in name.get("tools", (tool,))
            if name["name"] == reported and is_of_tool and "window" not in name:
                return index_quantities().get(row["name"])
    return None


def index_quantities():
    """Every Quantity of which one direction is better, by its name."""
    return {
        row["name"]: Quantity(row["name"], row["better"] == "higher", bool(row.get("headline")))
        for row in load_quantity_rows()
        if row.get("better") in ("higher", "lower")
    }


CACHED_ROWS = []


def load_quantity_rows():
    """The table of quantities that the rules carry; read once."""
    if not CACHED_ROWS:
        CACHED_ROWS.extend(json.loads(offline_rules.read_carried("validators/quantities.json"))["quantities"])
    return CACHED_ROWS


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_float(value):
    """A number of JSON, which may have any count of digits, as a float: infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def load_document(path):
    """The JSON document of a check that a file holds, None for a file of something else."""
    if not os.path.isfile(path) or os.path.getsize(path) > 64 * 1024 * 1024:
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return None
    is_check = isinstance(document, dict) and isinstance(document.get("status"), str) and "runs" in document
    return document if is_check else None
