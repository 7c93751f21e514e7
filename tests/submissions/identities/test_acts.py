"""Merging and splitting by editors: the API, the pages, redirects, and that nobody sees more than before."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from registry.models import IdentityChange, Platform, Result, Site, StepsDue, System
from submissions import permissions
from submissions.intake import receive
from submissions.models import Account, Membership, Submission, Subscription
from submissions.notifications import subscriptions
from submissions.publication import anonymizer
from tests.html import page_source
from tests.registry.record import make_list, make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db

REASON = {"reason": "The annual report says so."}


@pytest.fixture
def record(cast: Any) -> None:
    """Results of North Lab, where Alice and Bob are, and of South Lab, where Charlie is."""
    release = make_release("sc30", "2030-11-01")
    for number, (site, system) in enumerate((("North Lab", "Fjord"), ("South Lab", "Geest"), ("South Lab", "Haar")), 1):
        make_measurement(make_result(release, f"io500-{number}", institution=site, system_name=system))


def merge(cast: Any, kind: str = "site", former: str = "south-lab", into: str = "north-lab", **more: Any) -> Any:
    return cast.erin.post("identities/merge/", {"kind": kind, "former": former, "into": into} | REASON | more)


def undo(cast: Any, act: int) -> Any:
    return cast.erin.post(f"identities/{act}/undo/", {"reason": "It was wrong."})


# The API


def test_an_editor_merges_two_institutions(cast: Any, record: None) -> None:
    answer = merge(cast, source="annual report 2029")
    assert answer.status_code == 200, answer.content
    act = answer.json()
    assert (act["from_slug"], act["to_slug"], act["decided_by"], act["public"]) == (
        "south-lab",
        "north-lab",
        "erin",
        True,
    )
    assert act["moved"]["systems"] == ["south-lab-geest", "south-lab-haar"]
    assert set(Result.objects.values_list("site__slug", flat=True)) == {"north-lab"}
    assert set(StepsDue.objects.values_list("system__slug", flat=True)) == {"south-lab-geest", "south-lab-haar"}
    assert [row["id"] for row in cast.erin.get("identities/").json()["results"]] == [act["id"]]


def test_a_preview_counts_and_changes_nothing(cast: Any, record: None) -> None:
    Submission.objects.create(account=cast.charlie.account, institution=Site.objects.get(slug="south-lab"), size=1)
    subscriptions.subscribe(cast.alice.account, "south-lab-geest")
    answer = cast.erin.get("identities/merge/?kind=site&former=south-lab&into=north-lab").json()
    assert answer == {
        "kind": "site",
        "former": "south-lab",
        "into": "north-lab",
        "refused": None,
        "refused_why": "",
        "results": 2,
        "first_results": ["io500-3", "io500-2"],
        "systems": ["south-lab-geest", "south-lab-haar"],
        "becoming_one": [],
        "steps": 0,
        "followers": 1,
        "submissions": 1,
        "members": 1,
        "invitations": 0,
    }
    assert not IdentityChange.objects.exists()


def test_a_preview_gives_the_reason_of_a_refusal(cast: Any, record: None) -> None:
    answer = cast.erin.get("identities/merge/?kind=site&former=south-lab&into=west-lab").json()
    assert (answer["refused"], answer["results"]) == ("identity.not-on-record", 2)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("kind=site&former=south-lab&into=nowhere", "record.no-site"),
        ("kind=vendor&former=a&into=b", "query.invalid-value"),
        ("kind=site&former=south-lab&into=north-lab&why=x", "query.unknown-parameter"),
    ],
)
def test_a_preview_of_an_unknown_name_is_refused(cast: Any, record: None, query: str, code: str) -> None:
    assert cast.erin.get(f"identities/merge/?{query}").json()["code"] == code


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        ({"kind": "vendor", "former": "a", "into": "b", **REASON}, 400, "request.invalid"),
        ({"kind": "site", "former": "south-lab", "into": "north-lab"}, 400, "request.invalid"),
        ({"kind": "site", "former": "south-lab", "into": "north-lab", "reason": " "}, 400, "request.invalid"),
        ({"kind": "site", "former": "south-lab", "into": "south-lab", **REASON}, 409, "identity.same"),
        ({"kind": "site", "former": "south-lab", "into": "west-lab", **REASON}, 409, "identity.not-on-record"),
        ({"kind": "site", "former": "x" * 161, "into": "b", **REASON}, 400, "request.invalid"),
        (
            {"kind": "site", "former": "south-lab", "into": "north-lab", "why": "x", **REASON},
            400,
            "request.unknown-field",
        ),
    ],
)
def test_a_wrong_merging_is_refused(cast: Any, record: None, document: Any, status: int, code: str) -> None:
    answer = cast.erin.post("identities/merge/", document)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not IdentityChange.objects.exists()


def test_a_split_needs_exactly_one_target(cast: Any, record: None) -> None:
    document = {"kind": "site", "slug": "south-lab", "moving": ["south-lab-haar"]} | REASON
    for more in ({}, {"into": "north-lab", "name": "Other"}):
        assert cast.erin.post("identities/split/", document | more).json()["code"] == "identity.split-refused"
    answer = cast.erin.post("identities/split/", document | {"name": "Haar Centre"})
    assert answer.json()["to_slug"] == "haar-centre"
    assert Result.objects.get(public_id="io500-3").site.slug == "haar-centre"


def test_invisible_characters_are_removed_from_a_reason(cast: Any, record: None) -> None:
    act = merge(cast, reason="One \u202ename\x07 of\n two.", source="\u2066p. 3").json()
    assert (act["reason"], act["source"]) == ("One name of two.", "p. 3")


def test_an_unknown_act_cannot_be_undone(cast: Any, record: None) -> None:
    answer = undo(cast, 77)
    assert (answer.status_code, answer.json()["code"]) == (404, "identity.not-found")
    act = merge(cast).json()["id"]
    assert undo(cast, act).status_code == 200
    assert undo(cast, act).json()["code"] == "identity.undone"


@pytest.mark.parametrize("person", ["alice", "dana", "charlie"])
def test_only_editors_merge_and_split(cast: Any, record: None, person: str) -> None:
    document = {"kind": "site", "former": "south-lab", "into": "north-lab"} | REASON
    answer = getattr(cast, person).post("identities/merge/", document)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission.denied")
    assert cast.stranger.post("/api/v1/identities/merge/", document, format="json").status_code == 401


# Addresses


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/sites/south-lab/", "/sites/north-lab/"),
        ("/sites/SOUTH-LAB/?x=1", "/sites/north-lab/?x=1"),
        ("/api/v1/sites/south-lab/", "/api/v1/sites/north-lab/"),
    ],
)
def test_former_addresses_redirect(cast: Any, record: None, old: str, new: str) -> None:
    assert Client().get("/sites/south-lab/").status_code == 200
    act = merge(cast).json()["id"]
    answer = Client().get(old)
    assert (answer.status_code, answer["Location"]) == (301, new)
    assert "max-age=60" in answer["Cache-Control"]
    undo(cast, act)
    assert Client().get("/sites/south-lab/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/systems/{}/",
        "/systems/{}/history/?tool=ior",
        "/systems/{}/history/feed.atom",
        "/systems/{}/sweep/",
        "/api/v1/systems/{}/",
        "/api/v1/systems/{}/history/",
        "/api/v1/systems/{}/sweep/",
    ],
)
def test_every_address_of_a_former_system_redirects(cast: Any, record: None, path: str) -> None:
    assert merge(cast, "system", "south-lab-haar", "south-lab-geest").status_code == 200
    answer = Client().get(path.format("south-lab-haar"))
    assert (answer.status_code, answer["Location"]) == (301, path.format("south-lab-geest"))
    assert Client().head(path.format("south-lab-haar")).status_code == 301
    assert Client().get(answer["Location"].partition("?")[0]).status_code == 200


@pytest.mark.parametrize(
    "path", ["/platforms/{}/", "/generations/{}/", "/api/v1/platforms/{}/", "/api/v1/generations/{}/"]
)
def test_every_address_of_a_former_platform_redirects(cast: Any, record: None, path: str) -> None:
    for slug in ("p-one", "p1"):
        Platform.objects.create(slug=slug, name=slug)
    assert merge(cast, "platform", "p-one", "p1").status_code == 200
    answer = Client().get(path.format("p-one"))
    assert (answer.status_code, answer["Location"]) == (301, path.format("p1"))
    sizing = Client().get("/api/v1/sizing/?platform=p-one&target=1&unit=TB/s")
    assert "p-one" not in sizing.json()["detail"]


def test_filters_by_a_former_name_still_find(cast: Any, record: None) -> None:
    merge(cast)
    merge(cast, "system", "south-lab-haar", "south-lab-geest")

    def ids(query: str) -> list[str]:
        return [row["id"] for row in Client().get(f"/api/v1/results/?{query}").json()["results"]]

    assert ids("institution=south-lab") == ids("institution=North+Lab") == ["io500-3", "io500-2", "io500-1"]
    assert ids("system=south-lab-haar") == ids("system=Haar") == ["io500-3", "io500-2"]
    systems = Client().get("/api/v1/systems/").json()["results"]
    assert [row["slug"] for row in systems] == ["north-lab-fjord", "south-lab-geest"]
    assert [row["slug"] for row in Client().get("/api/v1/systems/?institution=south-lab").json()["results"]] == [
        row["slug"] for row in systems
    ]


def test_former_names_are_public_without_the_editor(cast: Any, record: None) -> None:
    merge(cast, source="report 2029")
    answer = Client().get("/api/v1/sites/north-lab/").json()
    assert [(row["slug"], row["name"], row["reason"], row["source"]) for row in answer["formerly"]] == [
        ("south-lab", "South Lab", REASON["reason"], "report 2029")
    ]
    page = page_source(Client().get("/sites/north-lab/"))
    assert "formerly also listed as <b>South Lab</b>" in page and REASON["reason"] in page
    assert "erin" not in page and "erin" not in str(answer)


def test_search_finds_a_system_by_its_former_name(cast: Any, record: None) -> None:
    merge(cast, "system", "south-lab-haar", "south-lab-geest")
    assert "/systems/south-lab-geest/" in page_source(Client().get("/search/?q=haar"))


# Who sees what


def test_a_merge_shows_no_account_more_submissions(cast: Any, record: None) -> None:
    sites = {slug: Site.objects.get(slug=slug) for slug in ("north-lab", "south-lab")}
    for person, slug in ((cast.alice, "north-lab"), (cast.charlie, "south-lab")):
        Submission.objects.create(account=person.account, institution=sites[slug], size=1, filename=slug)
    people = [getattr(cast, name).account for name in ("alice", "bob", "charlie", "dana", "erin")]

    def visible() -> list[list[str]]:
        return [sorted(permissions.visible_to(account).values_list("filename", flat=True)) for account in people]

    before = visible()
    assert before[:3] == [["north-lab"], ["north-lab"], ["south-lab"]]
    merge(cast)
    assert visible() == before
    assert cast.alice.get("institutions/south-lab/members/").status_code == 404
    assert cast.charlie.get("institutions/south-lab/members/").status_code == 200


def test_a_merge_extends_conflicts_of_interest(cast: Any, record: None) -> None:
    Membership.objects.create(account=cast.dana.account, institution=Site.objects.get(slug="north-lab"))
    submission = Submission.objects.create(
        account=cast.charlie.account, institution=Site.objects.get(slug="south-lab"), size=1
    )
    assert permissions.conflict_reason(cast.dana.account, submission) == ""
    act = merge(cast).json()["id"]
    reason = permissions.conflict_reason(cast.dana.account, submission)
    assert reason.startswith("It belongs to an institution that was merged")
    undo(cast, act)
    assert permissions.conflict_reason(cast.dana.account, submission) == ""


def test_an_account_of_both_institutions_uploads_for_the_remaining_one(cast: Any, record: None) -> None:
    north = Site.objects.get(slug="north-lab")
    Membership.objects.create(account=cast.charlie.account, institution=north)
    merge(cast)
    for name in ("South Lab", "north-lab"):
        assert receive.institution_of(Account.objects.get(username="charlie"), {"institution": name}) == north


def test_an_account_of_the_former_institution_may_use_either_name(cast: Any, record: None) -> None:
    west = Site.objects.get(slug="west-lab")
    Membership.objects.create(account=cast.charlie.account, institution=west)
    merge(cast)
    for name in ("South Lab", "North Lab"):
        institution = receive.institution_of(cast.charlie.account, {"institution": name})
        assert institution is not None and institution.slug == "south-lab"


def test_results_published_after_a_merge_use_the_remaining_name(cast: Any, record: None, published: Submission) -> None:
    """Alice is of North Lab, whose run became a result before; a later one of South Lab has the same system."""
    first = published.require_result()
    assert first.site.slug == "north-lab"
    act = merge(cast, former="north-lab", into="south-lab").json()["id"]
    first.refresh_from_db()
    assert (first.site.slug, first.institution) == ("south-lab", "North Lab")
    undo(cast, act)
    first.refresh_from_db()
    assert first.site.slug == "north-lab"


def test_anonymous_results_hide_both_names(cast: Any, record: None) -> None:
    submission = Submission(account=cast.charlie.account, institution=Site.objects.get(slug="south-lab"), size=1)
    merge(cast)
    submission.institution = Site.objects.get(slug="south-lab")
    assert anonymizer.anonymizer_for(submission).tells("measured at North Lab")
    submission.institution = Site.objects.get(slug="north-lab")
    assert anonymizer.anonymizer_for(submission).tells("measured at South Lab")


def test_an_institution_without_results_stays_unknown_when_it_is_merged(cast: Any, record: None) -> None:
    act = merge(cast, former="west-lab").json()
    assert act["public"] is False
    for path in ("/sites/west-lab/", "/api/v1/sites/west-lab/"):
        assert Client().get(path).status_code == 404
    assert Client().get("/api/v1/sites/north-lab/").json()["formerly"] == []
    assert Client().get("/api/v1/results/?institution=west-lab").json()["results"] == []
    assert Client().get("/api/v1/results/?institution=West+Lab").json()["results"] == []


def test_acts_are_hidden_from_strangers(cast: Any, record: None) -> None:
    """Every public address that names either institution, by whoever does not edit."""
    merge(cast, former="west-lab")
    merge(cast)
    secrets = re.compile(r"west-lab|West Lab|\berin\b")
    paths = [
        "/",
        "/sites/",
        "/systems/",
        "/results/",
        "/search/?q=lab",
        "/sites/north-lab/",
        "/systems/south-lab-geest/",
    ]
    paths += ["/api/v1/sites/", "/api/v1/systems/", "/api/v1/results/", "/api/v1/sites/north-lab/"]
    for path in paths:
        answer = Client().get(path)
        assert answer.status_code == 200, path
        assert not secrets.search(page_source(answer)), path
    for path in ("/review/identities/", "/api/v1/identities/", "/api/v1/identities/merge/"):
        assert Client().get(path).status_code in (302, 401), path
        assert cast.alice.client.get(path).status_code in (302, 403), path


# Followers


def test_followers_follow_the_remaining_system(cast: Any, record: None) -> None:
    for person, slug in (("alice", "south-lab-haar"), ("bob", "south-lab-haar"), ("bob", "south-lab-geest")):
        subscriptions.subscribe(getattr(cast, person).account, slug)
    act = merge(cast, "system", "south-lab-haar", "south-lab-geest").json()["id"]
    for person in (cast.alice, cast.bob):
        assert Account.objects.get(pk=person.account.pk).followed == {"south-lab-geest"}
        assert [row["system"] for row in person.get("following/").json()["results"]] == ["south-lab-geest"]
    undo(cast, act)
    assert Account.objects.get(username="bob").followed == {"south-lab-geest", "south-lab-haar"}
    assert Account.objects.get(username="alice").followed == {"south-lab-haar"}


def test_unfollowing_the_remaining_system_ends_the_former_subscription(cast: Any, record: None) -> None:
    subscriptions.subscribe(cast.alice.account, "south-lab-haar")
    merge(cast, "system", "south-lab-haar", "south-lab-geest")
    assert cast.alice.client.delete("/api/v1/following/south-lab-geest/").status_code == 204
    assert not Subscription.objects.exists()


def test_following_a_former_name_follows_what_it_is_now(cast: Any, record: None) -> None:
    merge(cast, "system", "south-lab-haar", "south-lab-geest")
    cast.alice.post("following/", {"system": "south-lab-haar"})
    assert Subscription.objects.get().system == System.objects.get(slug="south-lab-geest")


# Pages


def signed_in(account: Account) -> Client:
    client = Client()
    client.force_login(account)
    return client


def test_an_editor_previews_merges_and_undoes_on_a_page(cast: Any, record: None) -> None:
    editor = signed_in(cast.erin.account)
    answer = editor.get("/review/identities/?kind=site&former=south-lab&into=north-lab")
    assert answer.status_code == 200 and "South Lab becomes a former name of North Lab" in page_source(answer)
    sent = {"kind": "site", "former": "south-lab", "into": "north-lab"} | REASON
    assert editor.post("/review/identities/merge/", sent)["Location"] == "/review/identities/"
    act = IdentityChange.objects.get()
    assert act.decided_by == "erin"
    assert "<bdi>South Lab</bdi> → <bdi>North Lab</bdi>" in page_source(editor.get("/review/identities/"))
    editor.post(f"/review/identities/{act.pk}/undo/", {"reason": "It was wrong."})
    assert "It was wrong." in page_source(editor.get("/review/identities/"))


def test_a_refusal_is_shown_on_the_page_with_its_code(cast: Any, record: None) -> None:
    editor = signed_in(cast.erin.account)
    answer = editor.post(
        "/review/identities/merge/", {"kind": "site", "former": "south-lab", "into": "west-lab"} | REASON
    )
    assert answer.status_code == 409 and "identity.not-on-record" in page_source(answer)
    answer = editor.post(
        "/review/identities/split/", {"kind": "system", "slug": "south-lab-haar", "moving": "x"} | REASON
    )
    assert answer.status_code == 422 and "identity.split-refused" in page_source(answer)
    page = re.sub(r">\s+", ">", page_source(answer))
    for part in ('value="south-lab-haar"', ">x</textarea>", f">{REASON['reason']}</textarea>"):
        assert part in page, "what was sent stands in the form again"
    assert editor.post("/review/identities/7/undo/", REASON).status_code == 404


def test_a_refused_undo_keeps_the_typed_reason(cast: Any, record: None) -> None:
    act = merge(cast).json()
    editor = Client()
    editor.force_login(cast.erin.account)
    answer = editor.post(f"/review/identities/{act['id']}/undo/", {"reason": "Z" * 2001})
    page = page_source(answer)
    assert answer.status_code == 422
    assert f'id="undo_{act["id"]}_reason_error"' in page and "Z" * 2001 in page
    assert "<details open>" in page


def test_the_page_is_hidden_from_others(cast: Any, record: None) -> None:
    for person in (cast.alice, cast.dana):
        client = signed_in(person.account)
        assert client.get("/review/identities/").status_code == 404
        assert client.post("/review/identities/merge/", REASON).status_code == 404


# At the same time


@pytest.mark.django_db(transaction=True)
def test_one_of_two_opposite_merges_is_refused(cast: Any, record: None) -> None:
    start = threading.Barrier(2)

    def act(slugs: tuple[str, str]) -> str:
        start.wait()
        try:
            answer = merge(cast, "site", *slugs)
            return str(answer.json().get("code", answer.status_code))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(act, (("south-lab", "north-lab"), ("north-lab", "south-lab"))))
    assert outcomes == ["200", "identity.already-merged"]
    assert Site.objects.exclude(merged_into=None).count() == 1


def test_a_cached_frozen_list_is_fetched_again_after_a_merge(cast: Any, record: None) -> None:
    """Its rows, names and digest stay; the slugs that lead to its institutions are those of today."""
    release = Result.objects.get(public_id="io500-2").release
    assert release is not None
    make_list(release, "full", list(Result.objects.order_by("pk")))
    path = f"/api/v1/lists/{release.slug}/full/"
    held = Client().get(path)
    act = merge(cast).json()["id"]
    answer = Client().get(path, headers={"If-None-Match": held["ETag"]})
    assert answer.status_code == 200
    assert [row["institution"] for row in answer.json()["entries"]] == ["North Lab", "South Lab", "South Lab"]
    assert {row["institution_slug"] for row in answer.json()["entries"]} == {"north-lab"}
    undo(cast, act)
    assert Client().get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 200
    assert Client().get(path).json()["entries"] == held.json()["entries"]
