"""Each run of an upload of many has a place on the shelf, keeps it, and leaves it with its output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import ObservedParameter, PublicSystemSnapshot
from registry.query.facts import fact_index, observed_parameters
from submissions.checks import processing
from submissions.models import (
    ShelfFact,
    ShelfObservedParameter,
    ShelfResult,
    ShelfRun,
    ShelfSystemSnapshot,
    Submission,
)
from submissions.shelf import rows
from submissions.shelf.sources import shelf_source
from tests.html import page_source
from tests.make_fio import make_output
from tests.make_io500 import pack
from tests.make_system import make_bag, make_system

FOLDERS = ("new", "old", "older")
PATHS = tuple(f"data/results/{folder}/fio.json" for folder in FOLDERS)
NEW, OLD, OLDER = PATHS


@pytest.fixture
def shelve_many(cast, release, tmp_path) -> Callable[..., Submission]:
    """An upload of runs of fio, each at another rate, with other sizes of requests; on the shelf."""

    def make(person=None, outputs=None) -> Submission:
        sizes = ("4k", "64k", "1M")
        files = {f"{folder}/fio.json": make_output(1 + n, bs=sizes[n]) for n, folder in enumerate(FOLDERS)} | (
            outputs or {}
        )
        content = pack(tmp_path / "runs.tar.gz", make_bag(files, make_system())).read_bytes()
        answer = (person or cast.alice).upload(content, metadata='{"client_nodes": 1, "system": "Otter"}')
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        while rows.shelve_due():
            pass
        return Submission.objects.get(pk=answer.json()["id"])

    return make


def store_check(submission: Submission, **changes) -> None:
    """A later check of the submission, whose report differs so, shelved."""
    check = submission.checks.order_by("id").last()
    check.pk, check.report = None, check.report | changes
    check.save(force_insert=True)
    Submission.objects.filter(pk=submission.pk).update(shelved_at=None)
    rows.shelve_due()


def page_of(person, path: str):
    pages = Client()
    pages.force_login(person.account)
    return pages.get(path)


def shelf_of(person) -> dict[str, dict]:
    return {row["run"]: row for row in person.get("shelf/").json()["results"]}


def test_each_run_of_an_upload_is_on_the_shelf(cast, shelve_many) -> None:
    submission = shelve_many()
    shelf = shelf_of(cast.bob)
    assert set(shelf) == set(PATHS)
    assert {row["submission"] for row in shelf.values()} == {str(submission.pk)}
    assert len({row["id"] for row in shelf.values()} | {str(submission.pk)}) == 4
    listed = cast.bob.get("results/?scope=institution").json()["results"]
    assert {row["id"] for row in listed} == {row["id"] for row in shelf.values()}


def test_two_runs_of_an_upload_are_compared_and_opened(cast, shelve_many) -> None:
    submission = shelve_many()
    shelf = shelf_of(cast.alice)
    first, second = shelf[NEW]["id"], shelf[OLDER]["id"]
    answer = cast.alice.get(f"compare/?scope=institution&results={first},{second}")
    assert answer.status_code == 200, answer.content
    rate = next(row for row in answer.json()["measurements"] if row["quantity"] == "bandwidth")
    assert [value["value"] if isinstance(value, dict) else value for value in rate["values"]] == [2**30, 3 * 2**30]
    cast.alice.client.force_login(cast.alice.account)
    page = page_source(cast.alice.client.get(f"/shelf/runs/{second}/"))
    assert "older/fio.json" in page and f'href="/submissions/{submission.pk}/"' in page
    assert "older/fio.json" in page_source(cast.alice.client.get("/shelf/"))


def test_another_account_sees_none_of_them(cast, shelve_many) -> None:
    shelve_many()
    key = shelf_of(cast.alice)[NEW]["id"]
    assert shelf_of(cast.charlie) == {}
    assert cast.charlie.get(f"shelf/{key}/").status_code == 404
    assert cast.charlie.get(f"results/?scope=institution&ids={key}").json().get("results", []) == []


def test_a_shared_run_shows_neither_its_path_nor_the_others(cast, shelve_many) -> None:
    shelve_many()
    key = shelf_of(cast.alice)[NEW]["id"]
    body = {"username": "charlie", "until": "2026-12-31T00:00:00Z"}
    assert cast.alice.post(f"shelf/{key}/shares/", body).status_code == 200
    [row] = cast.charlie.get("shelf/").json()["results"]
    assert (row["id"], row["run"], row["submission"]) == (key, "", None)
    assert "new/fio" not in json.dumps(cast.charlie.get(f"shelf/{key}/").json())


def test_a_run_keeps_its_groups_over_checks(cast, shelve_many) -> None:
    submission = shelve_many()
    before = shelf_of(cast.alice)
    assert cast.alice.patch(f"shelf/{before[OLD]['id']}/", {"labels": ["tuned"]}).status_code == 200
    Submission.objects.filter(pk=submission.pk).update(shelved_at=None)
    assert rows.shelve_due() == 1
    after = shelf_of(cast.alice)
    assert {path: row["labels"] for path, row in after.items()} == {path: ["tuned"] * (path == OLD) for path in PATHS}
    assert {path: row["id"] for path, row in after.items()} == {path: row["id"] for path, row in before.items()}


def test_the_chosen_run_takes_the_id_of_its_submission(cast, shelve_many) -> None:
    submission = shelve_many()
    before = shelf_of(cast.alice)
    cast.alice.patch(f"shelf/{before[OLD]['id']}/", {"labels": ["tuned"]})
    for chosen in (1, 2, 1, None):
        Submission.objects.filter(pk=submission.pk).update(chosen_primary=chosen, shelved_at=None)
        assert rows.shelve_due() == 1
        places = ShelfRun.objects.filter(submission=submission).order_by("run_path")
        assert [place.run_path for place in places] == list(PATHS)
        assert [str(place.key) == str(submission.pk) for place in places] == [chosen == 0, chosen == 1, chosen == 2]
        assert [place.labels for place in places] == [[], ["tuned"], []]
    assert shelf_of(cast.alice) == before | {OLD: before[OLD] | {"labels": ["tuned"]}}


def test_a_run_with_an_error_is_on_no_shelf(cast, shelve_many) -> None:
    broken = json.loads(make_output(1))
    broken["jobs"][0]["error"] = 5
    shelve_many(outputs={"broken/fio.json": json.dumps(broken).encode()})
    assert set(shelf_of(cast.alice)) == set(PATHS)


def test_runs_of_an_output_that_is_gone_leave_the_shelf(cast, shelve_many) -> None:
    submission = shelve_many()
    store_check(submission, runs=submission.checks.get().report["runs"][:2])
    assert len(shelf_of(cast.alice)) == 2


def test_a_place_of_an_earlier_version_is_taken_over(cast, checked) -> None:
    """It named no paths: the run that counted had the only place."""
    submission = checked()
    ShelfRun.objects.create(submission=submission, labels=["tuned"])
    assert rows.shelve_due() == 1
    [place] = ShelfRun.objects.all()
    assert (place.key, place.labels, bool(place.run_path)) == (submission.pk, ["tuned"], True)


def test_repeats_of_the_run_that_counts_have_no_places(cast, checked) -> None:
    checked()
    rows.shelve_due()
    [row] = cast.alice.get("shelf/").json()["results"]
    assert (row["id"], row["run"]) == (row["submission"], "")


def test_a_run_is_found_by_the_beginning_of_its_id(cast, shelve_many) -> None:
    shelve_many()
    key = shelf_of(cast.alice)[NEW]["id"]
    for beginning in (key, key[:9], key[:8].upper()):
        assert [row["run"] for row in cast.alice.get(f"shelf/?id={beginning}").json()["results"]] == [NEW]
    assert cast.charlie.get(f"shelf/?id={key}").json()["results"] == []


@pytest.mark.parametrize("beginning", ["abc", "xyz1", "0" * 33, "%00abcd"])
def test_a_wrong_beginning_of_an_id_is_refused(cast, db, beginning) -> None:
    answer = cast.alice.get(f"shelf/?id={beginning}")
    assert answer.status_code == 400
    assert answer.json()["code"] == "query.invalid-value", answer.json()


def test_runs_of_long_paths_and_odd_names_have_places(cast, shelve_many) -> None:
    outputs = {f"{'deep/' * 60}{number}/fio.json": make_output(4 + number) for number in range(2)}
    outputs |= {"a b/fio.json": make_output(6), "ø/fio.json": make_output(7), "fio.json #2": make_output(8)}
    shelve_many(outputs=outputs)
    shelf = shelf_of(cast.alice)
    assert len({row["id"] for row in shelf.values()}) == len(shelf) == len(PATHS) + len(outputs)


def test_several_runs_of_one_file_have_places(cast, shelve_many) -> None:
    """A file may have the name that a second run of another one gets."""
    two_jobs = json.loads(make_output(5))
    two_jobs["jobs"].append(dict(two_jobs["jobs"][0], jobname="second", groupid=1))
    submission = shelve_many(outputs={"two.json": json.dumps(two_jobs).encode(), "two.json #2": make_output(6)})
    count = len(submission.checks.get().report["runs"])
    assert ShelfRun.objects.filter(submission=submission).count() == len(shelf_of(cast.alice)) == count


@pytest.fixture
def three_of_one_file(cast, shelve_many) -> tuple[Submission, list[dict], dict[str, dict]]:
    """An upload whose three runs lie in one file, what its check says of them, and their rows by what they measured."""
    submission = shelve_many()
    runs = [run | {"path": "x"} for run in submission.checks.get().report["runs"]]
    store_check(submission, runs=runs)
    rows_of = {row["numbers"]: row for row in cast.alice.get("shelf/").json()["results"]}
    assert {row["run"] for row in rows_of.values()} == {"x", "x #2", "x #3"} and len(rows_of) == 3
    return submission, runs, rows_of


@pytest.mark.parametrize("order", [(2, 1, 0), (1, 2, 0), (2, 0), (1,)])
def test_runs_of_one_file_keep_their_ids_in_another_order(cast, three_of_one_file, order) -> None:
    submission, runs, before = three_of_one_file
    middle = next(row for row in before.values() if row["run"] == "x #2")
    until = (timezone.now() + timedelta(days=1)).isoformat()
    cast.alice.patch(f"shelf/{middle['id']}/", {"labels": ["tuned"]})
    cast.alice.post(f"shelf/{middle['id']}/shares/", {"username": "charlie", "until": until})
    store_check(submission, runs=[runs[index] for index in order])
    after = {row["numbers"]: row for row in cast.alice.get("shelf/").json()["results"]}
    assert len(after) == len(order)
    for numbers, row in after.items():
        assert (row["id"], row["run"]) == (before[numbers]["id"], before[numbers]["run"])
        assert row["labels"] == ["tuned"] * (row["id"] == middle["id"])
    expected = [middle["id"]] * (1 in order)
    assert [row["id"] for row in cast.charlie.get("shelf/").json()["results"]] == expected


def test_a_run_that_is_new_in_a_file_takes_no_number_of_another(cast, three_of_one_file) -> None:
    submission, runs, before = three_of_one_file
    new = runs[0] | {"started": "2026-11-01T00:00:00Z"}
    store_check(submission, runs=[new, *runs])
    after = shelf_of(cast.alice)
    assert after.pop("x #4")["numbers"] == after["x"]["numbers"]
    assert after == {row["run"]: row for row in before.values()}


def test_a_repeated_run_of_an_output_has_the_place_of_the_earlier_one(cast, shelve_many) -> None:
    """The file is another one, and its path is the same: a corrected upload."""
    submission = shelve_many()
    before = shelf_of(cast.alice)
    runs = submission.checks.get().report["runs"]
    store_check(submission, runs=[run | {"started": "2026-11-01T00:00:00Z"} for run in runs])
    assert {(path, row["id"]) for path, row in shelf_of(cast.alice).items()} == {
        (path, row["id"]) for path, row in before.items()
    }


def test_runs_of_an_earlier_release_tell_no_start_and_have_places(cast, shelve_many, caplog) -> None:
    submission = shelve_many()
    ids = {path: row["id"] for path, row in shelf_of(cast.alice).items()}
    report = submission.checks.order_by("id").last().report
    store_check(submission, runs=[{k: v for k, v in run.items() if k != "started"} for run in report["runs"]])
    assert "was not put on the shelf" not in caplog.text
    assert {path: row["id"] for path, row in shelf_of(cast.alice).items()} == ids


def test_a_run_that_comes_back_has_its_id_groups_and_shares(cast, shelve_many) -> None:
    """Checked with other rules, it has an error for some time; then one run of the others counts."""
    submission = shelve_many()
    before = shelf_of(cast.alice)
    cast.alice.patch(f"shelf/{before[OLD]['id']}/", {"labels": ["tuned"], "project": "Acceptance"})
    later = (timezone.now() + timedelta(days=1)).isoformat()
    cast.alice.post(f"shelf/{before[OLD]['id']}/shares/", {"username": "charlie", "until": later})
    grouped, runs = shelf_of(cast.alice), submission.checks.get().report["runs"]
    broken = [
        run | {"findings": [{"code": "fio.example", "level": "error", "message": "no"}] * (run["path"] == OLD)}
        for run in runs
    ]
    for changes in ({"runs": broken}, {"primary": [run["path"] for run in runs].index(NEW)}):
        store_check(submission, **changes)
        assert OLD not in shelf_of(cast.alice)
        assert shelf_of(cast.charlie) == {}
        count = len(shelf_of(cast.alice))
        assert cast.alice.get(f"submissions/{submission.pk}/").json()["shelf_runs"] == count
        assert cast.alice.get(f"shelf/{before[OLD]['id']}/").status_code == 404
        assert len(cast.alice.get("results/?scope=institution").json()["results"]) == count
        assert "tuned" not in page_source(page_of(cast.alice, "/shelf/"))
        store_check(submission, runs=runs, primary=None)
        assert shelf_of(cast.alice) == grouped
        assert [row["id"] for row in cast.charlie.get("shelf/").json()["results"]] == [before[OLD]["id"]]


def test_a_waiting_place_gives_up_the_id_of_its_submission(cast, shelve_many) -> None:
    """Each check names another run, and each run has a place."""
    submission = shelve_many()
    runs = submission.checks.get().report["runs"]
    for counted in (0, 1, 0):
        store_check(submission, primary=counted)
        [row] = cast.alice.get("shelf/").json()["results"]
        assert row["id"] == str(submission.pk)
        assert ShelfRun.objects.get(run_key=None).run_path == runs[counted]["path"]


def test_numbered_paths_never_meet(cast, shelve_many) -> None:
    submission = shelve_many()
    run = submission.checks.get().report["runs"][0]
    store_check(submission, runs=[run | {"path": path} for path in ("x", "x", "x #2", "x", "x #2")])
    assert set(shelf_of(cast.alice)) == {"x", "x #2", "x #2 #2", "x #3", "x #2 #3"}


def test_a_new_version_with_other_paths_keeps_groups_of_the_run_that_counts(cast, checked) -> None:
    submission = checked()
    rows.shelve_due()
    cast.alice.patch(f"shelf/{submission.pk}/", {"labels": ["tuned"]})
    [run] = submission.checks.get().report["runs"]
    store_check(submission, runs=[run | {"path": "2027.01.01-00.00.00"}])
    [place] = ShelfRun.objects.all()
    assert (place.labels, place.run_path, place.key) == (["tuned"], "2027.01.01-00.00.00", submission.pk)


def test_another_run_of_few_that_is_chosen_has_the_place(cast, checked) -> None:
    submission = checked()
    rows.shelve_due()
    cast.alice.patch(f"shelf/{submission.pk}/", {"labels": ["tuned"]})
    [run] = submission.checks.get().report["runs"]
    Submission.objects.filter(pk=submission.pk).update(chosen_primary=1)
    store_check(submission, runs=[run, run | {"path": "other"}], primary=0)
    [place] = ShelfRun.objects.all()
    assert (place.labels, place.run_path) == (["tuned"], "other")


def test_a_choice_that_the_check_does_not_have_deletes_no_place(cast, checked) -> None:
    submission = checked()
    rows.shelve_due()
    Submission.objects.filter(pk=submission.pk).update(chosen_primary=7)
    store_check(submission)
    assert ShelfRun.objects.count() == 1


def test_a_shared_run_shows_no_finding_on_the_archive(cast, shelve_many) -> None:
    submission = shelve_many()
    store_check(submission, findings=[{"code": "bundle.example", "level": "warning", "message": "siblings/secret.txt"}])
    for row in ShelfResult.objects.all():
        assert "siblings" not in json.dumps(row.snapshot)


# The described system of an upload


def test_the_described_system_of_an_upload_is_stored_once(cast, shelve_many) -> None:
    shelve_many()
    [snapshot] = ShelfSystemSnapshot.objects.all()
    parameters = ShelfObservedParameter.objects.values_list("parameter", "key", "role", "text")
    assert len(set(parameters)) == len(parameters) > 0
    runs = ShelfRun.objects.order_by("pk")
    assert len(runs) == 3
    source = shelf_source([run.pk for run in runs], with_record=False)
    documents = observed_parameters.system_documents([str(run.key) for run in runs], source)
    assert documents == [snapshot.document] * 3
    observed = source.table_rows(ObservedParameter).order_by("result_id", "pk").values_list("result_id", "pk")
    ids = list(ShelfObservedParameter.objects.order_by("pk").values_list("pk", flat=True))
    assert list(observed) == [(run.pk, pk) for run in runs for pk in ids]
    assert ShelfFact.objects.filter(name=fact_index.CONFIGURATION).values("text").distinct().count() == 3


def test_runs_are_filtered_by_parameters_of_their_upload(cast, shelve_many) -> None:
    shelve_many()
    observed = ShelfObservedParameter.objects.filter(key="").first()
    for value, count in ((observed.text, 3), (f"{observed.text}1", 0)):
        answer = cast.alice.get(f"results/?scope=institution&p.{observed.parameter}={value}")
        assert len(answer.json()["results"]) == count, answer.content
    assert cast.charlie.get(f"results/?scope=institution&p.{observed.parameter}={value}").json()["results"] == []


def test_a_shared_run_alone_shows_the_system_of_its_upload(cast, shelve_many) -> None:
    submission = shelve_many()
    last = ShelfRun.objects.filter(submission=submission).order_by("-pk").first()
    until = (timezone.now() + timedelta(days=1)).isoformat()
    cast.alice.post(f"shelf/{last.key}/shares/", {"username": "charlie", "until": until})
    observed = ShelfObservedParameter.objects.filter(key="").first()
    answer = cast.charlie.get(f"results/?scope=institution&p.{observed.parameter}={observed.text}")
    assert [row["id"] for row in answer.json()["results"]] == [str(last.key)]


def test_rows_of_an_earlier_version_are_those_of_their_run_alone(cast, shelve_many) -> None:
    """It stored the described system for each run, until a worker shelves the upload again."""
    submission = shelve_many()
    runs = list(ShelfRun.objects.order_by("pk"))
    [snapshot] = ShelfSystemSnapshot.objects.all()
    ShelfSystemSnapshot.objects.update(submission=None)
    for run in runs[1:]:
        ShelfSystemSnapshot.objects.create(
            result_id=run.pk, sha256=snapshot.sha256, summary=snapshot.summary, document=snapshot.document
        )
    source = shelf_source([run.pk for run in runs], with_record=False)
    described = source.table_rows(PublicSystemSnapshot).order_by("result_id").values_list("result_id", flat=True)
    assert list(described) == [run.pk for run in runs]
    Submission.objects.filter(pk=submission.pk).update(shelved_at=None)
    rows.shelve_due()
    assert ShelfSystemSnapshot.objects.get().submission_id == submission.pk
    assert list(described.all()) == [run.pk for run in runs]


# From an upload to its runs


def test_an_upload_leads_to_its_runs_on_the_shelf(cast, shelve_many) -> None:
    others, submission = shelve_many(cast.bob, {"x/fio.json": make_output(9)}), shelve_many()
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["shelf_runs"] == 3
    listed = cast.alice.get(f"shelf/?submission={submission.pk}").json()["results"]
    assert {row["run"] for row in listed} == set(PATHS)
    assert {row["submission"] for row in listed} == {str(submission.pk)} != {str(others.pk)}
    page = page_source(page_of(cast.alice, f"/submissions/{submission.pk}/"))
    assert f'<a href="/shelf/?submission={submission.pk}">3 runs on your shelf</a>' in page
    shelf = page_source(page_of(cast.alice, f"/shelf/?submission={submission.pk}"))
    assert [path in shelf for path in PATHS] == [True] * 3 and "x/fio.json" not in shelf
    assert f'Runs of <a href="/submissions/{submission.pk}/">one upload</a>' in shelf


def test_runs_of_an_upload_are_listed_for_its_institution_alone(cast, shelve_many) -> None:
    submission = shelve_many()
    run = ShelfRun.objects.filter(submission=submission).first()
    later = (timezone.now() + timedelta(days=1)).isoformat()
    assert cast.alice.post(f"shelf/{run.key}/shares/", {"username": "charlie", "until": later}).status_code == 200
    assert len(cast.charlie.get("shelf/").json()["results"]) == 1, "one is shared"
    for person in (cast.charlie, cast.dana):
        assert person.get(f"shelf/?submission={submission.pk}").json()["results"] == []
        assert "on your shelf" not in page_source(page_of(person, f"/submissions/{submission.pk}/"))
    Submission.objects.filter(pk=submission.pk).update(submitted_at=timezone.now())
    cast.alice.account.memberships.all().delete()
    for person, who in ((cast.dana, "a reviewer"), (cast.alice, "who uploaded it and left the institution")):
        assert person.get(f"submissions/{submission.pk}/").json()["shelf_runs"] == 0, who
        assert "on your shelf" not in page_source(page_of(person, f"/submissions/{submission.pk}/")), who


@pytest.mark.parametrize("upload", ["x", "6484d57f", "%00"])
def test_a_wrong_upload_is_refused(cast, upload) -> None:
    answer = cast.alice.get(f"shelf/?submission={upload}")
    assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value")


def test_pages_name_runs_of_an_upload_by_their_paths_for_members_alone(cast, shelve_many) -> None:
    submission = shelve_many()
    keys = {run.run_path: str(run.key) for run in ShelfRun.objects.filter(submission=submission)}
    later = (timezone.now() + timedelta(days=1)).isoformat()
    for path in (NEW, OLD):
        answer = cast.alice.post(f"shelf/{keys[path]}/shares/", {"username": "charlie", "until": later})
        assert answer.status_code == 200, answer.content
    titles = {}
    for person in (cast.bob, cast.charlie):
        page = page_source(page_of(person, f"/shelf/all/compare/?results={keys[NEW]},{keys[OLD]}"))
        titles[person.account.username] = page.split("<h1>")[1].split("</h1>")[0]
        assert f'href="/shelf/runs/{keys[NEW]}/"' in page
    assert titles["bob"] == "Otter, results/new/fio.json and results/old/fio.json"
    assert titles["charlie"] == f"Otter, {keys[NEW][:8]} and {keys[OLD][:8]}"


def test_the_shelf_shows_the_leading_numbers_of_each_run(cast, shelve_many) -> None:
    submission = shelve_many()
    listed = {row["run"]: row["numbers"] for row in cast.alice.get("shelf/").json()["results"]}
    assert listed[OLD].startswith("Write bandwidth 2 GiB/s"), listed
    shelf = page_source(page_of(cast.alice, "/shelf/"))
    assert [f"Write bandwidth {rate} GiB/s" in shelf for rate in (1, 2, 3)] == [True] * 3
    (run,) = ShelfRun.objects.filter(submission=submission, run_path=OLD)
    page = page_source(page_of(cast.alice, f"/shelf/runs/{run.key}/"))
    assert re.search(r"<small>bandwidth mean job 0</small></th><td[^>]*>2</td><td[^>]*>GiB/s</td>", page), page
