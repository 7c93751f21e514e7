"""The demonstration: what its screens say, that the database bars it from the record, and that no other page has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DataError, IntegrityError, connection, transaction
from django.test import Client, override_settings

from registry.dumps import editions
from registry.loading import demonstration as loading
from registry.models import DemonstrationRun, ListEntry, Measurement, RankedList, RecordChange, Result, Step
from registry.query import demonstration
from tests.html import page_source
from tests.registry.record import empty, make_list, make_measurement, make_release, make_result, stored_in
from tests.registry.site_pages.test_featured_result import SNAPSHOT
from tools import make_demonstration

SCREENS = ("/tour/", "/tour/ceiling/", "/tour/rejected/", "/tour/change/", "/tour/slow-targets/")
ELSEWHERE = (
    "/lists/", "/lists/T1/full/", "/lists/feed.atom", "/releases/", "/releases/feed.atom", "/analysis/full/",
    "/results/", "/results/?tool=ior", "/results/hw-1/", "/results/hw-1/among/", "/search/?q=demo-1",
    "/search/?q=demonstration", "/systems/", "/systems/site-one-test-system-a/", "/sites/",
    "/systems/site-one-test-system-a/history/", "/systems/site-one-test-system-a/history/feed.atom",
    "/studies/", "/study/?metric=ior-easy-write.bandwidth.phase&x=client_nodes", "/rankings/", "/generations/",
    "/hardware/",
    "/parameters/lustre.client.osc.max_rpcs_in_flight/", "/parameters/shared/", "/robots.txt",
    "/compare/?results=hw-1,hw-2&assume=prior",
    "/api/v1/results/?include=measurements", "/api/v1/results/?q=demonstration", "/api/v1/results/?ids=demo-1",
    "/api/v1/results/hw-1/", "/api/v1/results/hw-1/citation/",
    "/api/v1/systems/", "/api/v1/sites/", "/api/v1/platforms/",
    "/api/v1/lists/T1/full/", "/api/v1/analysis/full/", "/api/v1/studies/", "/api/v1/study/metrics/",
    "/api/v1/study/axes/", "/api/v1/study/?metric=ior-easy-write.bandwidth.phase&x=client_nodes",
    "/api/v1/ranking/?formula=score", "/api/v1/compare/?results=hw-1,hw-2&assume=prior",
    "/api/v1/systems/site-one-test-system-a/history/", "/api/v1/parameters/lustre.client.osc.max_rpcs_in_flight/",
    "/api/v1/parameters/shared/", "/api/v1/export/", "/api/v1/export/results.csv", "/api/v1/export/results.ndjson",
    "/api/v1/export/manifest.json", "/api/v1/benchmarks/",
)  # fmt: skip
BANDWIDTHS = {
    "demo-1": [3834.0, 3862.0, 3805.0, 3850.0, 3826.0],
    "demo-2": [5055.0, 5000.0, 5110.0, 5030.0, 5078.0],
}
"""MiB/s that the raw files of the first two runs print, in their order."""


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any, tmp_path_factory) -> Iterator[None]:
    """Two results on a list, the files of the record, and the demonstration."""
    with override_settings(STORAGES=stored_in(tmp_path_factory.mktemp("public"))):
        with django_db_blocker.unblock():
            release = make_release("T1")
            first, second = make_result(release, "hw-1", 10.5), make_result(release, "hw-2", 20.0)
            make_measurement(first, "ior-easy-write", 2.0)
            make_measurement(second, "ior-easy-write", 3.0)
            make_list(release, "full", [second, first])
            editions.build_if_due()
            loading.load_demonstration()
        yield
        with django_db_blocker.unblock():
            loading.remove_demonstration()
            empty()


pytestmark = pytest.mark.django_db


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return " ".join(page_source(answer).replace("\N{NO-BREAK SPACE}", " ").split())


# The raw files


def test_the_raw_files_are_those_that_the_tool_makes() -> None:
    assert loading.FILE.read_text(encoding="utf-8") == make_demonstration.document()


def test_runs_are_read_from_their_raw_files() -> None:
    """Each bandwidth that IOR prints in a file is a repeat of the run, and no other number is one."""
    for public_id, bandwidths in BANDWIDTHS.items():
        run = DemonstrationRun.objects.get(public_id=public_id)
        texts = [text for path, text in run.files.items() if path.startswith("results/")]
        assert [float(re.findall(r"^write +([\d.]+)", text, re.M)[0]) for text in texts] == bandwidths
        (row,) = [
            row
            for row in run.measurements
            if (row["op"], row["quantity"], row["stat"]) == ("write", "bandwidth", "max")
        ]
        assert row["repeats"] == [value * 2**20 for value in bandwidths]
        assert row["value"] == bandwidths[0] * 2**20, "the first of five counts"
    statuses = dict(DemonstrationRun.objects.values_list("public_id", "status"))
    assert {public_id for public_id, status in statuses.items() if status != "valid"} == {"demo-3"}
    assert len(statuses) == 16


def test_loading_again_changes_nothing_and_removing_leaves_nothing() -> None:
    columns = [field.name for field in DemonstrationRun._meta.fields if field.name != "id"]
    before = list(DemonstrationRun.objects.values(*columns))
    output = StringIO()
    call_command("load_demonstration", stdout=output)
    assert list(DemonstrationRun.objects.values(*columns)) == before
    call_command("load_demonstration", "--remove", stdout=output)
    call_command("load_demonstration", "--remove", stdout=output)
    assert not DemonstrationRun.objects.exists()
    assert output.getvalue().splitlines() == [
        "demonstration: 16 runs", "demonstration: 16 runs removed", "demonstration: 0 runs removed"
    ]  # fmt: skip


# The screens


def test_one_changed_tunable_is_compared(client) -> None:
    text = page(client, "/tour/")
    # 5055 / 3834, the runs that count; 3835.4 and 5054.6 MiB/s are the means, of 6.4 GB/s.
    assert "Writes are 1.32 times as fast with max_rpcs_in_flight 64 instead of 8" in text
    for number in ("4.02", "63 %", "5.30", "83 %", "6.40 GB/s: drives", "4.05", "3.99", "5.36", "5.24"):
        assert number in text, number
    assert text.count("≠ default") == 1, "one fact differs, and 64 is not the default"


def test_five_repeats_are_shown_with_their_ceiling(client) -> None:
    text = page(client, "/tour/ceiling/")
    assert "5 repeats reach 83 % of what the drives can write: 5.30 of 6.40 GB/s." in text
    # 5000 and 5110 MiB/s are 5.24288 and 5.35822 GB/s.
    for cells in (("2", "5.24", "81.9"), ("3", "5.36", "83.7")):
        assert '</th><td class="n">'.join(cells[:2]) + f'</td><td class="n">{cells[2]}' in text
    for ceiling in ("6.40", "7.88", "25.00", "50.00"):
        assert f'<td class="n">{ceiling}</td>' in text, ceiling
    assert "Samsung PM1733" in text, "what says so"


def test_a_rejected_run_has_findings_with_their_lines(client) -> None:
    text = page(client, "/tour/rejected/")
    assert "The check finds 2 errors and 3 warnings, so this run can be submitted to no list." in text
    lines = (
        DemonstrationRun.objects.get(public_id="demo-3").files["results/2026.03.02-14.00.00/result.txt"].splitlines()
    )
    for code, number in (("io500.stonewall.short", 14), ("io500.score.inconsistent", 113)):
        assert f'/docs/findings/#{code}"' in text
        assert f"<b>▸{number} {' '.join(lines[number - 1].split())}</b>" in text
    assert text.index("io500.stonewall.short") < text.index("io500.score.hash-mismatch"), "errors first"


def test_twelve_nights_show_a_change_point(client) -> None:
    text = page(client, "/tour/change/")
    # Geometric means of seven and of five nights: 5052.7 and 4256.3 MiB/s.
    assert "Writes fell from 5.298 to 4.463 GB/s on 2026-03-10, \N{MULTIPLICATION SIGN} 0.84." in text
    assert "Between the nights around it one fact differs: checksums went from no to yes." in text
    assert text.count("<tr><td>2026-03-") == 12
    assert "/compare/?results=demo-10,demo-11" in text


def test_two_of_3000_targets_are_slow(client) -> None:
    text = page(client, "/tour/slow-targets/")
    assert "2 of 3,000 targets reach 90 % of the best or less: numbers 1207 and 2641." in text
    # 905.25 and 1240.5 of 1700 MiB/s.
    for cells in (("1207", "0.9492", "53.2"), ("2641", "1.301", "73.0")):
        assert f'mono">{cells[0]}</th><td class="n">{cells[1]}</td><td class="n">{cells[2]}' in text
    # 1 - (2936/3000)(2935/2999): a file over 64 targets.
    assert "A file over 64 of them meets a slow one in 4.2 % of cases." in text


@pytest.mark.parametrize("address", SCREENS)
def test_each_page_of_the_tour_has_its_explanation_and_commands(client, address) -> None:
    text = page(client, address)
    assert "They are on no list, in no study and in no export." in text
    assert "Their numbers are made up" in text
    assert text.count('aria-current="step"') == 1
    assert "python3 highwater.pyz" in text
    assert set(re.findall(r'href="(/tour/[^"]*)"', text)) == set(SCREENS) - {address} | {
        next_address for next_address in SCREENS if f'acts" href="{next_address}"' in text
    }
    for link in set(re.findall(r'href="(/(?:results|compare|parameters)/[^"]+)"', text)):
        assert client.get(link.replace("&amp;", "&")).status_code == 200, link


@pytest.mark.parametrize("path", ["none", "TOUR", "ceiling%00", "ceiling/again", "..%2Fceiling", "é" * 300])
def test_unknown_pages_of_the_tour_return_404(client, path) -> None:
    assert client.get(f"/tour/{path}/").status_code == 404


def test_missing_change_points_and_differences_are_not_claimed(client) -> None:
    """Runs of one level, and runs that differ in nothing: the sentences don't go on saying what they said."""
    nights = list(DemonstrationRun.objects.filter(screen="change"))
    for run in nights[7:]:
        run.measurements, run.system_document = nights[0].measurements, nights[0].system_document
        run.save()
    assert "Nothing changed in 12 nights beyond chance." in page(client, "/tour/change/")
    first, second = DemonstrationRun.objects.filter(screen="tunable")
    second.system_document = first.system_document
    second.measurements = [row | {"repeats": None} for row in second.measurements]
    second.save()
    text = page(client, "/tour/")
    assert "0 facts differ, not one alone." in text
    assert "whether it is more than chance cannot be told" in text


