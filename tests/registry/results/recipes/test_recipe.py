"""Recipes of results by API, as a script, and on the page of a result."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.models import PublicSystemSnapshot, Result
from tests.make_system import make_class, make_parameter, make_system
from tests.registry.record import make_release, make_result

GIVEN_OPTIONS = {"options": [["a", "POSIX"], ["t", "1m"], ["o", None]], "left_out": []}


@pytest.fixture
def result(db: None) -> Result:
    release = make_release("SC26")
    snapshot = {"given_options": GIVEN_OPTIONS}
    return make_result(
        release, "hw-1", None, tool="ior", tool_version="4.0.0", tasks=8, client_nodes=2, snapshot=snapshot
    )


def test_a_recipe_gives_the_options_that_were_kept(client: Client, result: Result) -> None:
    recipe = client.get("/api/v1/results/hw-1/recipe/").json()
    assert (recipe["result"], recipe["schema"], recipe["version"]) == ("hw-1", "recipe.1", "4.0.0")
    assert recipe["arguments"] == ["ior", "-a", "POSIX", "-t", "1m", "-o", "$TESTDIR/ior"]
    assert "described system" in [row["what"] for row in recipe["missing"]]


def test_tuned_settings_of_a_described_system_are_listed(client: Client, result: Result) -> None:
    parameters = [
        make_parameter("lustre.version", "2.15.4"),
        make_parameter("lustre.client.osc.max_rpcs_in_flight", 64),
    ]
    document = make_system(node_classes=[make_class(parameters=parameters)])
    PublicSystemSnapshot.objects.create(result=result, sha256="0" * 64, summary={}, document=document)
    (tunable,) = client.get("/api/v1/results/hw-1/recipe/").json()["tunables"]
    assert tunable["set"] == "lctl set_param osc.*.max_rpcs_in_flight=64" and tunable["who"] == "root"
    page = client.get("/results/hw-1/").content.decode()
    assert "lctl set_param osc.*.max_rpcs_in_flight=64" in page


def test_an_option_of_a_module_is_set_when_that_is_loaded(client: Client, result: Result) -> None:
    parameters = [make_parameter("lustre.version", "2.15.4"), make_parameter("ko2iblnd.peer_credits", 128)]
    document = make_system(node_classes=[make_class(parameters=parameters)])
    PublicSystemSnapshot.objects.create(result=result, sha256="0" * 64, summary={}, document=document)
    (tunable,) = client.get("/api/v1/results/hw-1/recipe/").json()["tunables"]
    assert tunable["set"] == "lustre_rmmod && modprobe ko2iblnd peer_credits=128"
    assert tunable["undo"] == "lustre_rmmod && modprobe ko2iblnd peer_credits=VALUE_BEFORE"
    assert tunable["read_before"] == "cat /sys/module/ko2iblnd/parameters/peer_credits"


def test_a_result_from_before_options_were_kept_has_those_that_it_shows(client: Client, result: Result) -> None:
    result.snapshot, result.parameters = {}, {"command_line": "-t 2m -o ..."}
    result.save()
    assert client.get("/api/v1/results/hw-1/recipe/").json()["arguments"] == ["ior", "-t", "2m", "-o", "$TESTDIR/ior"]


def test_a_derived_result_has_the_options_of_its_archive(client: Client, db: None) -> None:
    make_result(make_release("SC20"), "io500-1", 1.0, trust="derived", bundle_sha256="", tool="io500")
    recipe = client.get("/api/v1/results/io500-1/recipe/").json()
    assert recipe["commands"][0]["step"] == "ior-easy-write" and recipe["arguments"] is None
    assert "config.ini" in [row["what"] for row in recipe["missing"]]


def test_a_copied_result_says_that_nothing_was_read(client: Client, db: None) -> None:
    make_result(make_release("SC20"), "io500-1", 1.0, trust="imported", bundle_sha256="", tool="io500", parameters={})
    recipe = client.get("/api/v1/results/io500-1/recipe/").json()
    assert (recipe["arguments"], recipe["commands"], recipe["options_sha256"]) == (None, [], None)
    assert recipe["missing"][0]["what"] == "raw files"


@pytest.mark.parametrize("public_id", ["hw-9", "demo-999999", "..", "HW-1'--"])
def test_an_unknown_result_has_no_recipe(client: Client, result: Result, public_id: str) -> None:
    assert client.get(f"/api/v1/results/{public_id}/recipe/").status_code == 404
    assert client.get(f"/results/{public_id}/recipe.sh").status_code == 404


def test_the_script_is_a_file_of_its_own_name(client: Client, result: Result) -> None:
    answer = client.get("/results/hw-1/recipe.sh")
    assert answer["Content-Disposition"] == 'attachment; filename="hw-1.sh"'
    assert 'ior -a POSIX -t 1m -o "$TESTDIR/ior"' in answer.content.decode()


def test_the_page_shows_how_to_run_it_again(client: Client, result: Result) -> None:
    page = client.get("/results/hw-1/").content.decode()
    assert "Run it again" in page and "ior -a POSIX -t 1m -o &quot;$TESTDIR/ior&quot;" in page
    assert 'href="/results/hw-1/recipe.sh"' in page and "<code>$RANKS</code> was 8" in page
