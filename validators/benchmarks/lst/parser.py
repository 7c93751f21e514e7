"""Find what LNet self-test printed: sessions of `lst stat` (by hand or through lst.sh) and tables of lst-survey.

All figures are per node of the named group, never totals. [R] is what the group received, [W] what it sent: in a read
test the payload is [W] of the servers and [R] of the clients.
"""

from __future__ import annotations

from validators.benchmarks.lst import session, survey
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.measurements import Run
from validators.outputs import Output, find_outputs

TOOL = "lst"


def find_runs(bundle: Bundle) -> Reading:
    """Every session and survey of a bundle; never raises on any content.

    A survey leaves a table, the same on its standard output (without counts of errors), and the sessions that it ran,
    which have the figures of its rows: these are one run.
    """
    reading = find_outputs(bundle, TOOL, is_lst, read)
    surveys = [run for run in reading.runs if run.mode == survey.MODE]
    surveys.sort(key=lambda run: "error_nodes" not in run.parameters)
    rows = {row for run in surveys for row in survey.list_printed_rows(run)}
    sessions = [run for run in reading.runs if run.mode != survey.MODE and not survey.has_sessions_in_table(rows, run)]
    earlier: list[object] = []
    runs = []
    for run in surveys:
        figures = [
            (measurement.op, measurement.quantity, measurement.value, measurement.context)
            for measurement in run.measurements
        ]
        if not figures or figures not in earlier:
            earlier.append(figures)
            runs.append(run)
    runs += sessions
    return Reading(runs, 0 if len(runs) == 1 else None, reading.findings, reading.claimed)


def explain(run: Run) -> list[str]:
    """The mean of each figure over its samples; LNet self-test has no score."""
    samples: dict[tuple[str, ...], list[float]] = {}
    for measurement in run.measurements:
        if measurement.stat == "mean_node":
            of = " ".join(
                str(measurement.context[key]) for key in ("mode", "test", "group") if key in measurement.context
            )
            samples.setdefault((of, measurement.op, measurement.quantity, measurement.printed_unit), []).append(
                measurement.printed_value
            )
    return [
        f"{of} {op} {quantity}: {sum(values) / len(values):.2f} {unit} per node over {len(values)} sample(s)"
        for (of, op, quantity, unit), values in samples.items()
    ]


def is_lst(head: bytes) -> bool:
    return survey.is_survey(head) or session.is_session(head)


def read(output: Output) -> list[Run]:
    """The survey, or the sessions, of one output. Raises Refusal where none can be read."""
    head = output.bundle.head(output.path)
    return [survey.read(TOOL, output)] if survey.is_survey(head) else session.read(TOOL, output)
