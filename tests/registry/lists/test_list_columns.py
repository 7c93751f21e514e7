"""Which columns a list shows is the reader's choice: kept in the address, written one way, and never of ranks."""

from __future__ import annotations

import re

import pytest

from tests.html import page_source
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db
ADDRESS = "/lists/sc25/production/"


@pytest.fixture(autouse=True)
def ranked_list():
    release = make_release("sc25", "2025-11-01", name="SC25")
    rows = (("Big", 900.0, 40), ("Small", 300.0, 10))
    results = [
        make_result(release, f"l-{number}", score, bandwidth_gib_per_s=12.5, rate_kiops=77.0, client_nodes=clients,
                    system_name=system, filesystem_type="Lustre")
        for number, (system, score, clients) in enumerate(rows)
    ]  # fmt: skip
    return make_list(release, "production", results)


def heads_of(page: str) -> list[str]:
    """The words of the heads of the table, without units."""
    table = page.split("<table")[1].split("</thead>")[0]
    heads = re.findall(r'<th role="columnheader"[^>]*>(.*?)</th>', table, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<span.*?</span>", "", head)).split()) for head in heads]


def cells_of(page: str) -> int:
    """How many cells the first row has."""
    row = page.split("<tbody")[1].split("</tr>")[0]
    return row.count('role="cell"') + row.count('role="rowheader"')


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        ("", ["Rank", "System", "Institution", "File system", "Client nodes", "Score", "", "Bandwidth", "Metadata",
              "Entered"]),
        ("client_nodes,rate_kiops", ["Rank", "System", "Client nodes", "Score", "", "Metadata"]),
        ("score", ["Rank", "System", "Score", ""]),
    ],
)  # fmt: skip
def test_only_chosen_columns_are_shown(client, columns, heads) -> None:
    page = page_source(client.get(ADDRESS, {"columns": columns} if columns else {}))
    assert heads_of(page) == heads
    assert cells_of(page) == len(heads)


def test_ticks_of_the_form_become_one_short_address(client) -> None:
    answer = client.get(f"{ADDRESS}?columns=rate_kiops&q=Big&columns=institution&columns=score&r=l-1")
    assert (answer.status_code, answer["Location"]) == (302, f"{ADDRESS}?columns=institution,rate_kiops&q=Big&r=l-1")
    assert client.get(answer["Location"]).status_code == 200


def test_all_columns_chosen_leave_the_address_clean(client) -> None:
    names = "institution,filesystem_type,client_nodes,bandwidth_gib_per_s,rate_kiops,entered"
    assert client.get(f"{ADDRESS}?columns={names}&columns=score")["Location"] == ADDRESS


def test_sorting_filters_and_tray_keep_the_choice(client) -> None:
    page = page_source(client.get(ADDRESS, {"columns": "client_nodes", "q": "Big", "r": "l-1"}))
    assert "?q=Big&amp;r=l-1&amp;columns=client_nodes&amp;ordering=-client_nodes" in page
    assert 'href="?r=l-1&amp;columns=client_nodes">All</a>' in page
    assert 'name="columns" value="client_nodes" checked' in page
    assert 'name="columns" value="institution">' in page


def test_a_hidden_column_still_sorts_and_ranks_stay(client) -> None:
    page = page_source(client.get(ADDRESS, {"columns": "institution", "ordering": "client_nodes"}))
    assert re.findall(r'class="rank n">(\d+)<', page) == ["2", "1"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("instituton", "did you mean institution?"),
        ("institution,rank", "rank is no column of this list"),
        ("<b>", "&lt;b&gt; is no column of this list"),
        ("x" * 500, "characters"),
    ],
)
def test_an_unknown_column_is_refused(client, columns, message) -> None:
    answer = client.get(ADDRESS, {"columns": columns})
    assert answer.status_code == 400
    assert message in page_source(answer)


def test_commas_alone_show_every_column(client) -> None:
    assert client.get(f"{ADDRESS}?columns=,,")["Location"] == ADDRESS


def test_a_note_leaves_out_what_stands_beside_the_entries(client, db) -> None:
    release = make_release("SC18", note="All lists are known in full. Scores as first published.")
    make_list(release, "io500", [make_result(release, "r1")])
    page = page_source(client.get("/lists/SC18/io500/"))
    assert "Scores as first published." in page
    assert "known in full" not in page
