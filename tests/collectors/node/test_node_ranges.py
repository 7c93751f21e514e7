"""Names of nodes written short."""

import pytest

from collectors.errors import UsageError
from collectors.node.node_ranges import expand_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("login1", ["login1"]),
        ("a,b", ["a", "b"]),
        (" a , b ", ["a", "b"]),
        ("nid[001-003,15],login1", ["nid001", "nid002", "nid003", "nid15", "login1"]),
        ("nid[8-11]", ["nid8", "nid9", "nid10", "nid11"]),
        ("nid[098-101]", ["nid098", "nid099", "nid100", "nid101"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("n[1-2]-ib.site.example", ["n1-ib.site.example", "n2-ib.site.example"]),
        ("a,a,a", ["a"]),
    ],
)
def test_ranges_are_expanded(text, names):
    assert expand_names(text) == names


@pytest.mark.parametrize(
    "text",
    ["", ",", "a,,b", "a,", "-oProxyCommand=x", "a b", "a;b", "$(id)", "user@host", "n[1", "n1]", "n[]", "n[a-b]",
     "n[3-1]", "n[1-2", "n[[1-2]]", "n[1-]", "n[-1]", "a/b", "é", "n" * 200, "a\nb"],
)  # fmt: skip
def test_texts_without_nodes_are_refused(text):
    with pytest.raises(UsageError) as caught:
        expand_names(text)
    assert caught.value.code == "collector.nodes"
    assert caught.value.hint


@pytest.mark.parametrize(
    "text", ["n[1-100001]", "n[0-999999999999999999]", "n[1-99999]m[1-99999]m[1-99999]", "a[1-60000],b[1-60000]"]
)
def test_more_nodes_than_any_machine_has_are_refused_unwritten(text):
    """To write out the longest of them would take years."""
    with pytest.raises(UsageError, match="more than 100000"):
        expand_names(text)
