"""No public page or answer reads more of the database because the record is larger, but for those named here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import get_resolver
from django.utils.http import urlencode

from bench.synthetic import LIST_NAME, PHASES, PLATFORMS, empty, record
from registry import api_urls, page_urls
from registry.models import SavedStudy
from registry.site_pages import sitemaps
from registry.studies import saved_queries

SIZES = (10_000, 100_000)
MOST_TIMES = 2
FREE_BLOCKS = 200
"""So many more are no growth: trees of indexes become deeper, and plans change."""

RANKING = "by-score"
METRIC = ".".join((PHASES[0][0], PHASES[0][1], "phase"))
STUDY = {"metric": METRIC, "x": "client_nodes", "series": "api"}
STUDIES = ("es400-score", "gpudirect-scores", "sc23-lists", "standard-sweep", "e1000-fabric-direct", "claims")
"""Of the curated studies those that ask the record for IO500, its lists or all of it."""
QUERIES: dict[str, tuple[dict[str, str], ...]] = {
    "list": (
        {},
        {"page": "{last}"},
        {"filesystem_type": "Lustre"},
        {"ordering": "-client_nodes"},
        {"q": "System 77"},
        {"per": "client"},
    ),
    "api-list": ({}, {"filesystem_type": "Lustre"}, {"q": "System 77"}),
    "results": ({}, {"tool": "io500"}, {"filesystem_type": "DAOS"}, {"q": "System 77"}, {"ordering": "-score"}),
    "api-results": ({}, {"tool": "io500"}, {"filesystem_type": "DAOS"}, {"q": "System 77"}, {"p.api": "DFS"}),
    "systems": ({}, {"q": "System 77"}),
    "api-systems": ({}, {"q": "System 77"}),
    "search": ({"q": "System 77"}, {"q": "lustre"}, {"q": "Bench site 7"}, {"q": "stripe count"}),
    "api-search": ({"q": "System 77"}, {"q": "lustre"}, {"q": "Bench site 7"}, {"q": "stripe count"}),
    "compare": ({"results": "bench-1,bench-2"},),
    "api-compare": ({"results": "bench-1,bench-2"},),
    "explore": ({}, {"tool": "io500"}),
    "study-question": ({}, STUDY),
    "api-study": (STUDY, {"metric": "score", "x": "filesystem"}),
    "ranking-question": ({}, {"formula": "score"}, {"formula": f"[{METRIC}] / client_nodes"}),
    "api-ranking": ({"formula": "score"}, {"formula": f"[{METRIC}] / client_nodes"}),
    "stragglers": ({}, {"members": "248", "slow": "2"}),
    "api-stragglers": ({"members": "248", "slow": "2"},),
    "system-sweep": ({}, {"x": "client_nodes"}),
    "parameters-shared": ({}, {"tool": "io500"}),
    "api-parameters-shared": ({}, {"tool": "io500"}),
}
"""Queries of an address; without an entry it is asked without one."""

NOT_OF_THE_RECORD = {
    "livez": "asks nothing",
    "readyz": "asks whether the database answers",
    "healthz": "asks whether the database answers",
    "preferences": "takes a form",
    "keep-results": "takes a form",
    "demonstration-run": "shows one of a few constructed runs",
}
NO_ROWS = {
    "log-checkpoint": "a file of the log",
    "log-tile": "a file of the log",
    "reconstructed-list": "one list of io500.org",
    "api-list-reconstructed": "one list of io500.org",
    "certificate": "one award",
    "result-copy": "a stored file",
    "api-release-proof": "one leaf of the log",
    "api-list-proof": "one leaf of the log",
    "api-result-proof": "one leaf of the log",
    "api-name-change": "one row",
    "api-mark": "one row",
    "api-mark-proof": "one leaf of the log",
    "api-name-change-proof": "one leaf of the log",
    **dict.fromkeys(
        ("api-site-proof", "api-system-proof", "api-platform-proof", "api-export-proof"), "one leaf of the log"
    ),
    "api-result-system": "the document of one result",
    "api-result-system-form": "the document of one result",
    "api-sizing": "results with a number of enclosures",
    "api-export": "a file that a worker made; with a filter a stream as long as its answer",
    "client-wheel": "a file of the installation",
    "collector-wheel": "a file of the installation",
    "tour": "recorded pages, where there are any",
    "tour-screen": "recorded pages, where there are any",
}
"""Addresses that the constructed record has nothing for: each reads one thing by its key."""
GROWING = {
    "asks a number of every result": (
        "ranking",
        "api-ranking",
        "api-ranking-saved",
        "ranking-question formula",
        "study-question metric",
        "study es400-score",
        "study-card es400-score",
        "api-study",
        "api-study-curated es400-score",
    ),
    "finds the systems of all results that have the words": tuple(
        f"{route} q={words}" for route in ("search", "api-search") for words in ("System 77", "lustre", "Bench site 7")
    ),
    "reads the results that a filter leaves": ("api-results p.api", "api-list filesystem_type"),
    "asks of each row on a page of up to 1,000 whether it has a result": (
        "sitemap-section systems",
        "sitemap-section sites",
    ),
}
"""What still reads more, by beginnings of its names: a route, or a route and a query. It only gets shorter."""
LEADS_ELSEWHERE = {"release-lists", "analyses"}
"""Addresses that answer by the address of a page: 302."""

pytestmark = pytest.mark.deep


class Question(NamedTuple):
    """A name for a route with its query, and the address of that in a record of some size."""

    name: str
    address: str
    status: int


@pytest.fixture(scope="module")
def blocks(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[dict[str, int]]]:
    """By size of the record: blocks that each question reads."""
    with django_db_blocker.unblock():
        try:
            yield [{name: _count_blocks(*rest) for name, *rest in _questions(size)} for size in SIZES]
        finally:
            empty()


def _questions(size: int) -> Iterator[Question]:
    values = _values(release := record(size))
    for pattern in (*page_urls.urlpatterns, *api_urls.urlpatterns):
        if pattern.name in NOT_OF_THE_RECORD | NO_ROWS:
            continue
        status = 302 if pattern.name in LEADS_ELSEWHERE else 200
        for arguments in values.get(pattern.name, [{}]):
            known_values = {name: (values["*"][0] | arguments)[name] for name in pattern.pattern.converters}
            address = get_resolver().reverse(pattern.name, **known_values)
            for query in QUERIES.get(pattern.name, ({},)):
                name = " ".join((pattern.name, *arguments.values(), *map("=".join, query.items())))
                texts = {key: text.format(last=size // 300, release=release) for key, text in query.items()}
                yield Question(name.replace(release, "BENCH"), f"/{address}?{urlencode(texts)}".rstrip("?"), status)


def _values(slug: str) -> dict[str, list[dict[str, str]]]:
    """By route what its address names; `*` for all without an entry."""
    SavedStudy.objects.filter(slug=RANKING).delete()
    saved = saved_queries.save("ranking", "By score", "formula=score", "somebody")
    SavedStudy.objects.filter(pk=saved.pk).update(slug=RANKING)
    platforms = [{"slug": f"{slug}-generation-{number}"} for number in (0, PLATFORMS - 1)]
    return {
        "*": [
            {
                **{"release": slug, "list": LIST_NAME, "name": LIST_NAME, "award": "overall"},
                **{"public_id": "bench-7", "id": "bench-7", "slug": f"{slug}-3"},
            }
        ],
        "site": [{"slug": f"{slug}-site-3"}],
        "api-site": [{"slug": f"{slug}-site-3"}],
        **dict.fromkeys(("platform", "api-platform", "line", "api-line"), platforms),
        **{route: [{"slug": name} for name in STUDIES] for route in ("study", "study-card", "api-study-curated")},
        **{route: [{"slug": RANKING}] for route in ("ranking", "api-ranking-saved")},
        **{route: [{"id": "lustre.client.osc.checksums"}] for route in ("parameter", "api-parameter")},
        **{route: [{"slug": "api"}] for route in ("docs-page", "docs-source")},
        "sitemap-section": [{"section": name} for name in sitemaps.RECORD],
        "api-schema": [{"name": "benchmark.1"}],
        "api-questionnaire": [{"name": "reproducibility.1"}],
    }


def _count_blocks(address: str, status: int) -> int:
    """Blocks that the statements of an answer read, each asked once more for its plan."""
    statements: list[tuple[str, Any]] = []

    def note_statement(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    client = Client()
    _read(client, address)  # what the cache holds is no part of it
    with connection.execute_wrapper(note_statement):
        assert _read(client, address) == status, address
    with transaction.atomic(), connection.cursor() as cursor:
        return sum(_blocks_of(cursor, sql, params) for sql, params in statements)


def _read(client: Client, address: str) -> int:
    """The status of an answer that was read to its end."""
    answer = client.get(address)
    for _ in answer if answer.streaming else ():
        pass
    return int(answer.status_code)


def _blocks_of(cursor: Any, sql: str, params: Any) -> int:
    if not sql.lstrip("( \n").upper().startswith(("SELECT", "WITH")):
        if sql.upper().startswith("SET"):  # of the planner, for the statement behind it
            cursor.execute(sql, params)
        return 0
    cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
    (plan,) = cursor.fetchone()
    top = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])


def test_no_address_reads_more_of_a_larger_record(blocks: list[dict[str, int]]) -> None:
    small, large = blocks
    assert small.keys() == large.keys()
    more = {
        name: (small[name], count) for name, count in large.items() if count > MOST_TIMES * small[name] + FREE_BLOCKS
    }
    growing = [name for names in GROWING.values() for name in names]
    assert {name: counts for name, counts in more.items() if not _begins_with(name, growing)} == {}
    assert [begin for begin in growing if not any(_begins_with(name, [begin]) for name in more)] == []


def _begins_with(name: str, beginnings: list[str]) -> bool:
    """Whether it is one of them, or one with more words or a query."""
    return any(name == begin or name.startswith((f"{begin} ", f"{begin}=")) for begin in beginnings)


@pytest.mark.django_db
def test_each_exception_is_one_of_our_addresses() -> None:
    names = {pattern.name for pattern in (*page_urls.urlpatterns, *api_urls.urlpatterns)}
    growing = {name.split()[0] for group in GROWING.values() for name in group}
    assert (QUERIES.keys() | NOT_OF_THE_RECORD.keys() | NO_ROWS.keys() | growing | LEADS_ELSEWHERE) <= names
