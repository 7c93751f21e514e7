"""Probes that a site declares: what they give, and everything that is refused before it can do harm."""

import json

import jsonschema
import pytest

from collectors.document import schema
from collectors.probes import safe_regex, site_probes
from tests.collectors.conftest import CHECKOUT

PROBE_SCHEMA = json.loads((CHECKOUT / "collectors" / "data" / "site-probe.1.json").read_text())
DOCUMENT_SCHEMA = json.loads((CHECKOUT / "validators" / "schemas" / "system.1.json").read_text())
MODE = {
    "id": "site.array.cache_mode",
    "meaning": "Mode of the array's write cache.",
    "path": "/run/array/*/status",
    "pattern": "cache: (\\w+)",
    "type": "string",
}
FILL = {
    "id": "site.array.fill",
    "meaning": "How full the array is.",
    "path": "/run/array/*/fill",
    "type": "number",
    "unit": "%",
}
ARRAY = {
    "schema_version": "1",
    "id": "site.array",
    "about": "What the array's agent writes.",
    "parameters": [MODE, FILL],
}


@pytest.fixture
def array(node):
    return node.put(
        {
            "/run/array/a0/status": "name: PLANTED\ncache: writeback\n",
            "/run/array/a1/status": "cache: writethrough\n",
            "/run/array/a2/status": "cache: writeback\ncache: second\n",
            "/run/array/a0/fill": "81.5\n",
        }
    )


def with_parameter(**changes):
    return dict(ARRAY, parameters=[dict(MODE, **changes)])


def test_values_are_counted_over_the_files_of_a_pattern(array):
    probe = site_probes.declared_probe(ARRAY)
    output = array.said(probe)
    assert output.values("site.array.cache_mode") == {"writeback": 2, "writethrough": 1}
    assert output.value("site.array.fill") == 81.5
    assert "PLANTED" not in repr(output.pieces)


def test_a_site_probe_without_its_files_is_not_applicable(node):
    assert not site_probes.declared_probe(ARRAY).applies(node.door())


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [("on", "boolean", True), ("Disabled", "boolean", False), ("-12", "integer", -12), ("1.50", "number", 1.5)],
)
def test_types_of_values(node, text, kind, value):
    node.put({"/run/array/a0/status": text + "\n"})
    parameter = {name: field for name, field in MODE.items() if name != "pattern"}
    probe = site_probes.declared_probe(dict(ARRAY, parameters=[dict(parameter, type=kind)]))
    assert node.said(probe).value("site.array.cache_mode") == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("maybe", "boolean"),
        ("1.5", "integer"),
        ("1e5", "number"),
        ("9" * 40, "integer"),
        ("user@host", "string"),
        ("/home/x", "string"),
        ("10.0.0.1:80", "string"),
        ("x" * 65, "string"),
        ("<b>", "string"),
        ("a\nb", "string"),
    ],
)
def test_a_value_of_another_kind_is_a_parse_error(node, text, kind):
    node.put({"/run/array/a0/status": text + "\n"})
    parameter = {name: field for name, field in MODE.items() if name != "pattern"}
    probe = site_probes.declared_probe(dict(ARRAY, parameters=[dict(parameter, type=kind)]))
    assert node.said(probe).reason("site.array.cache_mode") == "parse_error"


def test_a_file_without_such_a_line_is_not_applicable(node):
    node.put({"/run/array/a0/status": "nothing\n"})
    output = node.said(site_probes.declared_probe(ARRAY))
    assert output.reason("site.array.cache_mode") == "not_applicable"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(a+)+b", "repeated"),
        ("(?:a|ab)*(c)", "repeated"),
        ("(.*)\\1", "only characters"),
        ("(?=x)(.)", "only characters"),
        ("(", "regular expression"),
        ("no group", "one group"),
        ("(a)(b)", "one group"),
        ("(a){99999999999999}", "regular expression"),
        ("(" * 150, "regular expression"),
    ],
)
def test_a_pattern_of_unknown_cost_is_refused(pattern, words):
    with pytest.raises(ValueError, match=words):
        site_probes.declared_probe(with_parameter(pattern=pattern))


def test_a_slow_pattern_on_a_long_text_is_stopped(node):
    """Each line would take years."""
    node.put({"/run/array/a0/status": ("x" * 4000 + "\n") * 10})
    probe = site_probes.declared_probe(with_parameter(pattern=".*x.*x.*x.*(y)"))
    assert node.said(probe).reason("site.array.cache_mode") == "output_limit"


