"""GET submissions/: what is shown, in which order, at what cost."""

from __future__ import annotations

from datetime import timedelta

import pytest

from submissions.models import State, Submission


@pytest.fixture
def many(cast) -> list[str]:
    """Five submissions of Alice's, newest first."""
    submissions = [
        Submission.objects.create(account=cast.alice.account, filename=f"{n}.tgz", sha256=f"{n}" * 64, size=n)
        for n in range(5)
    ]
    return [str(submission.pk) for submission in reversed(submissions)]


def test_one_submission_shows_the_primary_run(cast, checked) -> None:
    submission = checked(performance=1.5, client_nodes=10)
    fields = cast.alice.get(f"submissions/{submission.pk}/").json()
    assert (fields["tool"], fields["version"], fields["primary"], fields["status"]) == (
        "io500",
        "io500-sc25",
        0,
        "valid",
    )
    assert fields["parameters"]["client_nodes"] == 10
    assert {measurement["op"] for measurement in fields["measurements"]} >= {"ior-easy-write", "find"}
    assert {rule["outcome"] for rule in fields["rules"]} <= {"satisfied", "violated", "not_evaluated", "needs_human"}
    assert [run["scores"] for run in fields["runs"]] == [fields["scores"]]
    assert [event["to_state"] for event in fields["history"]] == ["received", "processing", "checked"]


def test_findings_come_worst_first(cast, checked) -> None:
    submission = checked(short="ior-easy-write", fields={"metadata": '{"client_nodes": 11}'})
    levels = [
        finding["level"] for finding in cast.alice.get(f"submissions/{submission.pk}/findings/").json()["results"]
    ]
    assert levels == sorted(levels, key=["error", "warning", "info"].index)
    assert {"error", "warning"} <= set(levels)


def test_unchecked_submissions_have_no_status_or_findings(cast, many) -> None:
    fields = cast.alice.get(f"submissions/{many[0]}/").json()
    assert (fields["status"], fields["primary"], fields["findings"], fields["runs"]) == (None, None, [], [])


def test_pages_follow_one_another_without_gaps(cast, many) -> None:
    ids, address = [], "submissions/?page_size=2"
    while address:
        page = cast.alice.get(address.split("/api/v1/")[-1]).json()
        ids += [row["id"] for row in page["results"]]
        address = page["next"]
    assert ids == many


def test_submissions_are_filtered_by_state(cast, many) -> None:
    Submission.objects.filter(pk=many[1]).update(state=State.CHECKED)
    rows = cast.alice.get("submissions/?state=checked").json()["results"]
    assert [row["id"] for row in rows] == [many[1]]


def test_a_row_has_name_score_and_next_step(cast, checked, submitted, many) -> None:
    first = checked(performance=1.5, fields={"metadata": '{"system": "Fjord"}'})
    second = submitted()
    rows = {row["id"]: row for row in cast.alice.get("submissions/").json()["results"]}
    assert (rows[str(first.pk)]["name"], rows[str(first.pk)]["waits_for"]) == ("Fjord", "submitter")
    printed_score = cast.alice.get(f"submissions/{first.pk}/").json()["scores"]["SCORE"]["printed"]
    assert rows[str(first.pk)]["score"] == pytest.approx(printed_score, rel=1e-4)
    assert rows[str(second.pk)]["waits_for"] == "review"
    assert (rows[many[0]]["name"], rows[many[0]]["score"], rows[many[0]]["waits_for"]) == ("4.tgz", None, "check")


def test_a_checked_test_upload_has_no_next_step(cast, many) -> None:
    Submission.objects.filter(pk=many[0]).update(state=State.CHECKED, test=True)
    assert cast.alice.get(f"submissions/{many[0]}/").json()["waits_for"] is None


def test_the_score_is_that_of_the_chosen_run(cast, many) -> None:
    runs = [{"findings": [], "scores": {"SCORE": {"value": score}}} for score in (1.5, 2.5)]
    row = Submission.objects.get(pk=many[0])
    row.checks.create(validators_version="1", status="valid", seconds=0, report={"primary": None, "runs": runs})
    address = f"submissions/?id={many[0]}"
    assert cast.alice.get(address).json()["results"][0]["score"] is None
    Submission.objects.filter(pk=row.pk).update(chosen_primary=1)
    assert cast.alice.get(address).json()["results"][0]["score"] == 2.5
    Submission.objects.filter(pk=row.pk).update(chosen_primary=7)
    assert cast.alice.get(address).json()["results"][0]["score"] is None


@pytest.mark.parametrize("write", [str.lower, str.upper, lambda id: id.replace("-", "")])
@pytest.mark.parametrize("length", [4, 9, 36])
def test_an_id_is_found_by_its_beginning(cast, many, write, length) -> None:
    rows = cast.alice.get(f"submissions/?id={write(many[2])[:length]}").json()["results"]
    assert [row["id"] for row in rows] == [id for id in many if id.startswith(many[2][: min(length, 8)])]


def test_prefixes_of_invisible_ids_find_nothing(cast, many) -> None:
    assert cast.charlie.get(f"submissions/?id={many[0]}").json()["results"] == []


def test_a_published_one_is_found_by_its_public_id(cast, published) -> None:
    rows = cast.alice.get(f"submissions/?result={published.result.public_id}").json()["results"]
    assert [row["id"] for row in rows] == [str(published.pk)]
    assert cast.alice.get("submissions/?result=hw-999999").json()["results"] == []
    assert cast.alice.get("submissions/?release=SC99").json()["results"] == rows
    assert cast.alice.get("submissions/?release=none").json()["results"] == []


