"""The description of a system: stored by the check, shown to whom it may concern, published without names of nodes."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from registry.models import ObservedParameter, Platform, System
from registry.models import PublicSystemSnapshot as PublishedSystem
from submissions.checks import processing
from submissions.models import Submission, SubmittedSystem
from submissions.publication.publishable import make_public_system as described_form
from submissions.review import decisions
from tests.html import page_source
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_class, make_parameter, make_system
from tests.submissions.cast import submit_to
from validators.system import public_view

OUTLIER = {"member": "m-00000003", "pointer": "/hardware/memory/total_bytes", "value": 256 * 2**30, "majority": 512}
FAILED = {"member": "m-00000003", "reason": "timeout"}


@pytest.fixture
def described(cast, tmp_path):
    """A checked submission whose bundle is a bag with a description."""

    def make(system=None, person=None, run=None) -> Submission:
        document = make_system() if system is None else system
        content = pack(tmp_path / "bag.tar.gz", make_bag(make_run(**run or {}), document)).read_bytes()
        answer = (person or cast.alice).upload(content)
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


@pytest.fixture
def published(cast, release, described):
    """A result whose submission had a description."""

    def make(system=None):
        submission = described(system)
        submit_to(release, submission, cast.alice)
        decisions.decide_run(submission, cast.dana.account, "accept", "All is well.", reproducibility="fully")
        assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
        submission.refresh_from_db()
        return submission.result

    return make


def page(person, path: str) -> str:
    browser = Client()
    browser.force_login(person.account)
    answer = browser.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", page_source(answer))


def test_the_description_is_stored_with_the_check(described) -> None:
    submission = described()
    assert submission.state == "checked"
    assert submission.system_snapshot.document == make_system()
    assert submission.checks.get().report["system"]["path"] == "data/system.json"


def test_a_second_check_keeps_one_description(described, cast) -> None:
    submission = described()
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/").status_code == 202
    processing.check_submission(submission.pk)
    assert SubmittedSystem.objects.count() == 1


def test_a_description_that_cannot_be_used_is_not_stored(described) -> None:
    submission = described(b'{"schema_version": "1"}')
    assert submission.state == "invalid"
    assert not SubmittedSystem.objects.exists()


def test_a_contradiction_is_a_finding_and_no_obstacle(described) -> None:
    submission = described(make_system(job={"nodes": 7}))
    assert submission.state == "checked"
    codes = [finding["code"] for finding in submission.checks.get().report["runs"][0]["findings"]]
    assert "system.job-nodes" in codes


def test_text_that_the_database_cannot_hold_is_cleaned(described) -> None:
    submission = described(make_system(node_classes=[make_class(name="a\0b")]))
    assert submission.system_snapshot.document["node_classes"][0]["name"] == "a\ufffdb"


def test_the_api_gives_a_summary_and_the_whole_description(described, cast) -> None:
    submission = described()
    short = cast.alice.get(f"submissions/{submission.pk}/").json()["system"]
    assert (short["nodes"], short["parameters"]) == ({"client": 10}, 4)
    description = cast.bob.get(f"submissions/{submission.pk}/system/").json()
    assert (description["sha256"], description["document"]) == (short["sha256"], make_system())
    assert description["summary"]["redaction_profile"] == "default"
    assert "Site/nationality" in description["missing_in_forms"]["io500"]


def test_a_missing_description_is_reported_by_the_api(checked, cast) -> None:
    submission = checked()
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["system"] is None
    answer = cast.alice.get(f"submissions/{submission.pk}/system/")
    assert (answer.status_code, answer.json()["code"]) == (404, "submission.no-system")


def test_the_description_is_hidden_from_strangers(described, cast) -> None:
    path = f"submissions/{described().pk}/system/"
    hidden, absent = (
        cast.charlie.get(path),
        cast.charlie.get("submissions/9d1c8a9e-0000-4000-8000-000000000000/system/"),
    )
    assert hidden.status_code == absent.status_code == 404
    assert hidden.json() == absent.json()
    assert cast.dana.get(path).status_code == 404
    assert cast.stranger.get(f"/api/v1/{path}").status_code == 401
    assert not PublishedSystem.objects.exists()
    assert not ObservedParameter.objects.exists()


def test_reading_one_submission_costs_as_much_with_a_description(described, cast, django_assert_num_queries) -> None:
    submission = described()
    with django_assert_num_queries(8):
        cast.alice.get(f"submissions/{submission.pk}/")


def test_the_page_shows_the_description_by_section(described, cast) -> None:
    changed = {"pointer": "/network/0/rate_bit_s", "pre": 200, "post": 100, "severity": "invalidating", "members": 2}
    node_class = make_class(outliers=[OUTLIER])
    text = page(cast.alice, f"/submissions/{described(make_system(node_classes=[node_class], drift=[changed])).pk}/")
    for words in (
        "Clients: 10 nodes",
        "Operating system",
        "5.14.0-427.el9.x86_64",
        "200 Gbit/s",
        "512 GiB",
        "network 0 rate_bit_s",
        "1 outlier",
        "only root may read it",
        "lustre.client.llite.max_cached_mb",
        "1.5 PiB",
    ):
        assert words in text, words
    mark = '<span class="tag">≠ default</span>'
    assert "200 bit/s" in text
    assert f"<b>64</b> {mark} <small>on 7</small><br>8 <small>on 1</small>" in text
    assert 'href="/parameters/lustre.client.osc.checksums/"' in text
    assert f'osc.checksums</code></a></th><td role="cell" class="mono"><b>no</b> {mark}</td>' in text


def test_the_reviewer_sees_the_description(release, described, cast) -> None:
    submission = described()
    submit_to(release, submission, cast.alice)
    assert "Clients: 10" in page(cast.dana, f"/review/{submission.pk}/")


def test_text_of_a_description_is_never_markup(described, cast) -> None:
    node_class = make_class(
        name="x", os={"kernel": "<script>alert(1)</script>"}, parameters=[make_parameter("site.a", "<b>")]
    )
    text = page(cast.alice, f"/submissions/{described(make_system(node_classes=[node_class])).pk}/")
    assert "<script>alert" not in text and "<b>" not in text.split("site.a")[1][:80]
    assert "&lt;script&gt;alert(1)" in text


def test_three_thousand_targets_are_one_line_and_the_page_stays_small(described, cast) -> None:
    many = [make_parameter(f"site.p{number}", number) for number in range(5000)]
    osts = make_parameter("lustre.client.osc.checksums", False, instances=3000)
    submission = described(make_system(node_classes=[make_class(parameters=[osts, *many])]))
    text = page(cast.alice, f"/submissions/{submission.pk}/")
    assert text.count("lustre.client.osc.checksums</code>") == 1
    assert "3,000" in text
    assert re.search(r"And 4,?4\d\d more rows", text)
    assert len(text) < 300_000


def test_publication_copies_it_without_names_of_nodes(published, cast) -> None:
    (pre, post) = make_system()["captures"]
    document = make_system(
        captures=[pre | {"nodes_failed": [FAILED]}, post],
        node_classes=[make_class(outliers=[OUTLIER])],
        attachments=[{"path": "logs/login1.north.example", "sha256": "0" * 64}],
    )
    result = published(document)
    description = cast.stranger.get(f"/api/v1/results/{result.public_id}/system/").json()
    text = json.dumps(description)
    assert not re.search(r"m-[0-9a-f]{8}|login1|attachments|members\"", text)
    assert description["document"]["node_classes"][0]["outliers"][0]["member"] == "node 1"
    assert description["document"]["captures"][0]["nodes_failed"] == [{"member": "node 1", "reason": "timeout"}]
    assert description["document"]["node_classes"][0]["parameters"] == document["node_classes"][0]["parameters"]
    assert description["document"]["node_classes"][0]["os"] == document["node_classes"][0]["os"]


def test_texts_of_the_site_in_a_description_are_scrubbed(published, cast) -> None:
    node_class = make_class(
        os={"kernel": "5.14.0", "cmdline": ["home=/home/mallory/x"]},
        parameters=[make_parameter("site.note", "ask mallory@north.example on 10.20.30.40")],
    )
    result = published(make_system(node_classes=[node_class]))
    text = json.dumps(cast.stranger.get(f"/api/v1/results/{result.public_id}/system/").json())
    assert "mallory" not in text and "10.20.30.40" not in text
    assert "mallory" not in str(list(ObservedParameter.objects.values()))


def test_the_result_page_shows_the_published_description(published, cast) -> None:
    result = published()
    text = re.sub(r"\s+", " ", page_source(cast.stranger.get(f"/results/{result.public_id}/")))
    assert "Clients: 10" in text and "5.14.0-427.el9.x86_64" in text
    assert f"/api/v1/results/{result.public_id}/system/" in text


def test_parameters_of_published_systems_can_be_queried(published, cast) -> None:
    result = published()
    rows = ObservedParameter.objects.filter(result=result).values_list("parameter", "key", "role", "text", "instances")
    assert set(rows) == {
        ("lustre.version", "", "client", "2.15.4", 10),
        ("lustre.client.osc.checksums", "", "client", "false", 80),
        ("lustre.client.osc.max_rpcs_in_flight", "", "client", "64", 70),
        ("lustre.client.osc.max_rpcs_in_flight", "", "client", "8", 10),
        ("vm.sysctl", "vm.dirty_ratio", "client", "10", 10),
    }


def test_results_are_divided_by_all_drives_and_servers_of_a_described_system(published, cast) -> None:
    """Two servers of one enclosure see the same 32 drives each."""
    site, platform = cast.alice.account.memberships.get().institution, Platform.objects.create(slug="cray-e2000")
    System.objects.create(slug="north-lab-s", site=site, platform=platform)
    server_class = make_class(
        role=["oss"], count=2, class_id="00112233445566bb", parameters=[make_parameter("drive.count", 32)]
    )
    targets = [{"kind": "data", "count": 2, "drives_per_target": 16}]
    result = published(
        make_system(
            node_classes=[make_class(), server_class],
            storage_systems=[{"name": "s", "type": "lustre", "targets": targets}],
        )
    )
    question = "metric=ior-easy-write.bandwidth.phase&x=result&tool=io500"
    for per, divisor in (("drive", 32), ("server", 2)):
        (row,) = cast.stranger.get(f"/api/v1/study/?{question}&per={per}").json()["rows"]
        assert (row["divisor"], row["missing"]) == (divisor, 0)
    (basis,) = cast.stranger.get("/api/v1/sizing/?platform=cray-e2000&target=1&direction=write").json()["basis"]
    assert (basis["result"], basis["enclosures"]) == (result.public_id, 1.0)


# What differs between two submissions


def test_two_own_submissions_are_compared(described, cast) -> None:
    first = described()
    version = make_parameter("lustre.version", "2.12.9")
    other = described(make_system(node_classes=[make_class(parameters=[version])]), cast.bob)
    difference = cast.alice.get(f"submissions/{first.pk}/difference/?with={other.pk}").json()
    assert {row["name"]: row["values"] for row in difference["differences"]} == {
        "lustre.version": [["2.15.4"], ["2.12.9"]]
    }
    text = page(cast.alice, f"/submissions/{first.pk}/difference/?with={other.pk}")
    assert "2.12.9" in text and "1 facts differ" not in text and "1 fact differs" in text
    assert f'<option value="{other.pk}">' in page(cast.alice, f"/submissions/{first.pk}/")


def test_a_submission_without_description_has_no_known_difference(described, checked, cast) -> None:
    described_submission, bare = described(), checked(performance=2.0)
    difference = cast.alice.get(f"submissions/{described_submission.pk}/difference/?with={bare.pk}").json()
    assert (difference["described"], difference["differences"]) == ([True, False], [])
    assert "B has no system document" in page(
        cast.alice, f"/submissions/{described_submission.pk}/difference/?with={bare.pk}"
    )


def test_submissions_of_others_cannot_be_compared(described, cast) -> None:
    own, foreign = described(person=cast.charlie), described()
    for path in (
        f"submissions/{own.pk}/difference/?with={foreign.pk}",
        f"submissions/{foreign.pk}/difference/?with={own.pk}",
    ):
        answer = cast.charlie.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "submission.not-found")
        browser = Client()
        browser.force_login(cast.charlie.account)
        assert browser.get(f"/{path}").status_code == 404
    assert str(foreign.pk) not in page(cast.charlie, f"/submissions/{own.pk}/")


@pytest.mark.parametrize("query", ["", "?with=", "?with=7", "?other=7"])
def test_a_comparison_without_another_submission_is_refused(described, cast, query: str) -> None:
    answer = cast.alice.get(f"submissions/{described().pk}/difference/{query}")
    assert (answer.status_code, answer.json()["code"].split(".")[0]) == (400, "query")


# In other forms


@pytest.mark.parametrize(("form", "name"), [("io500", "system-information"), ("mlperf-storage", "system-description")])
def test_a_submission_is_exported_in_other_forms(described, cast, form: str, name: str) -> None:
    submission = described()
    answer = cast.alice.get(f"submissions/{submission.pk}/system/{form}/")
    assert (answer.status_code, name in answer["Content-Disposition"]) == (200, True)
    assert "Processor 64" in page_source(answer)
    assert cast.charlie.get(f"submissions/{submission.pk}/system/{form}/").status_code == 404
    assert f"/system/{form}/" in page(cast.alice, f"/submissions/{submission.pk}/")


def test_an_export_uses_the_primary_run(described, cast) -> None:
    form = cast.alice.get(f"submissions/{described().pk}/system/io500/").json()
    (run,) = (child for child in form["DATA"]["childs"] if child["type"] == "IO500")
    assert (run["att"]["version"], run["att"]["number_clientNodes"]) == ("io500-sc25", "10")


def test_a_published_result_is_exported_in_other_forms(published, cast) -> None:
    result = published()
    for form in ("io500", "mlperf-storage"):
        answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/system/{form}/")
        assert answer.status_code == 200
        assert not re.search(r"m-[0-9a-f]{8}", page_source(answer))
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/system/yaml/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-form")


@pytest.mark.parametrize("version", ["2.15.0.3", "1.6.0.326", "20.35.2000"])
def test_a_version_of_four_parts_is_no_address(version: str) -> None:
    node_class = make_class(
        parameters=[make_parameter("lustre.version", version), make_parameter("drive.firmware", [(version, 2)])],
        network=[{"device": "cxi0", "kind": "slingshot", "firmware": version}],
        os={"kernel": version, "packages": {"lustre-client": version}},
        outliers=[{"member": "m-1", "pointer": "/network/0/firmware", "value": version, "majority": version}],
    )
    document = make_system(
        node_classes=[node_class], storage_systems=[{"name": "s", "type": "lustre", "version": version}]
    )
    assert json.dumps(public_view.public(document)) == json.dumps(described_form(document))


@pytest.mark.parametrize(
    "text",
    ["10.20.30.40", "fe80::1ff:fe23:4567:890a", "00:25:96:ff:fe:12", "ask mallory@north.example", "/home/mallory/x"],
)
def test_names_of_hosts_and_people_in_a_description_are_scrubbed(text: str) -> None:
    parameters = [make_parameter("site.note", text), make_parameter("site.map", 1, key=text)]
    document = make_system(
        node_classes=[make_class(name=text, parameters=parameters)],
        drift=[{"pointer": "/site/note", "pre": text, "post": [text, {"x": text}], "severity": "info"}],
        job={"environment": {"A": text}, "preload": [text], "mpiio_hints": [{"pattern": "*", "hints": {text: "1"}}]},
    )
    assert text not in json.dumps(described_form(document))


def test_thousands_of_classes_layouts_and_drives_keep_the_page_small(described, cast) -> None:
    classes = [make_class(count=1, members=[]) for _ in range(500)]
    drives = make_class(count=2, block=[{"count": 1, "model": f"Drive {number}"} for number in range(5000)])
    layouts = [{"phase": f"p{number}"} for number in range(3000)]
    submission = described(make_system(node_classes=[drives, *classes], layouts=layouts))
    text = page(cast.alice, f"/submissions/{submission.pk}/")
    assert "And 461 more classes of nodes" in text
    assert len(text) < 600_000
