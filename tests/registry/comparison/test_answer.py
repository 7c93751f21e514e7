"""The page of a comparison begins with its answer."""

from registry.comparison.answer import write_answer

HEADINGS = [{"system": "Sea", "institution": "North"}, {"system": "Sea", "institution": "North"}]
ALIKE = {"outcome": "alike", "differs": [], "unknown": []}


def rate(op: str, ratio: float | None, unit: str = "B/s", interval=None, basis=None) -> dict:
    return {
        "op": op,
        "quantity": "bandwidth",
        "stat": "",
        "unit": unit,
        "divided": True,
        "ratios": [1.0, ratio],
        "ratio_qualifiers": ["", ""],
        "intervals": [None, interval],
        "interval_basis": [None, basis],
    }


def answer(rows, match=ALIKE, per: str = "") -> dict:
    return write_answer(HEADINGS, {"comparable": True, "notes": [], "matched": [None, match]}, rows, per)


def test_the_largest_difference_may_be_a_loss() -> None:
    rows = [rate("ior-easy-write", 1.2), rate("ior-hard-write", 0.35), rate("open", 9.0, unit="s")]
    likeness = "Same system by name, like for like as far as is known"
    verdict = f"{likeness}: IOR hard write differs most, B / A \N{MULTIPLICATION SIGN} 0.35"
    assert answer(rows) == {"verdict": f"{verdict}, not repeated.", "conditions": ""}


def test_a_tie_by_repeats_is_no_difference() -> None:
    assert answer([rate("ior-easy-write", 1.01, interval=(0.9, 1.1), basis="repeats")])["verdict"].endswith(
        ": repeats show no difference in any rate."
    )


def test_a_missing_ratio_is_no_number() -> None:
    assert answer([rate("ior-easy-write", None)])["verdict"].endswith(": no rate has a ratio.")


def test_different_conditions_are_not_like_for_like() -> None:
    match = {"outcome": "different", "differs": [{"name": "client_nodes", "values": ["5", "20"]}], "unknown": []}
    words = answer([rate("ior-easy-write", 2.0)], match, per="client")
    assert ", not like for like: " in words["verdict"]
    assert "IOR easy write per client differs most, B / A \N{MULTIPLICATION SIGN} 2.00" in words["verdict"]
    assert "5 / 20" in words["conditions"]


def test_a_comparison_of_benchmarks_has_a_reason_in_place_of_a_verdict() -> None:
    comparison = {"comparable": False, "notes": [{"message": "They are of different benchmarks."}], "matched": []}
    words = write_answer(HEADINGS, comparison, [])
    assert words["verdict"] == "Not comparable: They are of different benchmarks."


def test_the_spread_of_repeats_and_one_of_them_are_no_difference_of_runs() -> None:
    spread = rate("write", 0.01) | {"stat": "stddev"}
    repeat = rate("write", 0.02) | {"stat": "iteration", "context": {"iter": 0}}
    assert "\N{MULTIPLICATION SIGN} 1.20" in answer([rate("write", 1.2), spread, repeat])["verdict"]