def test_sentences_follow_numbers_that_change(client) -> None:
    """Another count of repeats, a second step, more slow targets and a silent one."""
    _, second = DemonstrationRun.objects.filter(screen="tunable")
    for row in second.measurements:
        row["repeats"] = (row["repeats"] or [])[:4]
    second.save()
    assert "Repeats: 5 and 4, so the ratio has a 95 % range" in page(client, "/tour/")
    for run in list(DemonstrationRun.objects.filter(screen="change"))[:4]:
        for row in run.measurements:
            row["value"] /= 2
        run.save()
    assert "That is the last of 2 steps." in page(client, "/tour/change/")
    survey = DemonstrationRun.objects.get(screen="targets")
    targets = survey.snapshot["tests"][0]["targets"]["write"]
    targets[:5] = [[0, 0, 0], *([19, 10.0, 20.0] for _ in range(4))]
    for distribution in survey.snapshot["distributions"]:
        distribution["count"] -= 1
    survey.save()
    text = page(client, "/tour/slow-targets/")
    assert "6 of 2,999 targets reach 90 % of the best or less." in text
    assert "Not known: 1 target without a number." in text
    for address in SCREENS:
        assert not re.search("3,000|twelve|five repeats", page(client, address), re.I), address


# Asked for by id


def test_the_page_of_a_run_is_marked_and_cannot_be_cited(client) -> None:
    for public_id in ("demo-1", "demo-3", "demo-4", "demo-16"):
        text = page(client, f"/results/{public_id}/")
        assert '<span class="tag">demonstration</span>' in text
        assert '<meta name="robots" content="noindex">' in text
        assert not re.search(r"badge|bibtex|#cite|citation/", text, re.I), public_id
        for below in ("among/", "badge.svg", "copy.tar.gz", "members/"):
            assert client.get(f"/results/{public_id}/{below}").status_code == 404, below
        for below in ("citation/", "files/", "system/", "members/", "ceilings/", "among/", "distributions/"):
            assert client.get(f"/api/v1/results/{public_id}/{below}").status_code == 404, below


