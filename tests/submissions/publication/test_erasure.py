"""Erasing a published result: names are nowhere, its rank stays, nothing else moves, and a load brings nothing back."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from registry.dumps import editions
from registry.lists import listing
from registry.log import appending
from registry.models import Erasure, ListEntry, LogLeaf, LogOpening, Override, RankedList, Result, Site, System
from registry.query import public_record
from registry.query.public_record import ERASED_SLUG, ErasedFromRecord
from submissions.checks import processing
from submissions.errors import Forbidden
from submissions.lifecycle import audit_chain
from submissions.models import Event, PrivateRecord, Review, Submission
from submissions.publication import amendments
from submissions.publication import publish as publication_publish
from submissions.publication.erasure import erase
from submissions.review import decisions
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system
from tests.submissions.cast import submit_to

NAME = "Qxerased"
"""Stands in every text that the submitter gave."""


def run_bytes(folder: Path, number: int) -> bytes:
    return pack(folder / f"run-{number}.tar.gz", make_bag(make_run(performance=number), make_system())).read_bytes()


@pytest.fixture
def two_published(cast, release, tmp_path):
    """Alice's run, whose texts hold NAME, and a slower one of Charlie's, both on two lists of sc99."""
    submissions = []
    for number, person in ((2, cast.alice), (1, cast.charlie)):
        fields = {"note": NAME, "filesystem_name": f"{NAME}fs", "storage_vendor": f"{NAME} Inc."}
        metadata = fields | {"system": f"{NAME} System", "filesystem_type": f"{NAME}FS"} if person is cast.alice else {}
        answer = person.upload(
            run_bytes(tmp_path, number), name=f"{NAME if number == 2 else 'run'}.tar.gz", metadata=json.dumps(metadata)
        )
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        submission = Submission.objects.get(pk=answer.json()["id"])
        submit_to(release, submission, person, ("full", "io500"))
        decisions.prepare_for_review(str(submission.pk))
        if person is cast.alice:
            cast.dana.post(f"submissions/{submission.pk}/comments/", {"text": f"{NAME}: which stripes?"})
        decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
        submissions.append(submission)
    publication_publish.publish_release(release, None)
    for submission in submissions:
        submission.refresh_from_db()
    return submissions


@pytest.fixture
def erased(two_published, cast):
    """Alice's submission after its result was erased, and the bytes deleted."""
    submission = two_published[0]
    erase.delete_bytes(erase.erase_result(submission.result.public_id, cast.fay.account, "person"))
    submission.refresh_from_db()
    return submission


def rows_with(text: str) -> list[str]:
    """Table and row of everything in the database that holds a text, but what the test framework keeps."""
    hits = []
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT t::text FROM "{table}" t WHERE t::text ILIKE %s', [f"%{text}%"])
            hits += [f"{table}: {row[0][:300]}" for row in cursor.fetchall()]
    return hits


def log_entries_of(submission: Submission) -> dict[bytes, bytes]:
    """By canonical text the entries of the log about a submission, its result and the lists that name it."""
    public = LogOpening.objects.filter(canonical__contains=NAME) | LogOpening.objects.filter(
        subject=f"results/{submission.result.public_id}"
    )
    private = PrivateRecord.objects.filter(submission=submission)
    return {row.canonical.encode(): bytes(row.leaf.entry) for rows in (public, private) for row in rows}


def assert_unopened(entries: dict[bytes, bytes]) -> None:
    """The entries are in the log still, and nothing that is stored opens one, also with its text at hand."""
    salts = [bytes(row.salt) for kind in (LogOpening, PrivateRecord) for row in kind.objects.exclude(salt=None)]
    for text, entry in entries.items():
        assert LogLeaf.objects.get(entry=entry).index is not None
        assert entry not in {hashlib.sha256(salt + text).digest() for salt in salts}