BEFORE_THE_UPGRADE = "WyIyMDI2LTAxLTAyVDAzOjA0OjA1KzAwOjAwIiwgIjBmOGZhZDViLWQ5Y2ItNDY5Zi1hMTY1LTcwODY3NzI4OTUwZSJd"
"""A moment and an id, as cursors held them until they named their order."""


def test_a_cursor_of_an_earlier_release_is_refused_with_a_hint(cast, many) -> None:
    answer = cast.alice.get(f"submissions/?cursor={BEFORE_THE_UPGRADE}").json()
    assert (answer["status"], answer["code"]) == (400, "query.bad-cursor")
    assert answer["hint"].startswith("Leave `cursor` out to begin again")


def test_pages_of_one_moment_follow_the_ids(cast, many) -> None:
    Submission.objects.update(received_at="2026-01-02T03:04:05.678901Z")
    ids, address = [], "submissions/?page_size=1"
    while address:
        page = cast.alice.get(address.split("/api/v1/")[-1]).json()
        ids += [row["id"] for row in page["results"]]
        address = page["next"]
    assert ids == sorted(many, reverse=True)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("state=best", "query.invalid-value"),
        ("id=abc", "query.invalid-value"),
        ("id=" + "a" * 33, "query.invalid-value"),
        ("id=hw-1", "query.invalid-value"),
        ("id=%D9%A1%D9%A1%D9%A1%D9%A1", "query.invalid-value"),
        ("page_size=0", "query.invalid-value"),
        ("page_size=201", "query.invalid-value"),
        ("cursor=x", "query.bad-cursor"),
        ("cursor=WyJ4IiwgInkiXQ", "query.bad-cursor"),
        ("cursor=" + "A" * 1000, "query.bad-cursor"),
        (f"cursor={BEFORE_THE_UPGRADE}", "query.bad-cursor"),
        ("sort=age", "query.unknown-parameter"),
    ],
)
def test_a_query_that_is_not_understood_is_refused(cast, many, query, code) -> None:
    answer = cast.alice.get(f"submissions/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)


@pytest.mark.parametrize("id", ["1", "x", "0F8FAD5B-D9CB-469F-A165-70867728950E0"])
def test_invalid_ids_return_404(cast, id) -> None:
    assert cast.alice.get(f"submissions/{id}/").status_code == 404


def test_a_list_costs_the_same_queries_at_any_length(cast, many, django_assert_num_queries) -> None:
    for size in (1, 5):
        with django_assert_num_queries(2):
            cast.alice.get(f"submissions/?page_size={size}")


def test_one_submission_costs_a_fixed_number_of_queries(cast, checked, django_assert_num_queries) -> None:
    submission = checked()
    # token, memberships, submission with its neighbours, latest check, who has it, reviews, history, open releases,
    # runs on the shelf
    with django_assert_num_queries(8):
        cast.alice.get(f"submissions/{submission.pk}/")


def could_rank(client, submission) -> dict[str, dict[str, object]] | None:
    rows = client.get(f"submissions/{submission.pk}/").json()["could_rank"]
    return None if rows is None else {row["name"]: row for row in rows}


def test_a_checked_run_says_where_it_could_rank_and_why_not(cast, checked, release) -> None:
    submission = checked(client_nodes=9)
    rows = could_rank(cast.alice, submission)
    assert rows is not None and set(rows) <= set(release.list_names)
    assert rows["full"]["outcome"] == "can"
    ten = rows["ten"]
    assert (ten["outcome"], ten["code"], ten["fact"]) == ("cannot", "not-ten-client-nodes", "client nodes: 9")
    assert ten["why"] and ten["source"] and ten["releases"] == [release.slug]
    assert rows["full"]["why"] == rows["full"]["code"] == ""
    assert could_rank(cast.bob, submission) == rows
    assert cast.charlie.get(f"submissions/{submission.pk}/").status_code == 404


def test_without_an_open_release_no_list_is_named(cast, checked) -> None:
    assert could_rank(cast.alice, checked()) == {}


def test_unchecked_and_published_submissions_have_no_prospects(cast, many, published) -> None:
    assert cast.alice.get(f"submissions/{many[0]}/").json()["could_rank"] is None
    assert could_rank(cast.alice, published) is None


@pytest.mark.parametrize("state", ["received", "invalid", "withdrawn", "rejected"])
def test_a_run_that_waits_for_no_list_has_no_prospects(cast, checked, release, state) -> None:
    submission = checked()
    type(submission).objects.filter(pk=submission.pk).update(state=state)
    assert could_rank(cast.alice, submission) is None


@pytest.mark.parametrize(
    "metadata",
    [
        {"client_nodes": -1, "system": ["x"], "production": "perhaps", "storage_vendor": 7, "filesystem_type": None},
        {"institution": "<b>", "client_nodes": 10**30, "system": "\ud800".encode("utf-8", "replace").decode()},
    ],
)
def test_prospects_bear_metadata_of_any_form(cast, checked, release, metadata) -> None:
    submission = checked()
    type(submission).objects.filter(pk=submission.pk).update(metadata=metadata)
    assert could_rank(cast.alice, submission)
    cast.alice.client.force_login(cast.alice.account)
    assert cast.alice.client.get(f"/submissions/{submission.pk}/").status_code == 200


def test_a_submitted_run_has_prospects_after_the_deadline(cast, submitted, release) -> None:
    submission = submitted()
    before = could_rank(cast.alice, submission)
    type(release).objects.filter(pk=release.pk).update(deadline=release.deadline - timedelta(days=900))
    assert before and could_rank(cast.alice, submission) == before