def test_the_page_of_a_run_shows_its_bandwidth_under_the_ceiling(client) -> None:
    text = page(client, "/results/demo-2/")
    assert "Bandwidth under the ceilings" in text
    assert "Nearest to a limit" in text and "write, of drives" in text
    assert "Bandwidth under the ceilings" not in page(client, "/results/demo-16/")


def test_the_api_has_a_run_in_the_form_of_a_result(client) -> None:
    answer = client.get("/api/v1/results/demo-2/").json()
    assert (answer["id"], answer["trust"], answer["tool"], answer["client_nodes"]) == (
        "demo-2",
        "demonstration",
        "ior",
        2,
    )
    assert answer.keys() == client.get("/api/v1/results/hw-1/").json().keys()
    assert (answer["lists"], answer["release"], answer["system_slug"], answer["next_trust"]["level"]) == (
        [],
        None,
        "",
        "",
    )
    (again,) = [
        row for row in answer["repeats"] if (row["op"], row["quantity"], row["stat"]) == ("write", "bandwidth", "max")
    ]
    assert again["values"] == [value * 2**20 for value in BANDWIDTHS["demo-2"]]
    rejected = client.get("/api/v1/results/demo-3/").json()
    assert rejected["findings"][0]["code"] == "io500.stonewall.short"


