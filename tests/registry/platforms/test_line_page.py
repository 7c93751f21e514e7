"""The page of a line of platforms: what is wrong with a question stands at its field, and the form is kept."""

from __future__ import annotations

import re

import pytest

from registry.models import Platform
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import make_measurement, make_platform, make_release, make_result

ADDRESS = "/generations/maker-200/"


@pytest.fixture
def line(db) -> None:
    old = make_platform("maker-100", "Maker 100")
    new = make_platform("maker-200", "Maker 200", predecessor=old)
    release = make_release("T1")
    for name, value, platform in (("hw-a", 10.0, old), ("hw-b", 20.0, new)):
        result = make_result(release, name, None, platform=platform)
        make_measurement(result, "ior-easy-write", value)
        fact_index.rebuild_facts([result.pk])


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("x", "relase", "No result has &#x27;relase&#x27;."),
        ("per", "cleint", "One of client, server, process, "),
        ("metric", "bandwith", "No result has &#x27;bandwith&#x27;."),
        ("metric", "m" * 201, "At most 200 characters, and no NUL."),
        ("x", "<b>1</b>", "No result has &#x27;&lt;b&gt;1&lt;/b&gt;&#x27;."),
    ],
)
def test_a_wrong_value_stands_at_its_field(client, line, name: str, value: str, why: str) -> None:
    answer = client.get(ADDRESS, {"x": "release", "metric": "ior-easy-write", name: value})
    page = page_source(answer)
    assert answer.status_code == 400 and "<title>Error: 2 generations" in page
    assert len(re.findall(rf'name="{name}"[^>]*? aria-invalid="true" aria-describedby="error-{name}"', page)) == 1
    assert page.count("aria-invalid") == 1 and f'id="error-{name}">{why}' in page
    assert "Maker 100, Maker 200" in page and "<b>1</b>" not in page
    values = {"x": 'value="release" selected', "metric": 'value="ior-easy-write"'}
    assert all(text in page for other, text in values.items() if other != name)
    assert f'<a href="{ADDRESS}">All gains of this line</a>' in page and "hw-a" not in page


@pytest.mark.parametrize(("query", "named"), [("client_nodes__gte=abc", "client_nodes__gte: a"), ("tol=a", "tool")])
def test_a_name_without_a_field_is_named_above(client, line, query: str, named: str) -> None:
    answer = client.get(f"{ADDRESS}?{query}")
    page = page_source(answer)
    assert answer.status_code == 400 and named in page and 'name="metric"' in page and "aria-invalid" not in page


def test_the_line_of_an_unknown_platform_is_not_there(client, line) -> None:
    assert client.get("/generations/maker-300/?x=relase").status_code == 404
    assert client.get("/generations/maker-300/").status_code == 404


def test_a_right_question_is_answered_and_kept(client, line) -> None:
    answer = client.get(f"{ADDRESS}?x=platform&metric=ior-easy-write")
    page = page_source(answer)
    assert answer.status_code == 200 and "<title>2 generations" in page and "aria-invalid" not in page
    assert '<option value="">generation</option>' in page and 'value="ior-easy-write"' in page
    assert "IOR easy write bandwidth" in page


def test_another_axis_stays_chosen(client, line) -> None:
    page = page_source(client.get(f"{ADDRESS}?x=tool"))
    assert '<option value="tool" selected>tool</option>' in page


def test_numbers_begin_with_a_capital_letter(client, line) -> None:
    """Beside the labels of all other pages "write bandwidth" stood without one."""
    for number, platform in enumerate(Platform.objects.order_by("slug"), 3):
        release = make_release(f"T{number}")
        result = make_result(release, f"hw-{number}", None, tool="ior", platform=platform, client_nodes=4)
        make_measurement(result, "write", 5.0 * number, stat="max", scored=None)
        fact_index.rebuild_facts([result.pk])
    names = re.findall(r'<th role="rowheader" scope="row">([^<]*)<small>', page_source(client.get(ADDRESS)))
    assert len(names) > 1 and all(name[0].isupper() for name in names)