def files_with(folder: Path, text: str) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_the_name_is_in_no_row_and_no_stored_file(two_published, cast, bundles) -> None:
    erased = two_published[0]
    tables = {row.partition(":")[0] for row in rows_with(NAME)}
    assert {"registry_result", "registry_system", "registry_listentry", "submissions_submission"} <= tables
    assert {"submissions_comment", "submissions_submission"} <= tables
    digests = {erased.sha256, erased.derivative.sha256, erased.result.bundle_sha256}
    entries = log_entries_of(erased)
    assert len(entries) > 5 and all(rows_with(digest) for digest in digests)
    appending.append_waiting()
    erase.delete_bytes(erase.erase_result(erased.result.public_id, cast.fay.account, "person"))
    appending.append_waiting()
    assert rows_with(NAME) == files_with(bundles, NAME) == []
    assert_unopened(entries)
    stored = [path for path in bundles.rglob("*") if path.is_file()]
    other = two_published[1]
    assert {path.name[:64] for path in stored if len(path.name) >= 64} <= {other.sha256, other.derivative.sha256}
    for digest in digests:
        assert rows_with(digest) == files_with(bundles, digest) == []


GONE_PATHS = (
    *("/api/v1/results/{id}/", "/api/v1/results/{id}/files/", "/api/v1/results/{id}/citation/"),
    *("/api/v1/results/{id}/system/", "/api/v1/results/{id}/among/", "/api/v1/compare/?results={id},{other}"),
    *("/results/{id}/", "/results/{id}/copy.tar.gz", "/results/{id}/badge.svg", "/results/{id}/members/"),
    *("/results/{id}/among/", "/compare/?results={other},{id}"),
)


def test_an_erased_result_answers_410_with_date_and_category(erased, two_published) -> None:
    result = erased.result
    for path in GONE_PATHS:
        answer = Client().get(path.format(id=result.public_id, other=two_published[1].result.public_id))
        text = answer.content.decode()
        assert answer.status_code == 410, (path, text[:500])
        assert "record.erased" in text and "a person asked for the erasure" in text and NAME not in text, path
        assert f"{result.erasure.erased_at:%Y-%m-%d}" in text, path


PAGES = (
    *(
        "/",
        "/lists/",
        "/lists/sc99/full/",
        "/lists/sc99/io500/",
        "/results/",
        "/systems/",
        "/sites/",
        "/releases/sc99/",
    ),
    *(
        f"/search/?q={NAME}",
        f"/api/v1/search/?q={NAME}",
        "/sitemap-systems.xml",
        "/sitemap-results.xml",
        "/lists/feed.atom",
        "/releases/feed.atom",
        "/analysis/full/",
        "/sites/north-lab/",
    ),
    *("/api/v1/lists/sc99/full/", "/api/v1/lists/sc99/full/?format=csv", "/api/v1/results/", "/api/v1/systems/"),
    *("/api/v1/sites/", "/api/v1/releases/sc99/awards/", "/api/v1/results/facets/"),
    *("/api/v1/analysis/full/", "/api/v1/studies/", "/explore/", "/parameters/"),
)


def test_no_page_feed_search_answer_or_dump_has_the_name(erased) -> None:
    anybody = Client()
    for path in PAGES:
        answer = anybody.get(path)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = f"{NAME} System" if "search" in path else NAME  # a search repeats what was asked
        assert answer.status_code in (200, 404), path
        assert text not in content.decode(errors="replace"), path
        assert ERASED_SLUG not in content.decode(errors="replace") or "/lists/" in path, path


@pytest.mark.django_db(transaction=True)
def test_export_files_lose_the_erased_result(two_published, cast, settings, bundles) -> None:
    editions.build_if_due()
    folder = Path(django_settings.STORAGES["public"]["OPTIONS"]["location"])
    assert files_with(folder, NAME)
    call_command("erase_result", two_published[0].result.public_id, category="person", by="fay", yes=True)
    assert files_with(folder, NAME) == []
    rows = b"".join(Client().get("/api/v1/export/results.ndjson").streaming_content).decode().splitlines()
    assert [json.loads(row)["id"] for row in rows] == [two_published[1].result.public_id]


