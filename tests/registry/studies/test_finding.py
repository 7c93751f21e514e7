"""The sentence that says what a study finds, and the reasons why nothing can be told."""

from __future__ import annotations

import pytest

from registry.studies.balance.finding import finding_sentence


def row(fabric: str | None, value: float | None, **facts: str) -> dict:
    return {"fabric": fabric, "value": value, "unit": "GB/s", "value_basis": "measurement"} | facts


def study(*rows: dict, **facts: object) -> dict:
    return {"axes": [{"name": "fabric"}], "unit": "GB/s", "per": None, "rows": list(rows)} | facts


def test_the_sentence_gives_both_ends_and_their_ratio() -> None:
    sentence = finding_sentence(study(row("TCP", 20.0), row("InfiniBand", 30.0), row("unknown", None)))
    assert sentence == (
        "Highest is 30.00\N{NO-BREAK SPACE}GB/s (InfiniBand), \N{MULTIPLICATION SIGN} 1.50 the lowest; "
        "lowest is 20.00\N{NO-BREAK SPACE}GB/s (TCP)."
    )


@pytest.mark.parametrize(
    ("axis", "places", "sentence"),
    [
        ("fabric", ("InfiniBand", "TCP"), "Against InfiniBand, in matched pairs: TCP gives"),
        ("CPU partitions", ("4", "8"), "Against CPU partitions 4, in matched pairs: 8 gives"),
    ],
)
def test_matched_pairs_name_what_a_number_counts(axis: str, places: tuple[str, str], sentence: str) -> None:
    first, other = places
    pair = {"axis": "fabric", "first": first, "other": other, "qualifier": ""}
    matched = [pair | {"ratio": 0.58}, pair | {"ratio": 0.61}]
    answer = study(row(first, 20.0), row(other, 12.0), x="fabric", matched=matched)
    assert (
        finding_sentence(answer | {"axes": [{"name": "fabric", "title": axis}]})
        == f"{sentence} \N{MULTIPLICATION SIGN} 0.58 to 0.61."
    )


def test_counts_and_factors_are_written_without_their_unit() -> None:
    rows = (row("IB", 4.0), row("TCP", 2.0))
    assert finding_sentence(study(*rows, unit="count")).startswith("Highest is 4.000 (IB), ")
    assert finding_sentence(study(*rows, unit="x")).startswith("Highest is \N{MULTIPLICATION SIGN} 4.000 (IB), ")


def test_other_differing_facts_leave_the_cause_unknown() -> None:
    sentence = finding_sentence(study(row("TCP", 20.0), row("InfiniBand", 30.0), unbalanced=[{"name": "drives"}]))
    assert sentence.endswith("Other facts differ as well, so the cause cannot be told.")


def test_a_lowest_value_of_zero_has_no_ratio() -> None:
    assert "\N{MULTIPLICATION SIGN}" not in finding_sentence(study(row("TCP", 0.0), row("InfiniBand", 30.0)))


def test_a_number_about_so_much_is_compared_and_marked() -> None:
    sentence = finding_sentence(study(row("TCP", 20.0), row("InfiniBand", 30.0, qualifier="about")))
    assert sentence.startswith("Highest is about 30.00\N{NO-BREAK SPACE}GB/s (InfiniBand), about ")
    assert sentence.endswith("lowest is 20.00\N{NO-BREAK SPACE}GB/s (TCP).")


def test_an_empty_place_is_left_out() -> None:
    answer = study(row("TCP", 20.0, mode=""), row("InfiniBand", 30.0, mode="closed"))
    sentence = finding_sentence(answer | {"axes": [{"name": "fabric"}, {"name": "mode"}]})
    assert "(InfiniBand, closed)" in sentence and sentence.endswith("(TCP).")


def test_an_unknown_place_is_named_by_its_axis() -> None:
    answer = study(row("TCP", 30.0), row(None, 20.0)) | {"axes": [{"name": "fabric", "title": "fabric of the clients"}]}
    assert finding_sentence(answer).endswith("GB/s (fabric of the clients not known).")
    assert finding_sentence(answer | {"axes": []}).endswith("lowest is 20.00\N{NO-BREAK SPACE}GB/s.")


def test_equal_values_have_no_highest() -> None:
    assert finding_sentence(study(row("TCP", 30.0), row("InfiniBand", 30.0))).startswith("All 2 values are equal: 30")


def test_a_written_sentence_is_kept() -> None:
    assert finding_sentence(study(row("TCP", 1.0), finding="Reads gain half.")) == "Reads gain half."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (study(row("TCP", 20.0)), "fewer than two places have a value"),
        (study(row("TCP", None, value_basis="unlike"), row("RoCE", 2.0)), "differ in more than the question asks for"),
        (study(row("TCP", 1.0, value_basis="median-unknown"), row("RoCE", 2.0)), "not known to be alike"),
        (study(row("TCP", 1.0, qualifier="at-least"), row("RoCE", 2.0)), "a bound and not a number"),
        (
            study(row("TCP", 1.0), row("RoCE", 2.0), coded_notes=[{"code": "study.mixed-quantities"}]),
            "quantities of several kinds",
        ),
    ],
)
def test_a_missing_comparison_has_a_reason(answer: dict, reason: str) -> None:
    sentence = finding_sentence(answer)
    assert sentence.startswith("It cannot be told which is higher: ") and reason in sentence


def test_different_units_and_empty_tables_have_no_sentence() -> None:
    assert finding_sentence(study(row("TCP", 1.0), row("RoCE", 2.0), unit="")) == ""
    assert finding_sentence(study()) == ""