@pytest.mark.parametrize(
    "public_id", ["demo-0", "demo-01", "demo-17", "demo-9999999999", "Demo-1", "demo-", "demo-1%00"]
)
def test_unknown_runs_return_404(client, public_id) -> None:
    for address in (f"/results/{public_id}/", f"/api/v1/results/{public_id}/"):
        assert client.get(address).status_code == 404, address


def test_two_runs_are_compared_as_results_are(client) -> None:
    answer = client.get("/api/v1/compare/?results=demo-1,demo-2&per=server").json()
    assert (answer["comparable"], [heading["trust"] for heading in answer["results"]]) == (True, ["demonstration"] * 2)
    answer = client.get("/api/v1/compare/?results=demo-1,demo-2").json()
    (row,) = [row for row in answer["measurements"] if (row["quantity"], row["stat"]) == ("bandwidth", "max")]
    assert row["ratios"][1] == pytest.approx(5055 / 3834)
    assert row["interval_basis"][1] == "repeats"
    (group,) = answer["configuration"]
    assert [fact["name"] for fact in group["differences"]] == ["lustre.client.osc.max_rpcs_in_flight"]
    text = page(client, "/compare/?results=demo-1,demo-2")
    assert "They are on no list, in no study and in no export." in text
    assert "noindex" in text


@pytest.mark.parametrize("ids", ["demo-1,hw-1", "hw-1,demo-2,demo-1", "demo-1,none"])
def test_runs_and_results_are_not_compared(client, ids) -> None:
    answer = client.get(f"/api/v1/compare/?results={ids}")
    assert (answer.status_code, answer.json()["code"]) == (400, "compare.demonstration")
    refusal_page = client.get(f"/compare/?results={ids}")
    assert (
        refusal_page.status_code,
        "A demonstration is not compared with results" in page_source(refusal_page),
    ) == (400, True)


def test_a_missing_run_is_named(client) -> None:
    answer = client.get("/api/v1/compare/?results=demo-1,demo-99")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-result")
    assert "demo-99" in answer.json()["detail"]


def test_a_published_result_without_a_ceiling_says_why_it_comes_first(client) -> None:
    reason = 'Published results come first. An invented run <a href="#demonstrated">under its ceiling</a> follows'
    assert reason not in page(client, "/")
    make_result(make_release("T2"), "io500-3", 12.5, trust=Result.Trust.DERIVED, snapshot=SNAPSHOT)
    home = page(client, "/")
    assert home.count(reason) == 1
    assert home.index(reason) < home.index('<figure id="demonstrated">') < home.index("A run under its ceiling")
    loading.remove_demonstration()
    assert "Published results come first" not in page(client, "/")


# Without a demonstration


def test_a_registry_without_the_demonstration_explains_how_to_load_it(client) -> None:
    assert 'href="/tour/"' in page(client, "/")
    assert "A run under its ceiling" in page(client, "/") and 'class="tag">demonstration</span>' in page(client, "/")
    loading.remove_demonstration()
    assert "A run under its ceiling" not in page(client, "/")
    assert 'href="/tour/"' not in page(client, "/")
    for address in SCREENS:
        answer = client.get(address)
        assert answer.status_code == 404
        assert "manage load_demonstration" in page_source(answer)
    for address in ("/results/demo-1/", "/api/v1/results/demo-1/", "/api/v1/compare/?results=demo-1,demo-2"):
        assert client.get(address).status_code == 404, address


def answers(client: Client) -> dict[str, bytes]:
    """The bytes of each address; of a feed without entries all but the moment at which it was asked."""
    contents = {}
    for address in ELSEWHERE:
        answer = client.get(address)
        assert answer.status_code == 200, address
        contents[address] = answer.getvalue()
        if address.endswith(".atom") and b"<entry>" not in contents[address]:
            contents[address] = re.sub(rb"<updated>[^<]*</updated>", b"", contents[address])
    return contents


