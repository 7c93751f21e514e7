"""What machines read of pages: a block of schema.org without anything that is not known, and links in the head."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.citation import schema_org
from registry.models import Result
from tests.registry.record import make_list, make_measurement, make_release, make_result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]
BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
SITE = "https://registry.example"


@pytest.fixture(autouse=True)
def _site(settings) -> None:
    settings.SITE_URL = SITE


def block_of(client: Client, address: str) -> dict[str, Any]:
    answer = client.get(address)
    assert answer.status_code == 200
    blocks = BLOCK.findall(answer.content.decode())
    assert len(blocks) == 1, address
    document: dict[str, Any] = json.loads(blocks[0])
    assert (document["@context"], document["@type"]) == ("https://schema.org/", "Dataset")
    for name in ("name", "description", "url", "creator", "publisher", "distribution"):
        assert document[name], name
    assert len(document["description"]) >= 50, "search engines ask for that much"
    assert "license" not in document, "none is stated"
    return document


def links_of(client: Client, address: str) -> list[tuple[str, str, str]]:
    """(target, relation, type) of each link of the header."""
    header = client.get(address)["Link"]
    return re.findall(r'<([^>]+)>; rel="([^"]+)"(?:; type="([^"]+)")?', header)


def test_structured_data_of_a_result_has_measurements_and_source(client: Client) -> None:
    document = block_of(client, "/results/io500-1/")
    assert document["@id"] == document["url"] == f"{SITE}/results/io500-1/"
    assert document["identifier"] == "io500-1"
    assert document["creator"] == {"@type": "Organization", "name": "Intel", "url": f"{SITE}/sites/intel/"}
    assert document["datePublished"] == "2020-06"
    assert document["measurementTechnique"].startswith("io500")
    assert document["isBasedOn"][0] == {
        "@type": "CreativeWork",
        "name": "Raw files, published by IO500",
        "url": "https://github.com/IO500/submission-data/tree/master/Intel/Wolf/DAOS/2020/submission-1",
    } | {"name": document["isBasedOn"][0]["name"]}
    variables = {variable["name"]: variable for variable in document["variableMeasured"]}
    assert variables["score"] == {"@type": "PropertyValue", "name": "score", "value": pytest.approx(1792.98, rel=2e-4)}
    assert variables["ior-easy-write bandwidth phase"]["unitText"] == "GiB/s"
    assert [file["encodingFormat"] for file in document["distribution"]] == ["application/json"]
    assert client.get(document["distribution"][0]["contentUrl"].removeprefix(SITE)).status_code == 200


def test_a_reported_number_names_its_document_without_an_invented_address(client: Client) -> None:
    (source,) = block_of(client, "/results/cug25-table3-1/")["isBasedOn"]
    assert source["name"].endswith("Table 3, row 1") and "url" not in source


def test_structured_data_of_a_list_has_its_variable_and_source(client: Client) -> None:
    document = block_of(client, "/lists/SC19/ten/")
    assert document["variableMeasured"] == [{"@type": "PropertyValue", "name": "Score"}]
    assert document["isBasedOn"][0]["url"] == "https://io500.org/list/SC19/ten"
    assert [file["encodingFormat"] for file in document["distribution"]] == ["application/json", "text/csv"]
    throughput = block_of(client, "/lists/MLPerf-Storage-v1.0/mlperf-unet3d-h100/")["variableMeasured"][0]
    assert throughput["unitText"] == "MiB/s"


def test_structured_data_of_the_site_has_its_downloads(client: Client) -> None:
    document = block_of(client, "/results/")
    addresses = [file["contentUrl"] for file in document["distribution"]]
    assert addresses[0] == f"{SITE}/api/v1/export/results.csv" and len(addresses) == 6
    assert not BLOCK.search(client.get("/results/?tool=io500").content.decode()), "a search is not the record"


def test_a_list_that_is_not_frozen_has_no_structured_data(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    make_list(release, "full", [make_result(release, "io500-t", 3.0)], frozen=False)
    answer = client.get("/lists/T9/full/")
    assert answer.status_code == 200 and "Link" not in answer
    assert not BLOCK.search(answer.content.decode())


@pytest.mark.parametrize(
    "text",
    ["</script><script>alert(1)</script>", "<!--<script>", "]]>&amp;", "\u2028\u2029\x00\x1b", '"\\\n', "名" * 90],
)
def test_no_name_ends_the_script_element(text: str) -> None:
    tag = schema_org.script_tag({"name": text})
    inside = tag.removeprefix('<script type="application/ld+json">').removesuffix("</script>")
    assert json.loads(inside) == {"name": text}
    assert not set("<>&\u2028\u2029") & set(inside)


def test_a_hostile_name_is_escaped_in_structured_data(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    make_result(release, "io500-t", 3.0, system_name="</script><script>alert(1)</script>", institution="A\u2028B <b>")
    document = block_of(client, "/results/io500-t/")
    assert "alert(1)" in document["name"]
    assert "<script>alert" not in client.get("/results/io500-t/").content.decode()


def test_a_withdrawn_result_is_marked_and_has_no_numbers(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    result = make_result(release, "io500-t", 3.0)
    make_measurement(result)
    assert block_of(client, "/results/io500-t/")["variableMeasured"]
    Result.objects.filter(pk=result.pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong cables.")
    document = block_of(client, "/results/io500-t/")
    assert "variableMeasured" not in document and document["creativeWorkStatus"].startswith("Withdrawn on")


def test_an_anonymous_result_has_no_name(client: Client) -> None:
    """What a page withholds is not in the result any more: the block says what is there."""
    release = make_release("T9", "2026-06-01")
    facts = {"institution": "Anonymous", "system_name": "", "snapshot": {"anonymous": True}}
    make_result(release, "hw-9", 3.0, **facts, trust=Result.Trust.VERIFIED, bundle_sha256="0" * 64)
    document = block_of(client, "/results/hw-9/")
    assert document["creator"]["name"] == "Anonymous" and "isBasedOn" not in document
    assert [file["encodingFormat"] for file in document["distribution"]] == ["application/json"]


def test_numbers_that_json_does_not_have_are_left_out(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    result = make_result(release, "io500-t", 3.0)
    make_measurement(result, "ior-easy-write", float("inf"))
    names = [variable["name"] for variable in block_of(client, "/results/io500-t/")["variableMeasured"]]
    assert "ior-easy-write bandwidth phase" not in names and "score" in names


def test_links_in_the_head_lead_to_citation_and_data(client: Client) -> None:
    for address, api in (("/results/io500-1/", "results/io500-1"), ("/lists/SC19/ten/", "lists/SC19/ten")):
        links = links_of(client, address)
        relations = [relation for _, relation, _ in links]
        assert (f"{SITE}{address}", "cite-as", "") in links
        assert ("https://schema.org/Dataset", "type", "") in links
        assert (f"{SITE}/api/v1/{api}/", "item", "application/json") in links
        assert {"author", "describedby"} <= set(relations) and "license" not in relations
        for target, relation, kind in links:
            if relation in ("describedby", "item"):
                answer = client.get(target.removeprefix(SITE))
                assert answer.status_code == 200 and answer["Content-Type"].startswith(kind), target


def test_the_content_security_policy_stays_strict(client: Client) -> None:
    answer = client.get("/results/io500-1/")
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert "unsafe-inline" not in answer["Content-Security-Policy"]
