"""Own runs are address like results, by whoever may see them and by nobody else."""

from __future__ import annotations

import re
from datetime import timedelta

from django.test import Client
from django.utils import timezone

from registry.models import Platform
from submissions.models import Membership, ShelfResult, ShelfShare


def ids(answer) -> set[str]:
    assert answer.status_code == 200, answer.content
    return {row["id"] for row in answer.json()["results"]}


def test_own_runs_are_listed_and_compared_before_anything_is_submitted(cast, shelved) -> None:
    first, second = shelved(), shelved(performance=2.0)
    assert ids(cast.bob.get("results/?scope=institution")) == {str(first.pk), str(second.pk)}
    answer = cast.bob.get(f"compare/?scope=institution&results={first.pk},{second.pk}")
    assert answer.status_code == 200, answer.content
    assert answer["Cache-Control"] == "private, no-store"
    assert "ETag" not in answer and "Access-Control-Allow-Origin" not in answer
    write = next(row for row in answer.json()["measurements"] if row["op"] == "ior-easy-write")
    assert 1.9 < write["ratios"][1] < 2.1
    assert {row["trust"] for row in answer.json()["results"]} == {"checked"}


def test_own_run_beside_the_record(cast, shelved, published) -> None:
    mine, theirs = shelved(performance=2.0), published.require_result().public_id
    both = ids(cast.alice.get("results/?scope=all"))
    assert both == {str(mine.pk), theirs}, "a published run is not there twice"
    answer = cast.alice.get(f"compare/?scope=all&results={theirs},{mine.pk}")
    assert [row["id"] for row in answer.json()["results"]] == [theirs, str(mine.pk)]
    assert ids(cast.alice.get("results/")) == {theirs}
    assert cast.alice.get(f"compare/?results={theirs},{mine.pk}").status_code == 404


def test_a_shelf_is_hidden_from_other_accounts(cast, shelved) -> None:
    mine = shelved()
    for person in (cast.charlie, cast.dana, cast.erin, cast.fay):
        for scope in ("institution", "all"):
            assert ids(person.get(f"results/?scope={scope}")) == set()
            assert person.get(f"compare/?scope={scope}&results={mine.pk},hw-1").status_code == 404
    for query in ("scope=all", "scope=institution", "label=x", "scope=public&project=x", "scope=public&scope=all"):
        assert cast.stranger.get(f"/api/v1/results/?{query}").status_code == 401, query


def test_former_colleague_sees_nothing(cast, shelved) -> None:
    shelved(cast.bob)
    Membership.objects.filter(account=cast.bob.account).delete()
    assert ids(cast.bob.get("results/?scope=institution")) == set()


def test_shared_run_is_seen_until_its_moment(cast, shelved) -> None:
    mine, other = shelved(), shelved(performance=2.0)
    share = ShelfShare.objects.create(
        run=mine.shelf_runs.get(),
        username="charlie",
        account=cast.charlie.account,
        until=timezone.now() + timedelta(days=1),
    )
    assert ids(cast.charlie.get("results/?scope=institution")) == {str(mine.pk)}
    assert cast.charlie.get(f"compare/?scope=all&results={mine.pk},{other.pk}").status_code == 404
    share.until = timezone.now() - timedelta(seconds=1)
    share.save()
    assert ids(cast.charlie.get("results/?scope=institution")) == set()


def test_wrong_scopes_are_refused(cast, db) -> None:
    for query in ("scope=own", "label=x", "project=x", "scope=all&scope=institution", "scope=public&label=x"):
        answer = cast.alice.get(f"results/?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value"), query


def study(person, query: str):
    answer = person.get(f"study/?metric=ior-easy-write.bandwidth.phase&x=system&{query}")
    assert answer.status_code == 200, answer.content
    return {(row["system"], row["trust"]): row["count"] for row in answer.json()["rows"]}


def test_study_over_each_scope(cast, shelved, published) -> None:
    shelved(system="Otter", performance=1.5)
    shelved(system="Heron", performance=2.0)
    record = study(cast.alice, "")
    assert {trust for _, trust in record} == {"verified"}
    assert study(cast.alice, "scope=all") == record | {("Otter", "checked"): 1, ("Heron", "checked"): 1}
    own = study(cast.alice, "scope=institution")
    assert own[("Otter", "checked")] == 1 and {trust for _, trust in own} == {"checked"}
    assert study(cast.charlie, "scope=all") == record
    assert study(cast.alice, "scope=all&system=Heron") == {("Heron", "checked"): 1}


def test_study_of_metrics_and_axes_that_only_the_shelf_has(cast, shelved) -> None:
    shelved()
    address = "study/?metric=ior-easy-write.bandwidth.phase&x=procs_per_node"
    assert cast.alice.get(f"{address}&scope=institution").status_code == 200
    for person, scope in ((cast.alice, "public"), (cast.charlie, "all"), (cast.dana, "institution")):
        answer = person.get(f"{address}&scope={scope}")
        assert (answer.status_code, answer.json()["code"]) == (400, "study.unknown-metric")