def test_the_rank_stays_without_a_name_and_the_list_has_a_note(two_published, cast) -> None:
    first, second = (submission.result.public_id for submission in two_published)
    before = {
        row.name: (row.digest, list(row.entries.values_list("rank", "score"))) for row in RankedList.objects.all()
    }
    erase.erase_result(first, cast.fay.account, "institution")
    for ranked_list in RankedList.objects.all():
        digest, ranks = before[ranked_list.name]
        assert list(ranked_list.entries.values_list("rank", "score")) == ranks
        day = f"{Erasure.objects.get().erased_at:%Y-%m-%d}"
        if ranks:
            assert f"Amended on {day}: {first}: erased on request." in ranked_list.note
            assert ranked_list.digest != digest
            assert ranked_list.digest == listing.entries_digest(ranked_list.entries.order_by("position"))
    rows = Client().get("/api/v1/lists/sc99/full/").json()["entries"]
    top = rows[0]
    assert (top["rank"], top["system"], top["institution"], bool(top["erased_at"])) == (1, "", "", True)
    assert rows[1]["result"] == second and rows[1]["erased_at"] is None
    page = Client().get("/lists/sc99/full/").content.decode()
    assert "erased on request" in page and f'value="{first}"' not in page and f"/results/{first}/" not in page
    front = Client().get("/").content.decode()
    assert "erased on request" in front
    for path in (
        "/",
        "/lists/",
        "/lists/sc99/",
        "/releases/",
        "/releases/sc99/",
        "/analysis/full/",
        "/analysis/io500/",
    ):
        assert f"/results/{first}/" not in Client().get(path).content.decode(), path


def test_a_later_amendment_keeps_the_erased_row_where_it_is(erased, two_published, cast) -> None:
    ranked_list = public_record.ranked_list("sc99", "full")
    other = two_published[1].result.public_id
    amendments.override_result(ranked_list, cast.erin.account, other, "score", "A typo.", 1.5)
    rows = ListEntry.objects.filter(ranked_list=ranked_list).order_by("position")
    standing = [(row.result.public_id, row.institution, row.rank) for row in rows]
    assert standing[0] == (erased.result.public_id, "", 1)
    assert len(standing) == 2


def test_another_run_of_the_system_does_not_take_the_erased_rank(cast, release, submitted) -> None:
    runs = []
    for number in (2, 3):
        submission = submitted(lists=("io500",), performance=number)
        decisions.prepare_for_review(str(submission.pk))
        decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
        runs.append(submission)
    publication_publish.publish_release(release, None)
    ranked_list = public_record.ranked_list("sc99", "io500")
    best = ranked_list.entries.get().result
    beaten = Result.objects.exclude(pk=best.pk).get()
    erase.erase_result(best.public_id, cast.fay.account, "law")
    amendments.override_result(ranked_list, cast.erin.account, beaten.public_id, "exclude", "Looked at again.")
    Override.objects.all().delete()
    amendments.override_result(ranked_list, cast.erin.account, best.public_id, "score", "A typo.", 1001.5)
    assert [row.result for row in ranked_list.entries.all()] == [best]
    erase.erase_result(beaten.public_id, cast.fay.account, "law")
    assert len(set(Erasure.objects.values_list("system_key", flat=True))) == 1
    amendments.override_result(ranked_list, cast.erin.account, best.public_id, "score", "Once more.", 1002.5)
    assert [row.result for row in ranked_list.entries.all()] == [best]


def test_the_reason_of_an_override_goes_with_the_name(two_published, cast) -> None:
    first = two_published[0].result.public_id
    ranked_list = public_record.ranked_list("sc99", "full")
    amendments.override_result(ranked_list, cast.erin.account, first, "score", f"{NAME} asked for it.", 9.5)
    assert NAME in RankedList.objects.get(pk=ranked_list.pk).note
    erase.erase_result(first, cast.fay.account, "person")
    ranked_list = RankedList.objects.get(pk=ranked_list.pk)
    assert NAME not in ranked_list.note and ranked_list.amendments == 2
    assert ranked_list.entries.get(result__public_id=first).score == 9.5
    assert Override.objects.get().reason == "erased on request"


def test_the_history_stays_valid_and_names_who_erased(erased, cast) -> None:
    assert list(audit_chain.find_breaks()) == []
    event = Event.objects.filter(submission=erased).latest("id")
    assert (event.to_state, event.actor) == ("withdrawn", cast.fay.account)
    assert event.reason == "Erased on request. A person asked for the erasure of personal data."
    assert set(Review.objects.filter(submission=erased).values_list("reason", flat=True)) == {erase.GONE}


