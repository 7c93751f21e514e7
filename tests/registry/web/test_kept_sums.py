"""Sums over the record that pages show: made once, and told anew after any write, also one that was seen by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from registry.models import ListEntry, Platform, Release, Result, System
from registry.systems import result_groups
from registry.web.caching import kept_value
from tests.html import page_source
from tests.registry.record import empty, make_list, make_release, make_result

pytestmark = pytest.mark.django_db(transaction=True)

AWARDS, ANALYSIS = "/api/v1/releases/T1/awards/", "/api/v1/analysis/io500/"
OF_LISTS = 'FROM "registry_listentry"'


@pytest.fixture(autouse=True)
def record() -> Iterator[None]:
    """Two results on a frozen list, the first in score far ahead."""
    release, platform = make_release("T1"), Platform.objects.create(slug="p1", name="Platform One")
    results = [make_result(release, f"hw-{place}", score, client_nodes=10) for place, score in ((1, 50.0), (2, 5.0))]
    Result.objects.update(platform=platform)
    make_list(release, "io500", results)
    yield
    empty()


@pytest.fixture
def _cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of platforms list one result."""
    monkeypatch.setattr(result_groups, "MOST_ROWS", 1)


def best_score(client: Client) -> float | None:
    best: float | None = client.get(ANALYSIS).json()["releases"][0]["best_score"]
    return best


def winner(client: Client) -> str:
    awards = client.get(AWARDS).json()["awards"]
    return str(next(award for award in awards if award["award"] == "overall")["winners"][0]["result"])


def statements_of(client: Client, address: str) -> list[str]:
    noted: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        noted.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert client.get(address).status_code == 200, address
    return noted


@pytest.mark.parametrize(
    ("address", "counting"),
    [
        (ANALYSIS, OF_LISTS),
        (AWARDS, OF_LISTS),
        ("/analysis/io500/", OF_LISTS),
        ("/releases/T1/awards/io500/overall/badge.svg", OF_LISTS),
        ("/", "COUNT(DISTINCT"),
        ("/metrics", 'COUNT("registry_result"."id")'),
        ("/sitemap.xml", 'SELECT "registry_result"."id"'),
        ("/sitemap-results.xml", 'SELECT "registry_system"."id"'),
        ("/results/", 'COUNT("registry_result"."id")'),
        ("/results/?tool=io500", "jsonb_each(found.parameters)"),
        ("/platforms/p1/", "ARRAY_AGG("),
        ("/platforms/", 'MAX("registry_result"."score")'),
        ("/api/v1/platforms/p1/", "MAX("),
        ("/api/v1/search/?q=nowhere", "regexp_split_to_table"),
    ],
)
@pytest.mark.usefixtures("_cut")
def test_counts_of_the_record_are_kept(client, address, counting) -> None:
    cache.clear()
    counted = [any(counting in sql for sql in statements_of(client, address)) for _ in range(2)]
    assert counted == [True, False]


def test_a_withdrawal_changes_kept_sums(client) -> None:
    assert (best_score(client), winner(client)) == (50.0, "hw-1")
    Result.objects.filter(public_id="hw-1").update(withdrawn_at=timezone.now())
    assert (best_score(client), winner(client)) == (5.0, "hw-2")


@pytest.mark.usefixtures("_cut")
def test_a_withdrawal_changes_sums_of_a_platform(client) -> None:
    def scores() -> tuple[bool, float]:
        page, answer = page_source(client.get("/platforms/p1/")), client.get("/api/v1/platforms/p1/").json()
        return "<dd>50.00</dd>" in page, answer["best"][0]["score"]

    assert scores() == (True, 50.0)
    Result.objects.filter(public_id="hw-1").update(withdrawn_at=timezone.now())
    assert scores() == (False, 5.0)


def test_a_withdrawal_changes_counts_of_all_platforms(client) -> None:
    def words() -> list[str]:
        row = page_source(client.get("/platforms/")).partition("<tbody")[2].partition("</tr>")[0]
        return re.sub("<[^>]*>", " ", row).split()[-3:]

    System.objects.update(platform=Platform.objects.get())
    systems = str(System.objects.count())
    assert words() == [systems, "2", "50.00"]
    Result.objects.filter(public_id="hw-1").update(withdrawn_at=timezone.now())
    assert words() == [systems, "1", "5.00"]
    Result.objects.update(platform=None)
    System.objects.update(platform=None)
    assert words() == ["0", "0", "—"]


def test_names_of_new_systems_are_suggested(client) -> None:
    address = "/api/v1/search/?q=wolvrine"
    assert client.get(address).json()["searched_instead"] is None
    make_result(Release.objects.get(), "hw-3", system_name="Wolverine")
    assert client.get(address).json()["searched_instead"] == "wolverine"


def test_the_cache_holds_one_value_of_each_sum() -> None:
    def count_kept() -> int:
        return len(cache._cache.get_client(None).keys("*:one-of-each*"))

    assert [kept_value("one-of-each", lambda: 1), count_kept()] == [1, 1]
    Result.objects.update(score=7.0)
    assert [kept_value("one-of-each", lambda: 2), count_kept()] == [2, 1]
    assert kept_value("one-of-each", lambda: 3) == 2


def test_a_write_by_sql_changes_kept_sums(client) -> None:
    assert best_score(client) == 50.0
    with connection.cursor() as cursor:
        cursor.execute("UPDATE registry_listentry SET score = 7 WHERE position = 1")
    assert best_score(client) == 7.0


def test_rolled_back_writes_are_never_kept(client) -> None:
    with transaction.atomic():
        ListEntry.objects.filter(position=1).update(score=99.0)
        assert best_score(client) == 99.0
        ListEntry.objects.filter(position=1).update(score=98.0)
        assert best_score(client) == 98.0
        transaction.set_rollback(True)
    assert best_score(client) == 50.0


def test_a_sum_without_value_is_made_again() -> None:
    calls: list[int] = []

    def make() -> None:
        calls.append(1)

    assert kept_value("nothing", make) is None and kept_value("nothing", make) is None
    assert len(calls) == 2