def test_a_line_beyond_the_work_limit_is_refused():
    pattern = safe_regex.compiled(".*x(.*)y")
    line = "x" * 1000
    lines = [line] * (safe_regex.MAX_STEPS // safe_regex.work(pattern, line))
    assert safe_regex.find_matches(pattern, "\n".join(lines)) == []
    with pytest.raises(safe_regex.TooMuchWork):
        safe_regex.find_matches(pattern, "\n".join([*lines, line]))


@pytest.mark.parametrize(
    "path",
    [
        "/etc/shadow",
        "/proc/*/environ",
        "/proc/cmdline",
        "/sys/class/dmi/id/product_serial",
        "/etc/ssh/ssh_host_rsa_key",
        "/etc/machine-id",
        "/proc/fs/lustre/obdfilter/*/job_stats",
        "/var/../etc/group",
        "/home/user/file",
        "/root/x",
        "etc/x",
        "/etc/[a-z]*",
        "/tmp/x",
        "",
    ],
)
def test_a_path_that_no_probe_may_read_is_refused(path):
    with pytest.raises(ValueError, match=r"path|never read"):
        site_probes.declared_probe(with_parameter(path=path))


def test_wildcards_and_links_do_not_reach_forbidden_files(node):
    node.put({"/etc/shadow": "cache: PLANTED\n", "/etc/array": "cache: fine\n"})
    (node.root / "etc/harmless").symlink_to("/etc/shadow")
    output = node.said(site_probes.declared_probe(with_parameter(path="/etc/*")))
    assert output.values("site.array.cache_mode") == {"fine": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "lustre.client"},
        {"id": "site"},
        {"schema_version": "2"},
        {"parameters": []},
        {"parameters": [MODE] * 2},
        {"parameters": [dict(MODE, id="site.other.mode")]},
        {"parameters": [dict(MODE, id="cpu.model")]},
        {"parameters": [dict(MODE, type="code")]},
        {"parameters": [dict(MODE, command="id")]},
        {"parameters": [dict(MODE, unit="<b>")]},
        {"parameters": [dict(MODE, id=f"site.array.p{n}") for n in range(101)]},
        {"roles": ["everybody"]},
        {"run": "rm -rf /"},
    ],
)
def test_a_declaration_against_the_schema_is_refused(change):
    with pytest.raises(ValueError, match=r".+"):
        site_probes.declared_probe(dict(ARRAY, **change))


@pytest.mark.parametrize("declared", [None, [], 3, "x", {}])
def test_a_file_without_a_declaration_is_refused(declared):
    with pytest.raises(ValueError, match=r".+"):
        site_probes.declared_probe(declared)


def test_the_schema_of_probes_is_valid_and_both_validators_agree():
    jsonschema.Draft202012Validator.check_schema(PROBE_SCHEMA)
    assert jsonschema.Draft202012Validator(PROBE_SCHEMA).is_valid(ARRAY)
    assert list(schema.errors(ARRAY, PROBE_SCHEMA)) == []


def test_facts_of_a_site_probe_enter_the_document_with_their_unit(array, collector):
    folder = collector.cwd / "probes"
    folder.mkdir()
    (folder / "array.json").write_text(json.dumps(ARRAY))
    (folder / "README").write_text("not a probe")
    done = collector("collect", "--root", array.root, "--probes", folder, "--out", "system.json")
    assert done.returncode == 0, done.stderr
    document = json.loads((collector.cwd / "system.json").read_text())
    jsonschema.Draft202012Validator(DOCUMENT_SCHEMA).validate(document)
    entries_by_id = {entry["id"]: entry for entry in document["node_classes"][0]["parameters"]}
    assert entries_by_id["site.array.fill"]["unit"] == "%"
    assert entries_by_id["site.array.cache_mode"]["values"][0] == {"value": "writeback", "instances": 2}


def test_the_strict_profile_leaves_out_site_probes(array, collector):
    folder = collector.cwd / "probes"
    folder.mkdir()
    (folder / "array.json").write_text(json.dumps(ARRAY))
    collector("collect", "--root", array.root, "--probes", folder, "--profile", "strict", "--out", "system.json")
    (node,) = json.loads((collector.cwd / "system.json").read_text())["node_classes"]
    assert [entry for entry in node["parameters"] if entry["id"].startswith("site.")] == []
    assert {gap["reason"] for gap in node["missing"] if gap["id"].startswith("site.")} == {"redacted"}


def test_list_probes_shows_them_too(array, collector):
    folder = collector.cwd / "probes"
    folder.mkdir()
    (folder / "array.json").write_text(json.dumps(ARRAY))
    done = collector("list-probes", "--root", array.root, "--probes", folder, "--json")
    (listed,) = [probe for probe in json.loads(done.stdout)["probes"] if probe["id"] == "site.array"]
    assert listed["reads"] == ["/run/array/*/status", "/run/array/*/fill"]
    assert listed["here"] is True


@pytest.mark.parametrize("content", ["", "{", "[" * 100000, "{}", "\xff", " " * 70000])
def test_a_broken_probe_is_named_with_its_error(collector, content):
    folder = collector.cwd / "probes"
    folder.mkdir()
    (folder / "broken.json").write_text(content, encoding="latin-1")
    done = collector("collect", "--probes", folder, "--emit")
    assert (done.returncode, done.stdout) == (2, "")
    assert "broken.json" in done.stderr
    assert "[collector.probes]" in done.stderr


def test_two_files_may_not_declare_the_same_parameter(collector):
    folder = collector.cwd / "probes"
    folder.mkdir()
    for name in ("a.json", "b.json"):
        (folder / name).write_text(json.dumps(ARRAY))
    done = collector("list-probes", "--probes", folder)
    assert done.returncode == 2
    assert "declared twice" in done.stderr


def test_a_missing_folder_of_probes_is_reported(collector):
    done = collector("list-probes", "--probes", "nowhere")
    assert done.returncode == 2
    assert "[collector.probes]" in done.stderr


def test_the_example_of_the_documentation_is_a_probe():
    page = (CHECKOUT / "docs" / "probes.md").read_text()
    (example,) = [block for block in page.split("\n\n") if block.lstrip().startswith('{\n      "schema_version"')]
    assert site_probes.declared_probe(json.loads(example)).provides == ("site.array.cache_mode", "site.array.stripe")
