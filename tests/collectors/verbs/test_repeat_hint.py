"""Where the run that counts was not repeated, `validate` and `upload` tell people what three runs buy; JSON stays."""

import io
import math

import pytest

from collectors import report
from registry.comparison.uncertainty import FEWEST, STUDENT

ROW = {"op": "write", "quantity": "bandwidth", "stat": "max", "printed_value": 2.5, "printed_unit": "GiB/s"}
RUN = {"tool": "ior", "path": "a", "measurements": [ROW], "parameters": {}}


def check_text(document, write=report.print_check):
    stream = io.StringIO()
    write(document, stream)
    return stream.getvalue()


def repeats(*runs):
    return [{"kind": "repeats", "tool": "ior", "runs": list(runs)}]


def iterations(count):
    return {**RUN, "measurements": [ROW, *({**ROW, "context": {"iter": place}} for place in range(count))]}


@pytest.mark.parametrize(
    "document",
    [
        {"runs": [RUN], "primary": 0},
        {"runs": [RUN, RUN], "primary": 0, "groups": repeats(0, 1)},
        {"runs": [RUN] * 4, "primary": 3, "groups": repeats(0, 1, 2)},
        {"runs": [RUN] * 4, "primary": None, "groups": repeats(0, 1, 2)},
        {"runs": [RUN] * 3, "primary": 0, "groups": [{"kind": "unknown", "runs": [0, 1, 2]}]},
        {"runs": [iterations(2)], "primary": 0},
        {"runs": [{**RUN, "parameters": {"iterations": 1}}], "primary": 0},
        {"runs": [{**RUN, "parameters": None}], "primary": "0"},
        {"runs": [RUN], "groups": [{"kind": "repeats", "runs": None}, None]},
    ],
)
def test_a_single_run_gets_a_hint_to_repeat(document):
    text = check_text(document)
    assert text.count("repeat  run it three times with the same settings") == 1
    assert "a change of 6.3 % from chance, five of each one of 4.0 %" in text
    assert text.splitlines()[-2].startswith("        Where runs vary by 1 %")
    assert text.splitlines()[-1].startswith("status ")


@pytest.mark.parametrize(
    "document",
    [
        {"runs": [RUN] * 3, "primary": 1, "groups": repeats(0, 1, 2)},
        {"runs": [iterations(3)], "primary": 0},
        {"runs": [{**RUN, "parameters": {"runs": 5}}], "primary": 0},
        {"runs": [{**RUN, "measurements": []}], "primary": 0},
        {"runs": []},
        {"runs": "none"},
        {},
    ],
)
def test_repeats_and_runs_without_measurements_get_no_hint(document):
    assert "repeat" not in check_text(document)


def test_the_hint_depends_on_the_primary_run():
    """Its measurements stand at the top, and its groups count the runs of its archive."""
    submission = {**RUN, "state": "checked", "id": "1", "primary": 2}
    assert "repeat  run it" in check_text(submission, report.print_submission)
    together = {**submission, "groups": repeats(0, 1, 2)}
    assert "repeat" not in check_text(together, report.print_submission)


def test_the_hint_names_the_changes_that_three_and_five_runs_detect():
    """exp(sqrt(2) x t x 1 %): what repeats of both numbers call no tie."""
    three, five = (100 * math.expm1(math.sqrt(2) * STUDENT[runs - FEWEST] * 0.01) for runs in (3, 5))
    assert f"{three:.1f} %" in report.REPEAT_HINT[1] and f"{five:.1f} %" in report.REPEAT_HINT[1]
