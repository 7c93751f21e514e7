"""Groups of like measurements of one enclosure; by hand, without the record."""

from __future__ import annotations

from registry.platforms.sizing_groups import group_by_facts, parting_facts, unlike_units, varying_parts
from registry.query.values.qualified_values import qualified_number

FACTS = {
    "a": {"fabric": "TCP", "direct_io": "true"},
    "b": {"fabric": "InfiniBand", "direct_io": "true"},
    "c": {"direct_io": "true"},
    "d": {"fabric": "TCP", "direct_io": "true"},
    "e": {"direct_io": "true"},
}


def rows(*ids: str) -> list[dict]:
    return [{"result": id} for id in ids]


def test_differing_and_missing_facts_split_groups() -> None:
    assert parting_facts(FACTS.values(), ["fabric", "direct_io", "raid"]) == ["fabric"]
    assert parting_facts([FACTS["a"], FACTS["c"]], ["fabric"]) == ["fabric"]
    assert parting_facts([FACTS["c"], FACTS["e"]], ["fabric"]) == []
    assert parting_facts([], ["fabric"]) == []


def test_groups_follow_their_first_rows_and_name_known_facts() -> None:
    groups = group_by_facts(rows("a", "b", "c", "d", "e"), FACTS, ["fabric"])
    assert [(dict(facts), [row["result"] for row in members]) for facts, members in groups] == [
        ({"fabric": "TCP"}, ["a", "d"]),
        ({"fabric": "InfiniBand"}, ["b"]),
        ({}, ["c", "e"]),
    ]


def test_rows_without_differing_facts_are_one_group() -> None:
    assert [len(members) for _, members in group_by_facts(rows("a", "b"), FACTS, [])] == [2]


def test_different_rates_have_no_number_of_units() -> None:
    answer = unlike_units([qualified_number(200.0, "below"), qualified_number(100.0), qualified_number(50.0)])
    assert answer == {"low": None, "middle": None, "high": None, "measurements": 2, "qualifier": "unknown"}


def test_the_alternatives_of_the_best_rate_are_named() -> None:
    def rate(op: str, **context: object) -> dict:
        return {"op": op, "stat": "max", "context": context}

    assert varying_parts([rate("write", qualifier="about")]) == {}
    assert varying_parts([rate("write", size="1m"), rate("rewrite", size="4k", qualifier="about")]) == {
        "op": ["rewrite", "write"],
        "size": ["1m", "4k"],
    }
