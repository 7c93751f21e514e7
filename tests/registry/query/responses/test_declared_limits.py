"""What a source says that its numbers may not be compared for."""

from __future__ import annotations

from registry.query.responses.declared_limits import Limit, ids_out_of_order, read_limits, reasons_against

NODES = Limit("Other nodes.", quantity="time", others=frozenset({"b"}))
RANGE = Limit("Ends of a range.", op="write", quantity="bandwidth")


def test_limits_are_parsed_in_the_form_of_documents() -> None:
    rows = [
        {"reason": "Other nodes.", "quantity": "time", "with": ["b"]},
        {"reason": "Ends of a range.", "op": "write", "quantity": "bandwidth"},
    ]
    assert read_limits(rows) == (NODES, RANGE)
    assert read_limits(None) == read_limits([]) == ()


def test_a_limit_of_either_side_applies_to_both_once() -> None:
    assert reasons_against(("a", [NODES]), ("b", []), "run", "time") == ["Other nodes."]
    assert reasons_against(("b", []), ("a", [NODES]), "run", "time") == ["Other nodes."]
    assert reasons_against(("a", [RANGE]), ("b", [RANGE]), "write", "bandwidth") == ["Ends of a range."]


def test_a_limit_holds_only_for_what_it_names() -> None:
    assert reasons_against(("a", [NODES]), ("c", []), "run", "time") == []
    assert reasons_against(("a", [NODES]), ("b", []), "run", "bandwidth") == []
    assert reasons_against(("a", [RANGE]), ("b", []), "read", "bandwidth") == []


def test_a_result_is_not_ordered_against_its_source() -> None:
    limits = {"a": [NODES], "b": [RANGE], "c": []}
    assert ids_out_of_order(limits, [("run", "time")], ["a", "b", "c"]) == {"a": ["Other nodes."]}
    assert ids_out_of_order(limits, [("run", "time")], ["a", "c"]) == {}
    assert ids_out_of_order(limits, [("write", "bandwidth")], []) == {"b": ["Ends of a range."]}
    assert ids_out_of_order(limits, [("read", "bandwidth")], ["a", "b"]) == {}
