"""Schemas, rules, benchmarks and openapi.json; and that every answer has the shape that openapi.json promises."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest
from django.core.management import call_command
from django.utils import timezone
from jsonschema import Draft202012Validator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from registry import errors
from registry.api_urls import urlpatterns
from registry.lists import api as lists_api
from registry.models import Edition, PublicSystemSnapshot, Result, SavedStudy
from registry.query import cursor_pages
from registry.query.cursor_pages import BadCursor
from registry.query.public_record import ENTRY
from registry.query.questions import filters
from registry.query.questions.filters import InvalidValue, UnknownParameter
from registry.site_pages.api_meta import openapi_document
from tests.make_system import make_system
from tests.registry.record import (
    make_definition,
    make_file,
    make_list,
    make_measurement,
    make_platform,
    make_release,
    make_result,
)
from validators.catalogue import benchmarks, rules
from validators.system import facts

pytestmark = pytest.mark.django_db

PROOFS = {
    "/api/v1/results/{id}/proof/",
    "/api/v1/lists/{release}/{list}/proof/",
    "/api/v1/releases/{release}/proof/",
    "/api/v1/name-changes/{id}/",
    "/api/v1/name-changes/{id}/proof/",
    "/api/v1/reproductions/{id}/",
    "/api/v1/reproductions/{id}/proof/",
    "/api/v1/sites/{slug}/proof/",
    "/api/v1/systems/{slug}/proof/",
    "/api/v1/platforms/{slug}/proof/",
    "/api/v1/export/proof/",
}
"""There once something was recorded, merged or reproduced: their own tests ask them."""
ADDRESSES = {
    "/api/v1/": "/api/v1/",
    "/api/v1/releases/": "/api/v1/releases/",
    "/api/v1/releases/{release}/": "/api/v1/releases/T1/",
    "/api/v1/releases/{release}/awards/": "/api/v1/releases/T1/awards/",
    "/api/v1/name-changes/": "/api/v1/name-changes/",
    "/api/v1/lists/": "/api/v1/lists/",
    "/api/v1/lists/{release}/{list}/": "/api/v1/lists/T1/full/",
    "/api/v1/lists/{release}/{list}/reconstructed/": "/api/v1/lists/T2/full/reconstructed/",
    "/api/v1/analysis/{list}/": "/api/v1/analysis/full/",
    "/api/v1/lists/{release}/{list}/citation/": "/api/v1/lists/T1/full/citation/",
    "/api/v1/results/": "/api/v1/results/",
    "/api/v1/results/{id}/": "/api/v1/results/hw-1/",
    "/api/v1/results/{id}/citation/": "/api/v1/results/hw-1/citation/",
    "/api/v1/results/{id}/among/": "/api/v1/results/hw-1/among/",
    "/api/v1/results/{id}/phases/": "/api/v1/results/hw-1/phases/",
    "/api/v1/results/{id}/recipe/": "/api/v1/results/hw-1/recipe/",
    "/api/v1/results/{id}/ceilings/": "/api/v1/results/hw-1/ceilings/",
    "/api/v1/generations/": "/api/v1/generations/",
    "/api/v1/generations/{slug}/": "/api/v1/generations/maker-200/",
    "/api/v1/sizing/": "/api/v1/sizing/?platform=maker-200&target=1",
    "/api/v1/results/{id}/members/": "/api/v1/results/hw-1/members/",
    "/api/v1/stragglers/": "/api/v1/stragglers/?members=273&slow=18",
    "/api/v1/hardware/": "/api/v1/hardware/",
    "/api/v1/results/{id}/distributions/": "/api/v1/results/hw-1/distributions/",
    "/api/v1/results/{id}/files/": "/api/v1/results/hw-1/files/",
    "/api/v1/results/{id}/system/": "/api/v1/results/hw-1/system/",
    "/api/v1/results/{id}/system/{form}/": "/api/v1/results/hw-1/system/io500/",
    "/api/v1/compare/": "/api/v1/compare/?results=io500-1,hw-1",
    "/api/v1/studies/": "/api/v1/studies/",
    "/api/v1/studies/{slug}/": "/api/v1/studies/claims/",
    "/api/v1/export/": "/api/v1/export/",
    "/api/v1/export/{name}": "/api/v1/export/manifest.json",
    "/api/v1/ranking/": "/api/v1/ranking/?formula=score/client_nodes",
    "/api/v1/rankings/": "/api/v1/rankings/",
    "/api/v1/rankings/{slug}/": "/api/v1/rankings/scores-1/",
    "/api/v1/study/": "/api/v1/study/?metric=score&x=release",
    "/api/v1/study/metrics/": "/api/v1/study/metrics/",
    "/api/v1/study/axes/": "/api/v1/study/axes/",
    "/api/v1/systems/": "/api/v1/systems/",
    "/api/v1/systems/{slug}/": "/api/v1/systems/site-one-test-system-a/",
    "/api/v1/systems/{slug}/history/": "/api/v1/systems/site-one-test-system-a/history/",
    "/api/v1/systems/{slug}/sweep/": "/api/v1/systems/site-one-test-system-a/sweep/",
    "/api/v1/sites/": "/api/v1/sites/",
    "/api/v1/sites/{slug}/": "/api/v1/sites/site-one/",
    "/api/v1/platforms/": "/api/v1/platforms/",
    "/api/v1/platforms/{slug}/": "/api/v1/platforms/maker-200/",
    "/api/v1/schemas/": "/api/v1/schemas/",
    "/api/v1/schemas/{name}/": "/api/v1/schemas/metadata.1/",
    "/api/v1/questionnaires/": "/api/v1/questionnaires/",
    "/api/v1/questionnaires/{name}/": "/api/v1/questionnaires/reproducibility.1/",
    "/api/v1/rules/": "/api/v1/rules/",
    "/api/v1/benchmarks/": "/api/v1/benchmarks/",
    "/api/v1/quantities/": "/api/v1/quantities/",
    "/api/v1/parameters/": "/api/v1/parameters/",
    "/api/v1/parameters/shared/": "/api/v1/parameters/shared/",
    "/api/v1/parameters/{id}/": "/api/v1/parameters/lustre.client.osc.checksums/",
    "/api/v1/search/": "/api/v1/search/?q=site",
    "/api/v1/openapi.json": "/api/v1/openapi.json",
}


@pytest.fixture
def record() -> None:
    """One of everything, with every fact filled in."""
    release = make_release("T1", published_at=timezone.now(), unknown_lists={"scc": "Not found."}, list_names=["full"])
    platform = make_platform("maker-200", "Maker 200", predecessor=make_platform("maker-100", "Maker 100"))
    old = make_result(release, "io500-1", 10.0)
    result = make_result(
        release, "hw-1", 40.0, trust=Result.Trust.VERIFIED, bundle_sha256="0" * 64, platform=platform, revises=old,
        bandwidth_gib_per_s=16.0, rate_kiops=100.0, parameters={"stripe": 4}, published_at=timezone.now(),
        submitted_on="2026-04-01", production=True, withdrawn_at=timezone.now(), withdrawn_reason="Said so",
        snapshot={"findings": [{"code": "x"}], "rules": [{"code": "y"}], "versions": {"validators": "1.0.0"}},
    )  # fmt: skip
    study_fields = {"title": "Scores", "question": "formula=score/client_nodes", "saved_by": "alice"}
    SavedStudy.objects.create(kind=SavedStudy.Kind.RANKING, slug="scores-1", **study_fields)
    make_measurement(result)
    make_file(result, "result.txt")
    document = make_system()
    PublicSystemSnapshot.objects.create(
        result=result, sha256="0" * 64, summary=facts.summary(document), document=document
    )
    for number, result_platform in enumerate((platform.predecessor, platform), 2):
        platform_result = make_result(release, f"hw-{number}", platform=result_platform, parameters={"enclosures": 2})
        make_measurement(platform_result, "ior-easy-read", 2.0 * number)
    make_list(release, "full", [result, old], definition=make_definition("full"))
    make_release("T2", "2026-11-01", completeness="top10")
    Edition.objects.create(name="0" * 16, as_of=timezone.now(), manifest={"edition": "0" * 16})


@cache
def exact() -> dict[str, Any]:
    """openapi.json with every named shape closed: a key that it does not name is an error."""
    document = copy.deepcopy(openapi_document())
    for component in document["components"]["schemas"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    return document


def promised(path: str, content_type: str = "application/json", status: str = "200") -> Draft202012Validator:
    content = exact()["paths"][path]["get"]["responses"][status]["content"][content_type]["schema"]
    return Draft202012Validator({**content, "components": exact()["components"]})


def test_openapi_is_valid_and_made_without_a_warning(client, tmp_path) -> None:
    out = tmp_path / "openapi.json"
    call_command("spectacular", format="openapi-json", file=str(out), validate=True, fail_on_warn=True)
    document = json.loads(out.read_text())
    assert document["openapi"].startswith("3.1") and document["paths"].keys() >= ADDRESSES.keys()
    assert client.get("/api/v1/openapi.json").json() == document


def test_openapi_passes_the_validator_that_others_use() -> None:
    openapi_spec_validator.validate(openapi_document())


def test_the_validator_that_others_use_refuses_a_broken_document() -> None:
    document = copy.deepcopy(openapi_document())
    del document["paths"]["/api/v1/"]["get"]["responses"]["200"]["description"]
    with pytest.raises(OpenAPIValidationError):
        openapi_spec_validator.validate(document)


def test_openapi_covers_every_route_and_so_does_this_test() -> None:
    patterns = [str(pattern.pattern).replace("<int:", "<str:") for pattern in urlpatterns]
    routes = {f"/api/v1/{pattern}".replace("<str:", "{").replace(">", "}") for pattern in patterns}
    assert routes == ADDRESSES.keys() | PROOFS
    assert routes <= openapi_document()["paths"].keys()


@pytest.mark.parametrize("path", ADDRESSES)
def test_every_answer_has_the_promised_shape(client, record, path) -> None:
    answer = client.get(ADDRESSES[path])
    assert answer.status_code == 200
    assert [f"{error.json_path}: {error.message}" for error in promised(path).iter_errors(answer.json())] == []


@pytest.mark.parametrize("path", [path for path in ADDRESSES if "{" in path])
def test_every_address_with_a_name_promises_its_problem(client, record, path) -> None:
    missing = path.replace("{release}", "none").replace("{list}", "none")
    for name in ("{id}", "{slug}", "{name}"):
        missing = missing.replace(name, "none")
    answer = client.get(missing)
    assert answer.status_code == 404
    assert [e.message for e in promised(path, "application/problem+json", "404").iter_errors(answer.json())] == []


def test_an_undeclared_shape_fails_the_check(client, record) -> None:
    content = client.get("/api/v1/results/hw-1/").json()
    assert list(promised("/api/v1/results/{id}/").iter_errors(content | {"secret": 1}))
    assert list(promised("/api/v1/results/{id}/").iter_errors({**content, "score": "40"}))
    del content["trust"]
    assert list(promised("/api/v1/results/{id}/").iter_errors(content))


@pytest.mark.parametrize("path", ["/api/v1/results/", "/api/v1/lists/{release}/{list}/"])
def test_every_filter_in_openapi_is_accepted(client, record, path) -> None:
    values = {"ordering": "score", "trust": "verified", "reproducibility": "fully", "format": "json", "new": "true"}
    values |= {"include": "measurements", "assume": "prior", "scope": "public", "reproduced": "none"}
    for parameter in openapi_document()["paths"][path]["get"]["parameters"]:
        name = parameter["name"].replace("p.NAME", "p.stripe").replace("facts", "p.stripe_count")
        # Projects and labels are of private runs: `scope` has to name them, and a stranger has none.
        if parameter["in"] == "query" and name not in ("cursor", "project", "label"):
            assert client.get(ADDRESSES[path], {name: values.get(name, "1")}).status_code == 200


def test_the_index_leads_to_answers(client, record) -> None:
    for address in client.get("/api/v1/").json().values():
        assert client.get(address).status_code == 200


def test_every_schema_is_listed_and_is_one(client) -> None:
    listed = client.get("/api/v1/schemas/").json()["results"]
    assert {"metadata.1", "list-definition"} <= {schema["name"] for schema in listed}
    for schema in listed:
        document = client.get(schema["url"]).json()
        Draft202012Validator.check_schema(document)
        assert document["title"] == schema["title"]


def test_a_missing_schema_names_the_nearest(client) -> None:
    answer = client.get("/api/v1/schemas/metdata.1/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-schema")
    assert "metadata.1" in answer.json()["hint"]


def test_every_rule_is_listed_with_text_and_source(client) -> None:
    listed = client.get("/api/v1/rules/").json()["results"]
    assert [rule["code"] for rule in listed] == [rule.code for rule in rules()]
    assert all(rule["text"] and rule["source"] and rule["level"] for rule in listed)
    assert client.get("/api/v1/rules/?benchmark=none").json()["results"] == []
    assert client.get("/api/v1/rules/?benchmark=io500").json()["results"]


def test_the_table_of_quantities_is_served_and_follows_its_schema(client) -> None:
    table = client.get("/api/v1/quantities/").json()
    Draft202012Validator(client.get("/api/v1/schemas/quantities.1/").json()).validate(table)
    io_rate = next(row for row in table["quantities"] if row["name"] == "io_rate")
    assert {"iops", "ops_rate", "rate"} == {row["name"] for row in io_rate["reported"]}


def test_the_page_of_quantities_is_made_of_the_table(client) -> None:
    page = client.get("/docs/quantities/").content.decode()
    assert all(f"<code>{name}</code>" in page for name in ("io_rate", "ops_rate", "last_done", "xfer_type"))
    assert "metadata rate" in page
    assert 'href="/docs/quantities/"' in client.get("/docs/").content.decode()


@pytest.mark.parametrize(
    ("tool", "op", "better"), [("fio", "*", "none"), ("fio", "read", "higher"), ("wrf", "read", "lower")]
)
def test_benchmarks_say_which_direction_is_better(client, tool, op, better) -> None:
    benchmark = next(row for row in client.get("/api/v1/benchmarks/").json()["results"] if row["tool"] == tool)
    directions = {row["quantity"]: row["better"] for row in benchmark["operations"] if row["op"] == op}
    assert directions[{"none": "volume", "higher": "iops", "lower": "time"}[better]] == better


def test_every_benchmark_is_listed(client) -> None:
    listed = client.get("/api/v1/benchmarks/").json()["results"]
    assert [benchmark_row["tool"] for benchmark_row in listed] == [benchmark.tool for benchmark in benchmarks()]


def test_every_code_and_column_is_documented() -> None:
    docs = Path(__file__).parents[3] / "docs"
    written = "".join((docs / name).read_text(encoding="utf-8") for name in ("api.md", "problems.md"))
    codes = {code for code, _, _ in errors._CODES.values()} | {
        UnknownParameter.code,
        InvalidValue.code,
        BadCursor.code,
    }
    names = {*ENTRY, *filters.RESULT_NAMES, *filters.ENTRY_FILTERS, *lists_api.ENTRY_KEYS, *cursor_pages.RESULTS} - {
        "position"
    }
    assert [name for name in sorted(codes | names) if not re.search(rf"\b{re.escape(name)}\b", written)] == []


@pytest.mark.parametrize(
    "address", ["", "schemas/", "schemas/metadata.1/", "rules/", "benchmarks/", "hardware/", "openapi.json"]
)
def test_machine_readable_pages_need_no_database(client, django_assert_num_queries, address) -> None:
    with django_assert_num_queries(0):
        assert client.get(f"/api/v1/{address}").status_code == 200


def test_every_default_is_a_value_that_its_field_takes() -> None:
    """A generated client refuses a field whose default is none of its values, and with it the whole operation."""
    document = openapi_document()
    defaults = [
        (component, name, field)
        for component, schema in document["components"]["schemas"].items()
        for name, field in schema.get("properties", {}).items()
        if "default" in field
    ]
    assert len(defaults) > 5
    root = {"components": document["components"]}
    wrong = [
        (component, name, field["default"])
        for component, name, field in defaults
        if not Draft202012Validator(root | field).is_valid(field["default"])
    ]
    assert wrong == []


FORMATS = ["", "json", "csv", "parquet", "svg", "png", "text", "bibtex", "cff", "datacite", "ro-crate", "yaml"]


@pytest.mark.parametrize("path", ADDRESSES)
def test_options_and_head_of_every_address_answer_in_every_form(client, record, path) -> None:
    address = ADDRESSES[path]
    for form in FORMATS:
        in_form = f"{address}{'&' if '?' in address else '?'}format={form}" if form else address
        options, get, head = client.options(in_form), client.get(in_form), client.head(in_form)
        assert (options.status_code, options.content) == (204, b"") or options.status_code == get.status_code == 406
        assert (head.status_code, b"".join(head)) == (get.status_code, b"")
        assert get.status_code < 500


def query_schemas(path: str) -> dict[str, dict[str, Any]]:
    parameters = openapi_document()["paths"][path]["get"].get("parameters", ())
    return {row["name"]: row["schema"] for row in parameters if row["in"] == "query"}


FILTERED = {"/api/v1/export/{name}": "/api/v1/export/results.csv"}
"""Addresses of which not every file takes filters, with one that does."""
FREE = {"per", "unit", "chart", "theme"}
"""Whether a value of these fits is for the metric to say."""


@pytest.mark.parametrize("path", ADDRESSES)
def test_values_allowed_by_a_query_schema_are_accepted(client, record, path) -> None:
    """The ends of every range, and every value of every enumeration."""
    for name, schema in query_schemas(path).items():
        ends = [schema[end] for end in ("minimum", "maximum") if end in schema]
        for value in [*schema.get("enum", ()), *ends]:
            answer = client.get(FILTERED.get(path, ADDRESSES[path]), {name: value})
            assert answer.status_code != 400 or name in FREE or name not in answer.json().get("errors", ()), value


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("/api/v1/results/", "page_size", 0),
        ("/api/v1/results/", "page_size", 501),
        ("/api/v1/lists/{release}/{list}/", "page_size", 1001),
        ("/api/v1/results/", "ordering", "colour"),
        ("/api/v1/results/", "trust", "blind"),
        ("/api/v1/results/", "client_nodes", -1),
        ("/api/v1/results/", "include", "files"),
        ("/api/v1/ranking/", "formula", " "),
        ("/api/v1/ranking/", "limit", 0),
        ("/api/v1/study/", "metric", ""),
        ("/api/v1/study/", "x", ""),
        ("/api/v1/study/", "unit", "furlong"),
        ("/api/v1/study/", "chart", "pie"),
        ("/api/v1/study/", "as_of", "yesterday"),
        ("/api/v1/stragglers/", "members", 0),
        ("/api/v1/stragglers/", "slow", -1),
        ("/api/v1/sizing/", "platform", ""),
        ("/api/v1/sizing/", "target", 0),
        ("/api/v1/sizing/", "direction", "sideways"),
        ("/api/v1/compare/", "results", "one"),
        ("/api/v1/compare/", "per", "moon"),
    ],
)
def test_values_refused_by_a_query_are_refused_by_its_schema(client, record, path, name, value) -> None:
    query = {"metric": "score", "x": "release", "formula": "score", "members": 2, "slow": 1, "target": 1}
    query |= {"platform": "maker-200", "results": "io500-1,hw-1"}
    query = {key: text for key, text in query.items() if key in query_schemas(path)} | {name: value}
    checker = Draft202012Validator(query_schemas(path)[name], format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert client.get(ADDRESSES[path].partition("?")[0], query).status_code == 400
    assert not checker.is_valid(value)


def test_the_document_says_where_it_is_served_and_how_a_token_is_sent() -> None:
    document = openapi_document()
    assert document["servers"][0]["url"] == "/"
    scheme = document["components"]["securitySchemes"]["tokenAuth"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


@pytest.mark.parametrize("path", ["/api/v1/results/", "/api/v1/study/", "/api/v1/ranking/", "/api/v1/sizing/"])
def test_a_generated_client_can_send_names_of_parameters(path) -> None:
    (parameter,) = [row for row in openapi_document()["paths"][path]["get"]["parameters"] if row["name"] == "facts"]
    assert (parameter["style"], parameter["explode"], parameter["schema"]["type"]) == ("form", True, "object")
    assert Draft202012Validator(parameter["schema"]).is_valid({"p.stripe_count": "4"})
    assert not Draft202012Validator(parameter["schema"]).is_valid({"colour": "4"})
