"""The level by rule: what raises it, what holds it back, when it falls, and that later rules change no earlier mark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from validators.reproduction.levels import LevelMark, Repetition, load_rules, mark_levels

FIRST = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def changes(marks: list[LevelMark]) -> list[tuple[datetime, str, str]]:
    return [(mark.at, mark.before, mark.after) for mark in marks]


@pytest.mark.parametrize(
    ("awarded", "sites", "after"),
    [
        ("undefined", 1, "limited"),
        ("undefined", 5, "limited"),
        ("limited", 1, "proprietary"),
        ("proprietary", 1, None),
        ("proprietary", 2, "fully"),
        ("fully", 3, None),
        ("limited", 0, None),
        ("a level of another time", 2, None),
    ],
)
def test_a_level_rises_by_one_step(awarded: str, sites: int, after: str | None) -> None:
    marks = mark_levels(awarded, [Repetition(f"hw-{site}", site, True, FIRST) for site in range(sites)])
    assert changes(marks) == ([(FIRST, awarded, after)] if after else [])


def test_one_institution_counts_once() -> None:
    twice = [Repetition("hw-2", 7, True, FIRST), Repetition("hw-3", 7, True, FIRST + DAY)]
    assert mark_levels("proprietary", twice) == []


def test_a_level_falls_back_with_a_mark_when_its_reproduction_goes() -> None:
    marks = mark_levels("limited", [Repetition("hw-2", 7, True, FIRST, FIRST + DAY, "withdrawn")])
    assert changes(marks) == [(FIRST, "limited", "proprietary"), (FIRST + DAY, "proprietary", "limited")]
    assert [mark.reason for mark in marks] == [
        "reproduced by 1 site: hw-2", "hw-2 was withdrawn; reproduced by 0 sites",
    ]  # fmt: skip


def test_a_level_stays_while_another_reproduction_stands() -> None:
    rows = [Repetition("hw-2", 7, True, FIRST, FIRST + DAY, "withdrawn"), Repetition("hw-3", 8, True, FIRST)]
    assert changes(mark_levels("limited", rows)) == [(FIRST, "limited", "proprietary")]


def test_as_many_failures_as_successes_raise_nothing() -> None:
    rows = [Repetition("hw-2", 7, True, FIRST), Repetition("hw-3", 8, False, FIRST + DAY)]
    assert changes(mark_levels("limited", rows)) == [
        (FIRST, "limited", "proprietary"), (FIRST + DAY, "proprietary", "limited"),
    ]  # fmt: skip
    fallen = mark_levels("limited", rows)[1]
    assert fallen.reason == "reproduced by 1 site: hw-2; not reproduced by 1 site: hw-3"
    assert fallen.results == ("hw-2", "hw-3")
    assert mark_levels("limited", rows[1:]) == []


def test_a_later_rule_adds_a_mark_and_changes_none() -> None:
    strict = {
        "rule": "reproduced.2",
        "since": "2026-12-10",
        "steps": [{"from": "limited", "to": "proprietary", "sites": 2}],
    }
    rows = [Repetition("hw-2", 7, True, FIRST)]
    marks = mark_levels("limited", rows, [*load_rules(), strict])
    assert marks[:1] == mark_levels("limited", rows)
    begin = datetime(2026, 12, 10, tzinfo=UTC)
    assert changes(marks[1:]) == [(begin, "proprietary", "limited")] and marks[1].rule == "reproduced.2"


def test_a_level_rises_from_the_day_of_the_first_rule() -> None:
    early = datetime(2026, 11, 1, tzinfo=UTC)
    (mark,) = mark_levels("limited", [Repetition("hw-2", 7, True, early)])
    assert mark.at == datetime(2026, 11, 27, tzinfo=UTC)


def test_the_rules_name_levels_and_days_in_order() -> None:
    order = ["undefined", "limited", "proprietary", "fully"]
    rules = load_rules()
    assert [rule["since"] for rule in rules] == sorted(rule["since"] for rule in rules)
    for step in (step for rule in rules for step in rule["steps"]):
        assert order.index(step["to"]) - order.index(step["from"]) == 1


def test_sites_that_share_a_member_raise_a_level_as_one() -> None:
    rows = [Repetition("hw-2", 7, True, FIRST), Repetition("hw-3", 8, True, FIRST + DAY, shares_with=["hw-2"])]
    assert mark_levels("proprietary", rows) == []
    rows.append(Repetition("hw-4", 9, True, FIRST + 2 * DAY, shares_with=[]))
    (mark,) = mark_levels("proprietary", rows)
    assert (mark.at, mark.after, mark.results) == (FIRST + 2 * DAY, "fully", ("hw-2", "hw-4"))
    assert mark.reason == "reproduced by 2 sites: hw-2, hw-4"


def test_a_site_counts_again_when_the_one_that_it_shares_a_member_with_goes() -> None:
    rows = [
        Repetition("hw-2", 7, True, FIRST, FIRST + 2 * DAY, "withdrawn"),
        Repetition("hw-3", 8, True, FIRST + DAY, shares_with=["hw-2"]),
    ]
    assert changes(mark_levels("limited", rows)) == [(FIRST, "limited", "proprietary")]


def test_failures_of_sites_with_a_common_member_hold_back_as_one() -> None:
    rows = [
        Repetition("hw-2", 7, False, FIRST),
        Repetition("hw-3", 8, False, FIRST, shares_with=["hw-2"]),
        Repetition("hw-4", 9, True, FIRST + DAY),
        Repetition("hw-5", 10, True, FIRST + 2 * DAY),
    ]
    assert changes(mark_levels("limited", rows)) == [(FIRST + 2 * DAY, "limited", "proprietary")]


def test_one_of_several_uncompared_sites_raises_a_level() -> None:
    rows = [Repetition(f"hw-{site}", site, True, FIRST, shares_with=None) for site in (7, 8)]
    assert mark_levels("proprietary", rows) == []
