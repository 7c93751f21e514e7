"""What varies among the rows of a ranking; by hand, without the record."""

from __future__ import annotations

from registry.comparison.group_variation import MOST_VALUES, describe_variation, facts_beside


def test_values_have_counts_and_missing_values_are_listed_apart() -> None:
    rows = [
        {"accelerator": "h100", "client_nodes": "5", "model": "unet3d"},
        {"accelerator": "a100", "model": "unet3d"},
        {"accelerator": "h100", "model": "unet3d", "system": "x"},
    ]
    varies, unknown = describe_variation(rows, ["client_nodes", "accelerator", "model", "nps"])
    assert varies == [
        {
            "name": "accelerator",
            "values": [{"value": "h100", "count": 2}, {"value": "a100", "count": 1}],
            "more": 0,
            "unknown": 0,
        }
    ]
    assert unknown == [{"name": "client_nodes", "unknown": 2}]


def test_the_most_frequent_values_are_listed_and_the_others_counted() -> None:
    rows = [{"client_nodes": str(number)} for number in range(30)] + [{"client_nodes": "7"}, {}]
    ((fact,), unknown) = describe_variation(rows, ["client_nodes"])
    assert (fact["values"][0], len(fact["values"])) == ({"value": "7", "count": 2}, MOST_VALUES)
    assert (fact["more"], fact["unknown"], unknown) == (30 - MOST_VALUES, 1, [])


def test_no_row_and_a_single_row_have_no_variation() -> None:
    assert describe_variation([], ["client_nodes"]) == ([], [])
    assert describe_variation([{"client_nodes": "5"}], ["client_nodes"]) == ([], [])


def test_components_of_systems_and_facts_of_the_formula_are_left_out() -> None:
    names = facts_beside({"training"}, set(), {"client_nodes"})
    assert {"accelerator", "num_accelerators", "division", "model"} <= set(names)
    assert {"system", "platform", "filesystem", "drive_model", "fabric", "client_nodes"}.isdisjoint(names)
    assert "direct_io" in facts_beside({"bandwidth"}, set(), set()) and "direct_io" not in names


def test_settings_that_make_another_experiment_of_a_benchmark_count() -> None:
    """fio with other requests or another direction is another experiment; of other benchmarks these mean nothing."""
    assert {"rw", "bs"} <= set(facts_beside({"bandwidth"}, {"fio"}, set()))
    assert {"rw", "bs"}.isdisjoint(facts_beside({"bandwidth"}, {"ior"}, set()))
    assert "bs" not in facts_beside({"bandwidth"}, {"fio"}, {"bs"})