def test_ranking_puts_own_runs_in_a_group_of_their_own(cast, shelved, published) -> None:
    slow, fast = shelved(performance=1.5), shelved(performance=2.0)
    answer = cast.bob.get("ranking/?formula=score&scope=institution").json()
    ranked = [(row["rank"], row["result"], row["trust"]) for row in answer["rows"]]
    mine = str(published.pk)
    assert ranked[0] == (1, str(fast.pk), "checked")
    assert {result for _, result, _ in ranked} == {mine, str(slow.pk), str(fast.pk)}
    both = cast.bob.get("ranking/?formula=score&scope=all").json()
    assert {row["trust"]: row["rank"] for row in both["rows"]}.keys() == {"checked", "verified"}
    assert cast.bob.get("ranking/?formula=score").json()["counts"].keys() == {"verified"}


def test_system_over_time_and_its_sweep(cast, shelved) -> None:
    first = shelved()
    shelved(performance=2.0)
    slug = cast.alice.get(f"results/?scope=institution&ids={first.pk}").json()["results"][0]["system_slug"]
    history = cast.alice.get(f"systems/{slug}/history/?scope=institution").json()
    assert history["results"] == 2 and history["series"]
    assert cast.alice.get(f"systems/{slug}/sweep/?scope=institution").status_code == 200
    for person, scope in ((cast.alice, "public"), (cast.charlie, "all"), (cast.fay, "institution")):
        assert person.get(f"systems/{slug}/history/?scope={scope}").status_code == 404
        assert person.get(f"systems/{slug}/sweep/?scope={scope}").status_code == 404


def hits(person, query: str) -> set[str]:
    answer = person.get(f"search/?kind=results&{query}")
    assert answer.status_code == 200, answer.content
    assert answer.json()["counts"]["results"] == len(answer.json()["results"])
    return {hit["url"].partition("testserver")[2] for hit in answer.json()["results"]}


def test_search_finds_own_runs_where_it_is_asked_to(cast, shelved, published) -> None:
    mine, theirs = shelved(system="Heron", performance=2.0), f"/results/{published.require_result().public_id}/"
    own = f"/shelf/runs/{mine.pk}/"
    assert hits(cast.bob, "q=Heron&scope=institution") == hits(cast.bob, "q=her&scope=all") == {own}
    assert hits(cast.bob, f"q={mine.pk}&scope=all") == {own}
    (hit,) = cast.bob.get("search/?kind=results&q=Heron&scope=institution").json()["results"]
    row = cast.bob.get(f"results/?scope=institution&ids={mine.pk}").json()["results"][0]
    assert hit["summary"].endswith(f"{row['submitted_on']}, checked, score {row['score']:.2f}"), (hit, row)
    assert {own, theirs} <= hits(cast.bob, "q=io500&scope=all")
    for person in (cast.charlie, cast.dana, cast.erin, cast.fay):
        for scope in ("institution", "all"):
            assert hits(person, f"q=Heron&scope={scope}") == set()
            assert hits(person, f"q={mine.pk}&scope={scope}") == set()
    assert hits(cast.bob, "q=Heron") == set()
    assert cast.stranger.get("/api/v1/search/?q=Heron&scope=all").status_code == 401


def test_words_are_not_mended_by_names_of_a_shelf(cast, shelved) -> None:
    """Names that are looked for in place of misspelt ones are those of the record."""
    shelved(system="Brontosaur")
    for person in (cast.bob, cast.charlie):
        answer = person.get("search/?q=Brontosaru&scope=all").json()
        assert (answer["results"], answer["searched_instead"]) == ([], None)


def test_sizing_rests_on_own_runs(cast, shelved) -> None:
    slug = "ai400x2t"
    Platform.objects.create(slug=slug, name="AI400X2T", vendor="DDN")
    mine = shelved()
    row = ShelfResult._default_manager.get(pk=mine.shelf_runs.get().pk)
    columns = {"platform_id": Platform.objects.get().pk, "parameters": row.parameters | {"enclosures": 2}}
    ShelfResult._default_manager.filter(pk=row.pk).update(**columns)
    address = f"sizing/?platform={slug}&target=100&unit=GB/s"
    basis = cast.bob.get(f"{address}&scope=institution").json()["basis"]
    assert [(row["result"], row["enclosures"], row["trust"]) for row in basis] == [(str(mine.pk), 2, "checked")]
    for person, scope in ((cast.bob, "public"), (cast.charlie, "all"), (cast.fay, "institution")):
        answer = person.get(f"{address}&scope={scope}")
        assert (answer.status_code, answer.json()["code"]) == (400, "sizing.nothing-measured"), scope
    page = "/shelf/institution/sizing/"
    for person, status, choices in ((cast.bob, 200, [slug]), (cast.charlie, 400, [])):
        browser = Client()
        browser.force_login(person.account)
        answer = browser.get(f"{page}?platform={slug}&target=100&unit=GB/s")
        assert answer.status_code == status
        assert re.findall(r'<option value="(ai\w+)"', browser.get(page).content.decode()) == choices
        assert (f'href="/shelf/runs/{mine.pk}/"' in answer.content.decode()) == (status == 200)
    assert "there is nothing to size" in browser.get(page).content.decode()
