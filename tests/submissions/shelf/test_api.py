"""Members group and share the runs of their shelf; nobody learns of it who may not."""

from __future__ import annotations

from datetime import timedelta

import time_machine
from django.utils import timezone

from submissions import tasks
from submissions.accounts import personal_data
from submissions.models import Account, ShelfFact, ShelfResult, ShelfRun, ShelfShare
from submissions.shelf import groups, rows


def until(**days: float) -> str:
    return (timezone.now() + timedelta(**days)).isoformat()


def listed(person, query: str = "") -> list[dict]:
    answer = person.get(f"shelf/{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_runs_are_grouped_and_narrowed_by_their_groups(cast, shelved) -> None:
    first, second = shelved(), shelved(performance=2.0)
    answer = cast.bob.patch(
        f"shelf/{first.pk}/", {"project": " Acceptance  2026 ", "labels": ["tuned", "tuned", "8 MiB"]}
    )
    assert answer.status_code == 200, answer.content
    assert (answer.json()["project"], answer.json()["labels"]) == ("Acceptance 2026", ["tuned", "8 MiB"])
    assert [row["id"] for row in listed(cast.alice)] == [str(second.pk), str(first.pk)]
    assert [row["id"] for row in listed(cast.alice, "?label=tuned")] == [str(first.pk)]
    assert [row["id"] for row in listed(cast.alice, "?project=acceptance 2026")] == [str(first.pk)]
    assert listed(cast.alice, "?label=other") == []
    narrowed = cast.alice.get("results/?scope=all&label=tuned").json()["results"]
    assert [row["id"] for row in narrowed] == [str(first.pk)]
    assert cast.bob.patch(f"shelf/{first.pk}/", {"labels": []}).json()["project"] == "Acceptance 2026"


def test_wrong_groups_are_refused(cast, shelved) -> None:
    mine = shelved()
    wrong = (
        {"project": "x" * 61},
        {"labels": ["a,b"]},
        {"labels": ["x" * 41]},
        {"labels": list("abcdefghijklmnopqrstu")},
    )
    for body in wrong:
        answer = cast.alice.patch(f"shelf/{mine.pk}/", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "shelf.refused"), body
    assert cast.alice.patch(f"shelf/{mine.pk}/", {"labels": "tuned"}).status_code == 400
    assert cast.alice.patch(f"shelf/{mine.pk}/", {"colour": "red"}).status_code == 400
    for person in (cast.charlie, cast.dana, cast.fay):
        assert person.patch(f"shelf/{mine.pk}/", {"project": "x"}).json()["code"] == "shelf.not-found"
    assert listed(cast.alice)[0]["labels"] == []


def test_all_runs_that_a_query_names_are_grouped(cast, shelved) -> None:
    first, second = shelved(), shelved(performance=2.0)
    answer = cast.bob.patch(f"shelf/?submission={first.pk}", {"project": "Acceptance", "labels": ["tuned"]})
    assert (answer.status_code, answer.json()) == (200, {"runs": 1})
    assert [(row["id"], row["project"], row["labels"]) for row in listed(cast.alice)] == [
        (str(second.pk), "", []),
        (str(first.pk), "Acceptance", ["tuned"]),
    ]
    assert cast.bob.patch("shelf/?tool=io500", {"labels": []}).json() == {"runs": 2}
    assert [row["labels"] for row in listed(cast.alice)] == [[], []]
    assert [row["project"] for row in listed(cast.alice, "?path=run.tar")] == ["", "Acceptance"]


def test_runs_of_others_are_not_grouped_with_them(cast, shelved) -> None:
    mine = shelved()
    cast.alice.post(f"shelf/{mine.pk}/shares/", {"username": "charlie", "until": until(days=1)})
    for person in (cast.charlie, cast.dana, cast.fay):
        assert person.patch("shelf/?tool=io500", {"project": "x"}).json() == {"runs": 0}
    assert listed(cast.alice)[0]["project"] == ""


def test_groups_of_all_runs_or_of_nothing_are_refused(cast, shelved) -> None:
    shelved()
    for query, body, status, code in (
        ("", {"project": "x"}, 422, "shelf.refused"),
        ("?path=", {"project": "x"}, 422, "shelf.refused"),
        ("?path=run", {}, 422, "shelf.refused"),
        ("?path=run", {"labels": ["a,b"]}, 422, "shelf.refused"),
        ("?scope=all&path=run", {"project": "x"}, 400, "query.unknown-parameter"),
        ("?submission=1", {"project": "x"}, 400, "query.invalid-value"),
        ("?path=a&path=run", {"project": "x"}, 400, "query.invalid-value"),
    ):
        answer = cast.alice.patch(f"shelf/{query}", body)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (query, body)
    assert listed(cast.alice)[0]["project"] == ""


def test_sharing_ends_and_does_not_reveal_accounts(cast, shelved) -> None:
    mine = shelved()
    cast.alice.patch(f"shelf/{mine.pk}/", {"project": "secret", "labels": ["secret"]})
    for name in ("charlie", "nobody-of-that-name"):
        answer = cast.bob.post(f"shelf/{mine.pk}/shares/", {"username": name, "until": until(days=7)})
        assert answer.status_code == 200, answer.content
    assert [row["username"] for row in answer.json()["shares"]] == ["charlie", "nobody-of-that-name"]
    (row,) = listed(cast.charlie)
    assert (row["id"], row["project"], row["labels"], row["shares"]) == (str(mine.pk), "", [], [])
    assert listed(cast.charlie, "?label=secret") == []
    assert cast.charlie.get("results/?scope=institution&label=secret").json()["results"] == []
    refused = cast.charlie.post(f"shelf/{mine.pk}/shares/", {"username": "dana", "until": until(days=7)})
    assert refused.json()["code"] == "shelf.not-found", "who it is shared with shares it with nobody"
    assert cast.alice.client.delete(f"/api/v1/shelf/{mine.pk}/shares/charlie/").status_code == 204
    assert listed(cast.charlie) == []
    gone = cast.alice.client.delete(f"/api/v1/shelf/{mine.pk}/shares/charlie/")
    assert (gone.status_code, gone.json()["code"]) == (404, "shelf.not-shared")


def test_one_run_has_its_settings_and_measurements(cast, shelved) -> None:
    mine = shelved()
    cast.alice.patch(f"shelf/{mine.pk}/", {"project": "secret"})
    cast.bob.post(f"shelf/{mine.pk}/shares/", {"username": "charlie", "until": until(days=7)})
    own, shared = (person.get(f"shelf/{mine.pk}/").json() for person in (cast.bob, cast.charlie))
    assert own["parameters"]["api"] == "POSIX" and own["client_nodes"] == 10
    assert own["system_slug"] == "north-lab-otter"
    assert {"ior-easy-write", "mdtest-hard-stat"} <= {row["op"] for row in own["measurements"]}
    private = {"project": "", "submission": None, "labels": [], "is_own": False, "shares": []}
    assert shared == own | private
    assert cast.dana.get(f"shelf/{mine.pk}/").status_code == 404


def test_a_share_is_deleted_after_its_end(cast, shelved) -> None:
    """Until then the file of the account's data names it, and not a moment longer."""
    mine = shelved()
    cast.bob.post(f"shelf/{mine.pk}/shares/", {"username": "charlie", "until": until(days=7)})
    cast.bob.post(f"shelf/{mine.pk}/shares/", {"username": "dana", "until": until(days=9)})
    assert groups.delete_ended_shares() == 0
    assert [row["until"].date() for row in exported_shares("charlie")] == [(timezone.now() + timedelta(days=7)).date()]
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert exported_shares("charlie") == []
        assert len(exported_shares("dana")) == 1
        tasks.tidy()
    assert list(ShelfShare.objects.values_list("username", flat=True)) == ["dana"]


def exported_shares(username: str) -> list[dict]:
    return personal_data.export_account(Account.objects.get(username=username)).get("shelfshare", [])


def test_wrong_shares_are_refused(cast, shelved) -> None:
    mine = shelved()
    for body in (
        {"username": "charlie", "until": until(seconds=-1)},
        {"username": "charlie", "until": until(days=400)},
        {"username": "not a name!", "until": until(days=1)},
    ):
        answer = cast.alice.post(f"shelf/{mine.pk}/shares/", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "shelf.refused"), body
    assert listed(cast.charlie) == []


def test_a_run_leaves_the_shelf_with_its_submission(cast, shelved) -> None:
    mine = shelved()
    assert cast.alice.post(f"submissions/{mine.pk}/withdraw/", {"reason": "A wrong file."}).status_code == 200
    assert listed(cast.alice) == [], "at once"
    rows.shelve_due()
    assert not ShelfRun.objects.exists()
    assert not ShelfResult.objects.exists()
    assert not ShelfFact.objects.exists()