def test_the_demonstration_changes_no_other_answer(client) -> None:
    """Byte for byte: lists, results, search, systems, series, studies, assumptions, feeds, citations, exports."""
    contents, changes = answers(client), RecordChange.objects.count()
    loading.remove_demonstration()
    assert answers(client) == contents
    loading.load_demonstration()
    assert RecordChange.objects.count() == changes, "the files of the record need not be made again"
    for address in ELSEWHERE:
        assert "demo" in address or b"demo-1" not in contents[address], address
    unknown = client.get("/api/v1/study/?metric=write.bandwidth.max&x=client_nodes")
    assert unknown.json()["code"] == "study.unknown-metric", "runs of the demonstration alone have this one"


# What the database refuses


def refused(statement: str, values: tuple[Any, ...] = ()) -> str:
    """The name of the constraint that a statement breaks, or which kind of error it is."""
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cause: Any = error.value.__cause__
    return str(cause.diag.constraint_name)


@pytest.mark.parametrize("public_id", ["demo-1", "demo-2000", "demo-x", "DEMO-1", "Demo-"])
def test_a_result_may_not_have_the_id_of_a_demonstration(public_id) -> None:
    assert refused("UPDATE registry_result SET public_id = %s WHERE public_id = 'hw-1'", (public_id,)) == (
        "result_is_no_demonstration"
    )


def test_a_run_cannot_be_copied_into_the_results() -> None:
    columns = ", ".join(
        f'"{field.column}"'
        for field in Result._meta.concrete_fields
        if field.column not in ("id", "public_id", "search") and not field.generated
    )
    statement = (
        f"INSERT INTO registry_result (public_id, {columns}) SELECT 'demo-1', {columns} FROM registry_result LIMIT 1"
    )
    assert refused(statement) == "result_is_no_demonstration"


def test_demonstration_is_too_long_for_the_trust_column() -> None:
    with pytest.raises(DataError), transaction.atomic():
        Result.objects.update(trust=demonstration.TRUST)


@pytest.mark.parametrize("trust", ["demonstrat", "", "Verified"])
def test_results_and_lists_have_one_of_four_levels_of_trust(trust) -> None:
    """The columns are too short for the whole word, too."""
    assert refused("UPDATE registry_result SET trust = %s", (trust,)) == "result_has_a_level_of_trust"
    assert refused("UPDATE registry_rankedlist SET trust = %s", (trust,)) == "list_has_a_level_of_trust"


def test_a_run_has_an_id_of_its_own() -> None:
    for public_id in ("hw-1", "demo-", "demo-0", "demo-1x", "x demo-1", "demo-1\nhw-1", ""):
        statement = "UPDATE registry_demonstrationrun SET public_id = %s WHERE public_id = 'demo-1'"
        assert refused(statement, (public_id,)) == "demonstration_has_an_id_of_its_own", public_id


def test_no_foreign_key_refers_to_a_demonstration_run() -> None:
    """No foreign key leads to the table of runs, none of it leads out, and its keys are none of results."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND "
            "'registry_demonstrationrun'::regclass IN (conrelid, confrelid)"
        )
        assert cursor.fetchall() == []
    result = demonstration.as_result(DemonstrationRun.objects.get(public_id="demo-1"))
    entry = (
        "INSERT INTO registry_listentry (ranked_list_id, result_id, position, rank, rank_low, rank_high, score, new, "
    )
    entry += "institution, system_name, filesystem_type, note) SELECT id, %s, 9, 9, 9, 9, 1, false, '', '', '', '' "
    assert "fk" in refused(f"{entry} FROM registry_rankedlist LIMIT 1", (result.pk,))
    moved = "UPDATE registry_measurement SET result_id = %s WHERE id = (SELECT min(id) FROM registry_measurement)"
    assert "fk" in refused(moved, (result.pk,))


def test_a_run_in_the_form_of_a_result_cannot_be_saved() -> None:
    result = demonstration.as_result(DemonstrationRun.objects.get(public_id="demo-1"))
    with pytest.raises(ValueError, match="unsaved related object"):
        result.save()
    recorded_result = Result.objects.get(public_id="hw-1")
    result.site, result.system, result.release, result.trust = (
        recorded_result.site,
        recorded_result.system,
        recorded_result.release,
        recorded_result.trust,
    )
    with pytest.raises(IntegrityError, match="result_is_no_demonstration"), transaction.atomic():
        result.save(force_insert=True)
    ranked = RankedList.objects.get()
    for model, facts in (
        (ListEntry, {"ranked_list": ranked}),
        (Measurement, {}),
        (Step, {"system": recorded_result.system}),
    ):
        assert not model.objects.filter(**facts, **{"after" if model is Step else "result": result}).exists()