def test_pages_of_an_erased_submission_work(erased, cast) -> None:
    paths = (
        "",
        "findings/",
        "history/",
        "files/",
        "receipt/",
        "answers/",
        "comments/",
        "system/",
        "rubric/",
        "versions/",
    )
    for person in (cast.alice, cast.erin):
        for path in paths:
            answer = person.get(f"submissions/{erased.pk}/{path}")
            assert answer.status_code < 500 and NAME not in answer.content.decode(), path
    client = Client()
    client.force_login(cast.erin.account)
    for page in (f"/submissions/{erased.pk}/", f"/review/{erased.pk}/", "/submissions/", "/review/"):
        answer = client.get(page)
        assert answer.status_code < 500 and NAME not in answer.content.decode(), page


def test_the_erased_system_is_gone_and_its_site_hidden(erased) -> None:
    assert not System.objects.filter(name__contains=NAME).exists()
    assert "north-lab" not in public_record.current_sites().values_list("slug", flat=True)
    assert Site.objects.filter(slug="north-lab").exists()  # its members keep it
    for path in (f"/systems/{ERASED_SLUG}/", f"/sites/{ERASED_SLUG}/", f"/api/v1/systems/{ERASED_SLUG}/"):
        assert Client().get(path).status_code == 404


def test_all_revisions_are_erased_together(two_published, cast, release) -> None:
    old = two_published[0]
    revised = cast.alice.post(f"submissions/{old.pk}/revise/", {"reason": f"{NAME} was misspelt."})
    assert revised.status_code == 202, revised.content
    plan = erase.erase_result(old.result.public_id, cast.fay.account, "person")
    assert [str(row.pk) for row in plan.submissions] == [str(old.pk), revised.json()["id"]]
    revision = Submission.objects.get(pk=revised.json()["id"])
    assert (revision.state, revision.sha256, revision.metadata) == ("withdrawn", "", {})


def test_bytes_of_another_submission_are_kept(two_published, cast, tmp_path, bundles) -> None:
    again = cast.charlie.upload(run_bytes(tmp_path, 2), name="again.tar.gz")
    assert again.status_code == 202
    plan = erase.erase_result(two_published[0].result.public_id, cast.fay.account, "person")
    assert erase.delete_bytes(plan) == [two_published[0].sha256]
    processing.check_submission(again.json()["id"])
    assert Submission.objects.get(pk=again.json()["id"]).state == "checked"


def test_only_administrators_erase_and_only_once(two_published, cast) -> None:
    result = two_published[0].result
    for person in (cast.alice, cast.dana, cast.erin):
        with pytest.raises(Forbidden):
            erase.erase_result(result.public_id, person.account, "person")
    with pytest.raises(ValueError, match="whim"):
        erase.erase_result(result.public_id, cast.fay.account, "whim")
    assert not Erasure.objects.exists()
    erase.erase_result(result.public_id, cast.fay.account, "person")
    with pytest.raises(ErasedFromRecord):
        erase.erase_result(result.public_id, cast.fay.account, "person")


# The command


def run_command(*arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command("erase_result", *arguments, stdout=out, **options)
    return out.getvalue()


def test_the_command_changes_nothing_without_yes(two_published) -> None:
    result = two_published[0].result.public_id
    text = run_command(result, category="person", by="fay")
    assert f"would erase results: {result}\n" in text and "sc99/full" in text and "Nothing was changed" in text
    assert not Erasure.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_what_to_do_after_an_older_backup(two_published) -> None:
    result = two_published[0].result.public_id
    text = run_command(result, category="law", by="fay", yes=True)
    assert f"erased results: {result}" in text and "Backups made before still hold the result" in text
    assert run_command(list=True) == f"erase_result {result} --category law --by fay --yes\n"


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        ([], {}, "Name the result"),
        (["hw-77"], {"category": "person", "by": "fay", "yes": True}, "There is no result 'hw-77'"),
        (["hw-1\x00"], {"category": "person", "by": "nobody"}, "There is no account 'nobody'"),
        (["../hw-1"], {"category": "person", "by": "fay", "yes": True}, "There is no result"),
        (["hw-1"], {"category": "person", "by": "erin", "yes": True}, "not allowed|may not|role"),
    ],
)
def test_the_command_refuses_invalid_targets(cast, arguments, options, why) -> None:
    with pytest.raises(CommandError, match=why):
        run_command(*arguments, **options)
    assert not Erasure.objects.exists()
