"""Ranking as arithmetic: order, ties, eligibility, best per system, manual decisions, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.lists.ranking import (
    DefinitionError,
    Entry,
    Override,
    PublishedRow,
    best_value,
    compare_lists,
    natural_key,
    rank_entries,
)

TEN_CLIENTS = {"fact": "client_nodes", "is": 10, "code": "not-ten", "otherwise": "Ten client nodes are asked for."}
TEN_OR_MORE = {"fact": "client_nodes", "at_least": 10, "code": "few", "otherwise": "At least ten are asked for."}
ACCEPTED = {"fact": "lists", "contains": "ten", "code": "not-accepted", "otherwise": "It was not accepted."}
RESEARCH = {"fact": "production", "is_not": True, "code": "production", "otherwise": "It is on the other list."}
SYSTEM = ["institution", "system", "filesystem_type"]


def definition(*eligible: dict[str, Any], best_per: list[str] | None = None, score: str = "score") -> dict[str, Any]:
    return {"eligible": list(eligible), "best_per": best_per or [], "score": score}


def entry(name: str, score: float | None, entered: str = "", **facts: Any) -> Entry:
    return Entry(name, {"score": score}, facts, entered)


def places(ranking: Any) -> list[tuple[int, str]]:
    return [(row.rank, row.entry) for row in ranking.rows]


def codes(ranking: Any) -> dict[str, str]:
    return {exclusion.entry: exclusion.code for exclusion in ranking.exclusions}


def test_highest_score_first() -> None:
    assert places(rank_entries([entry("a", 1.0), entry("b", 3.0), entry("c", 2.0)], definition())) == [
        (1, "b"),
        (2, "c"),
        (3, "a"),
    ]


def test_an_empty_pool_makes_an_empty_list() -> None:
    assert rank_entries([], definition()).rows == ()


def test_ties_share_a_rank_and_the_next_rank_is_skipped() -> None:
    ranking = rank_entries([entry("a", 9.0), entry("b", 5.32), entry("c", 5.32), entry("d", 1.0)], definition())
    assert places(ranking) == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]
    assert [(row.rank_low, row.rank_high) for row in ranking.rows] == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_ties_are_ordered_by_first_entry_and_then_number() -> None:
    tied = [entry("io500-200", 5.0, "2020-01-01"), entry("io500-46", 5.0, "2020-01-01"), entry("io500-9", 5.0, "2021")]
    assert [name for _, name in places(rank_entries(tied, definition()))] == ["io500-46", "io500-200", "io500-9"]


@pytest.mark.parametrize("score", [None, math.nan, math.inf, -math.inf, 0.0, -1.0])
def test_only_positive_scores_rank(score: float | None) -> None:
    ranking = rank_entries([entry("a", score), entry("b", 1.0)], definition())
    assert places(ranking) == [(1, "b")]
    assert codes(ranking) == {"a": "no-score"}


@pytest.mark.parametrize("score", [None, math.nan, 0.0])
def test_an_override_cannot_rank_a_missing_score(score: float | None) -> None:
    ranking = rank_entries([entry("a", score)], definition(), [Override("a", "include", "It is well known.")])
    assert ranking.rows == ()
    assert codes(ranking) == {"a": "no-score"}


def test_an_override_score_must_itself_be_a_number() -> None:
    assert rank_entries([entry("a", 2.0)], definition(), [Override("a", "score", "Recomputed.", math.nan)]).rows == ()


def test_a_failed_condition_gives_its_code_and_sentence() -> None:
    ranking = rank_entries(
        [entry("a", 1.0, client_nodes=11), entry("b", 1.0, client_nodes=10)], definition(TEN_CLIENTS)
    )
    assert places(ranking) == [(1, "b")]
    assert ranking.exclusions[0].why == "Ten client nodes are asked for."


@pytest.mark.parametrize(
    ("condition", "facts", "listed"),
    [
        (TEN_OR_MORE, {"client_nodes": 10}, True),
        (TEN_OR_MORE, {"client_nodes": 9}, False),
        (TEN_OR_MORE, {"client_nodes": None}, False),
        (TEN_OR_MORE, {}, False),
        (TEN_CLIENTS, {}, False),
        (ACCEPTED, {"lists": ["ten", "full"]}, True),
        (ACCEPTED, {"lists": []}, False),
        (ACCEPTED, {}, False),
        (RESEARCH, {"production": True}, False),
        (RESEARCH, {"production": False}, True),
        (RESEARCH, {"production": None}, True),
    ],
)
def test_each_kind_of_condition(condition: dict[str, Any], facts: dict[str, Any], listed: bool) -> None:
    assert bool(rank_entries([entry("a", 1.0, **facts)], definition(condition)).rows) is listed


@pytest.mark.parametrize("broken", [{}, {"is": 1, "at_least": 1}, {"matches": "x"}])
def test_a_condition_must_have_exactly_one_known_test(broken: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        rank_entries([entry("a", 1.0)], definition({"fact": "client_nodes", "code": "c", "otherwise": "No.", **broken}))


def test_the_best_of_a_system_ranks_in_any_letter_case() -> None:
    same = {"institution": "KAUST", "system": "Shaheen", "filesystem_type": "Lustre"}
    other = {"institution": "kaust ", "system": "SHAHEEN", "filesystem_type": "lustre"}
    ranking = rank_entries([entry("a", 1.0, **same), entry("b", 2.0, **other)], definition(best_per=SYSTEM))
    assert places(ranking) == [(1, "b")]
    assert codes(ranking) == {"a": "not-best"}
    assert ranking.exclusions[0].why == "b has the same institution, system and file system type and scores 2."


def test_an_ineligible_entry_does_not_displace_the_next_best_of_its_system() -> None:
    same = {"institution": "X", "system": "Y", "filesystem_type": "Z"}
    pool = [entry("a", 9.0, client_nodes=4, **same), entry("b", 5.0, client_nodes=10, **same)]
    assert places(rank_entries(pool, definition(TEN_CLIENTS, best_per=SYSTEM))) == [(1, "b")]


def test_a_list_may_rank_by_another_value() -> None:
    slow, fast = Entry("a", {"score": 9.0, "rate_kiops": 1.0}), Entry("b", {"score": 1.0, "rate_kiops": 9.0})
    assert places(rank_entries([slow, fast], definition(score="rate_kiops"))) == [(1, "b"), (2, "a")]


def test_an_excluded_entry_is_off_and_shows_the_reason() -> None:
    ranking = rank_entries(
        [entry("a", 2.0), entry("b", 1.0)], definition(), [Override("a", "exclude", "Not persistent.")]
    )
    assert places(ranking) == [(1, "b")]
    assert (ranking.exclusions[0].code, ranking.exclusions[0].why) == ("override-excluded", "Not persistent.")


def test_excluding_the_best_of_a_system_adds_no_other_entry() -> None:
    pool = [entry("a", 2.0, institution="X"), entry("b", 1.0, institution="X")]
    assert rank_entries(pool, definition(best_per=["institution"]), [Override("a", "exclude", "Doubtful.")]).rows == ()


def test_an_included_entry_skips_the_rules_and_displaces_nobody() -> None:
    pool = [entry("a", 2.0, institution="X", client_nodes=10), entry("b", 3.0, institution="X", client_nodes=2)]
    decided = [Override("b", "include", "Decided by the committee.")]
    ranking = rank_entries(pool, definition(TEN_CLIENTS, best_per=["institution"]), decided)
    assert places(ranking) == [(1, "b"), (2, "a")]
    assert ranking.rows[0].reason == "Decided by the committee."


def test_a_score_override_ranks_by_the_list_s_own_score() -> None:
    pool = [entry("a", 70.63), entry("b", 50.0)]
    ranking = rank_entries(pool, definition(), [Override("a", "score", "Rates corrected.", 44.3)])
    assert [(row.entry, row.score) for row in ranking.rows] == [("b", 50.0), ("a", 44.3)]


@pytest.mark.parametrize(
    ("action", "reason", "score"),
    [("drop", "Because.", None), ("exclude", " ", None), ("score", "Because.", None), ("include", "Because.", 1.0)],
)
def test_a_contradictory_override_is_refused(action: str, reason: str, score: float | None) -> None:
    with pytest.raises(DefinitionError):
        Override("a", action, reason, score)


def test_two_decisions_about_one_entry_are_refused() -> None:
    with pytest.raises(DefinitionError):
        rank_entries(
            [entry("a", 1.0)], definition(), [Override("a", "exclude", "No."), Override("a", "include", "Yes.")]
        )


def test_a_decision_about_an_unknown_entry_is_refused() -> None:
    with pytest.raises(DefinitionError):
        rank_entries([entry("a", 1.0)], definition(), [Override("b", "exclude", "No.")])


def test_an_entry_twice_in_the_pool_is_refused() -> None:
    with pytest.raises(DefinitionError):
        rank_entries([entry("a", 1.0), entry("a", 2.0)], definition())


def test_differences_name_what_is_missing_surplus_rescored_and_misplaced() -> None:
    computed = rank_entries([entry("a", 9.0), entry("b", 8.0), entry("c", 7.0)], definition())
    differences = compare_lists(
        [PublishedRow(1, "a", 9.5), PublishedRow(2, "c", 7.0), PublishedRow(3, "d", 1.0)], computed
    )
    assert differences.missing == ("d",)
    assert differences.surplus == ("b",)
    assert differences.scores == (("a", 9.5, 9.0),)
    assert differences.ranks == (("c", 2, 3),)


def test_published_ranks_inside_a_tie_are_no_difference() -> None:
    computed = rank_entries([entry("io500-198", 5.32), entry("io500-199", 5.32), entry("c", 1.0)], definition())
    published = [PublishedRow(1, "io500-199", 5.32), PublishedRow(2, "io500-198", 5.32), PublishedRow(3, "c", 1.0)]
    assert not compare_lists(published, computed)


def test_natural_order_compares_numbers_by_value() -> None:
    assert sorted(["io500-46", "io500-9", "io500-sc22-x-1"], key=natural_key) == [
        "io500-9",
        "io500-46",
        "io500-sc22-x-1",
    ]


scores = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([1.0, 2.0, 5.32]))
pools = st.lists(st.tuples(scores, st.sampled_from("xyz"), st.integers(8, 12)), max_size=25).map(
    lambda rows: [
        entry(f"io500-{number}", score, institution=site, client_nodes=nodes)
        for number, (score, site, nodes) in enumerate(rows)
    ]
)


@given(pools, st.randoms(use_true_random=False))
def test_the_order_of_the_input_never_matters(pool: list[Entry], random: Any) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    rules = definition(TEN_OR_MORE, best_per=["institution"])
    assert rank_entries(shuffled, rules) == rank_entries(pool, rules)


@given(pools)
def test_every_entry_is_either_ranked_or_left_out_with_a_reason(pool: list[Entry]) -> None:
    ranking = rank_entries(pool, definition(TEN_OR_MORE, best_per=["institution"]))
    ranked, left_out = {row.entry for row in ranking.rows}, {exclusion.entry for exclusion in ranking.exclusions}
    assert ranked | left_out == {pool_entry.id for pool_entry in pool}
    assert not ranked & left_out
    assert all(exclusion.why for exclusion in ranking.exclusions)


@given(pools)
def test_a_rank_counts_the_better_scores(pool: list[Entry]) -> None:
    rows = rank_entries(pool, definition()).rows
    for row in rows:
        assert row.rank == 1 + sum(other.score > row.score for other in rows)
        assert row.rank_high == sum(other.score >= row.score for other in rows)


# Measurements of other tools

RANKS = {"op": "write", "quantity": "bandwidth", "stat": "mean", "context": {"job": 1}}


def row(value: float, op: str = "write", stat: str = "mean", **context: Any) -> dict[str, Any]:
    return {"op": op, "quantity": "bandwidth", "stat": stat, "value": value, "context": context}


def test_the_best_of_the_named_measurements_ranks() -> None:
    rows = [row(1.0, job=1), row(2.0, job=1, test=4), row(8.0, job=2), row(9.0), row(7.0, op="read", job=1)]
    assert best_value(rows, RANKS, lower_is_better=False) == 2.0
    assert best_value(rows, RANKS, lower_is_better=True) == 1.0
    assert best_value([row(9.0, stat="max", job=1)], RANKS, lower_is_better=False) is None


def test_the_lowest_value_ranks_first_when_less_is_better() -> None:
    entries = [Entry(name, {"measured": value}, {"system": name[0]}) for name, value in
               (("a1", 4.0), ("a2", 3.0), ("b", 9.0), ("c", None))]  # fmt: skip
    ranking = rank_entries(entries, {"eligible": [], "best_per": ["system"]}, lower_is_better=True)
    assert places(ranking) == [(1, "a2"), (2, "b")]
    assert codes(ranking) == {"a1": "not-best", "c": "no-score"}


@pytest.mark.parametrize(
    ("condition", "fact", "holds"),
    [
        ({"one_of": ["4k", "4K"]}, "4K", True),
        ({"one_of": ["4k", "4K"]}, "8k", False),
        ({"one_of": ["4k"]}, None, False),
        ({"at_least": 5}, "many", False),
        ({"contains": "x"}, 7, False),
        ({"is": "h100"}, "h100", True),
    ],
)
def test_a_condition_on_a_parameter_of_any_type(condition: dict[str, Any], fact: Any, holds: bool) -> None:
    one_condition = definition({"fact": "p.bs", "code": "other", "otherwise": "No."} | condition)
    assert bool(rank_entries([entry("a", 1.0, **{"p.bs": fact})], one_condition).rows) is holds
