"""`import`: BIOS settings of three tools, by an allow-list, into a document that stays valid."""

import json
import random

import jsonschema
import pytest

from collectors.document import bios
from tests.collectors.conftest import CHECKOUT

SCHEMA = json.loads((CHECKOUT / "validators" / "schemas" / "system.1.json").read_text())
REDFISH = {
    "@odata.id": "/redfish/v1/Systems/PLANTED/Bios",
    "Attributes": {
        "NumaMemoryDomainsPerSocket": "FourMemoryDomainsPerSocket",
        "LastLevelCacheAsNUMANode": "Disabled",
        "ProcSMT": "Disabled",
        "WorkloadProfile": "HighPerformanceCompute(HPC)",
        "PackagePowerLimitValue": 0,
        "SerialNumber": "PLANTED",
        "AdminPhone": "PLANTED",
        "ServerName": "PLANTED",
        "AssetTag": "PLANTED",
    },
}
RACADM = """\
[Key=BIOS.Setup.1-1#ProcSettings]
LogicalProc=Enabled
#ProcBusSpeed=16 GT/s
NumaNodesPerSocket=2
CcxAsNumaDomain=Enabled
AgesaVersion=RomePI 1.0.0.H
SysProfile=PerfOptimized
AssetTag=PLANTED
!!SysPassword=PLANTED (Write-Only)
"""
RACADM_JSON = {
    "SystemConfiguration": {
        "ServiceTag": "PLANTED",
        "Components": [
            {"FQDD": "iDRAC.Embedded.1", "Attributes": [{"Name": "Users.2#Password", "Value": "PLANTED"}]},
            {
                "FQDD": "BIOS.Setup.1-1",
                "Attributes": [
                    {"Name": "ProcCStates", "Value": "Disabled"},
                    {"Name": "SystemServiceTag", "Value": "PLANTED"},
                ],
            },
        ],
    }
}
ILOREST = [{"Comments": {"SerialNumber": "PLANTED"}}, {"Bios.v1_0_0": {"/redfish/v1/systems/1/bios/": REDFISH}}]


def settings(text):
    return bios.settings(bios.attributes(text if isinstance(text, str) else json.dumps(text)))


def facts(text):
    return {(fact.id, fact.key): fact.value for fact in bios.facts(settings(text))}


@pytest.fixture
def document(collector):
    """A document of a constructed node that could not tell whether each L3 cache is a NUMA node."""
    cpu = "/sys/devices/system/cpu/cpu"
    root = collector.cwd / "node"
    for number in range(4):
        for name, text in (("topology/core_siblings_list", "0-3"), ("topology/thread_siblings_list", str(number))):
            put(root, f"{cpu}{number}/{name}", text)
        put(root, f"{cpu}{number}/cache/index3/shared_cpu_list", "0-1" if number < 2 else "2-3")
        put(root, f"/sys/devices/system/node/node{number // 2}/cpulist", "0-1" if number < 2 else "2-3")
    put(root, "/proc/cpuinfo", "processor : 0\nvendor_id : AuthenticAMD\nmodel name : Example\nflags : lm\n")
    assert collector("collect", "--root", root, "--out", "system.json").returncode == 0
    return collector.cwd / "system.json"


def put(root, path, text):
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text + "\n")


def class_of(document):
    (node,) = json.loads(document.read_text())["node_classes"]
    return node


def test_redfish_attributes_are_kept_by_the_list():
    assert settings(REDFISH) == {
        "NumaMemoryDomainsPerSocket": "FourMemoryDomainsPerSocket",
        "LastLevelCacheAsNUMANode": "Disabled",
        "ProcSMT": "Disabled",
        "WorkloadProfile": "HighPerformanceCompute(HPC)",
        "PackagePowerLimitValue": 0,
    }
    assert facts(REDFISH)["bios.nps", None] == 4
    assert facts(REDFISH)["bios.ccx_as_numa", None] is False


def test_racadm_lines_are_kept_by_the_list():
    assert set(settings(RACADM)) == {
        "LogicalProc",
        "NumaNodesPerSocket",
        "CcxAsNumaDomain",
        "AgesaVersion",
        "SysProfile",
    }
    values = facts(RACADM)
    assert values["bios.nps", None] == 2
    assert values["bios.ccx_as_numa", None] is True
    assert values["bios.agesa", "agesa"] == "RomePI 1.0.0.H"
    assert values["bios.profile", "SysProfile"] == "PerfOptimized"


def test_the_configuration_profile_of_racadm_gives_its_bios_only():
    assert settings(RACADM_JSON) == {"ProcCStates": "Disabled"}


def test_nested_attributes_of_ilorest_are_read():
    assert settings(ILOREST) == settings(REDFISH)


@pytest.mark.parametrize(
    "name",
    ["SMTControl_00CB", "Processors_SMTMode", "Memory_NUMANodesperSocket", "GlobalC_stateControl_00CD", "DfCState"],
)
def test_spellings_of_a_setting_by_vendors_are_known(name):
    assert settings({"Attributes": {name: "Auto"}}) == {name: "Auto"}


@pytest.mark.parametrize(
    "value",
    [None, [], {}, "", "x" * 65, "a\nb", "<script>", "token=abc", "192.0.2.1:443", "C:\\x", 2**60, 1.5, "é"],
)
def test_a_value_outside_the_known_choices_is_dropped(value):
    assert settings({"Attributes": {"SysProfile": value, "ProcSMT": "On"}}) == {"ProcSMT": "On"}


@pytest.mark.parametrize("word", ["Auto", "", "3", "eight"])
def test_a_setting_left_to_the_firmware_gives_no_number_of_nodes(word):
    assert ("bios.nps", None) not in facts({"Attributes": {"NumaNodesPerSocket": word, "ProcSMT": "On"}})


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", "[[]]", '{"Attributes": 3}', "hello", "[" * 200000, "\x00" * 99])
def test_files_without_attributes_are_refused(text):
    with pytest.raises(ValueError, match=r"BIOS attributes|JSON"):
        bios.attributes(text)


@pytest.mark.parametrize("good", [json.dumps(REDFISH), RACADM, json.dumps(RACADM_JSON), json.dumps(ILOREST)])
def test_mutated_output_is_read_or_refused_and_never_leaks_a_planted_word(good):
    chance = random.Random(len(good))
    for _ in range(400):
        first, last = sorted(chance.randrange(len(good) + 1) for _ in range(2))
        text = good[:first] + chance.choice(["", good[first:last] * 2, "\x00", '"', "{", "=", "9" * 50]) + good[last:]
        try:
            settings = bios.settings(bios.attributes(text))
        except ValueError:
            continue
        assert all("PLANTED" not in name for name in settings)


def test_without_a_document_the_fragment_is_printed(collector):
    (collector.cwd / "bios.txt").write_text(RACADM)
    done = collector("import", "racadm", "bios.txt")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hardware"]["bios"]["attributes_source"] == "racadm"
    assert "5 of 7 BIOS attributes kept" in done.stderr
    assert "PLANTED" not in done.stdout + done.stderr


def test_imported_settings_do_not_replace_observed_values(collector, document):
    before = class_of(document)
    assert [gap["reason"] for gap in before["missing"] if gap["id"] == "bios.ccx_as_numa"] == ["permission_denied"]
    (collector.cwd / "bios.txt").write_text(RACADM.replace("NumaNodesPerSocket=2", "NumaNodesPerSocket=1"))
    assert collector("import", "racadm", "bios.txt", "--into", document).returncode == 0
    description = json.loads(document.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(description)
    node = class_of(document)
    values = {(entry["id"], entry.get("key")): entry["values"][0]["value"] for entry in node["parameters"]}
    assert values["bios.ccx_as_numa", None] is True
    assert values["bios.nps", None] == 2
    assert values["bios.profile", "NumaNodesPerSocket"] == "1"
    assert "bios.ccx_as_numa" not in {gap["id"] for gap in node["missing"]}
    assert node["class_id"] != before["class_id"]
    assert [capture["phase"] for capture in description["captures"]] == ["static", "imported"]
    assert "PLANTED" not in document.read_text()


def test_a_second_import_replaces_the_first(collector, document):
    (collector.cwd / "bios.txt").write_text(RACADM)
    (collector.cwd / "bios.json").write_text(json.dumps(REDFISH))
    assert collector("import", "racadm", "bios.txt", "--into", document).returncode == 0
    assert collector("import", "redfish", "bios.json", "--into", document).returncode == 0
    node = class_of(document)
    keys = {entry["key"] for entry in node["parameters"] if entry["id"] == "bios.profile"}
    assert keys == set(settings(REDFISH)) == set(node["hardware"]["bios"]["attributes"])
    assert len(json.loads(document.read_text())["captures"]) == 2


def test_with_several_classes_the_class_must_be_named(collector, document):
    description = json.loads(document.read_text())
    description["node_classes"].append(dict(description["node_classes"][0], class_id="f" * 16))
    document.write_text(json.dumps(description))
    (collector.cwd / "bios.txt").write_text(RACADM)
    done = collector("import", "racadm", "bios.txt", "--into", document)
    assert (done.returncode, "collector.class" in done.stderr, "f" * 16 in done.stderr) == (2, True, True)
    assert json.loads(document.read_text()) == description
    assert collector("import", "racadm", "bios.txt", "--into", document, "--class", "f" * 16).returncode == 0
    first, second = json.loads(document.read_text())["node_classes"]
    assert "attributes" not in first["hardware"].get("bios", {})
    assert second["hardware"]["bios"]["attributes_source"] == "racadm"


def test_the_strict_profile_takes_no_settings(collector, document):
    description = json.loads(document.read_text())
    description["collector"]["redaction_profile"] = "strict"
    document.write_text(json.dumps(description))
    (collector.cwd / "bios.txt").write_text(RACADM)
    done = collector("import", "racadm", "bios.txt", "--into", document)
    assert (done.returncode, "collector.import.profile" in done.stderr) == (3, True)
    assert json.loads(document.read_text()) == description


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 2, "collector.import"),
        (b"\xff\xfe\x00", 2, "collector.import"),
        (b'{"Attributes": {"AssetTag": "x", "CRCS005": "y"}}', 3, "collector.import.empty"),
        (b"x" * (8 * 1024 * 1024 + 1), 2, "collector.import"),
        (None, 2, "collector.path"),
    ],
)
def test_files_without_settings_are_reported(collector, content, status, code):
    if content is not None:
        (collector.cwd / "bios.txt").write_bytes(content)
    done = collector("import", "redfish", "bios.txt")
    assert (done.returncode, f"[{code}]" in done.stderr, done.stdout) == (status, True, "")


def test_real_output_of_three_makers(shared):
    folder = shared / "data" / "collector" / "samples" / "redfish-bios-attributes"
    read = {}
    for path in sorted(folder.glob("*.json")):
        try:
            read[path.name] = settings(path.read_text())
        except ValueError as refusal:
            read[path.name] = str(refusal)
    assert read == {
        "sushy-bios.json": {
            "PowerProfile": "MaxPerf",
            "ProcCoreDisable": 0,
            "ProcHyperthreading": "Enabled",
            "ProcTurboMode": "Enabled",
        },
        # Every attribute of this maker has a coded name.
        "sushy-bios_zt.json": {},
        "sushy-bios_attribute_registry.json": "no BIOS attributes",
        "wekapod-hardware_info.json": "no BIOS attributes",
    }


def test_factory_settings_of_eight_platforms_are_kept_without_their_serial_numbers(shared):
    path = shared / "data" / "collector" / "samples" / "redfish-bios-attributes" / "weka-defaults-db.yml"
    platforms, name = {}, ""
    for line in path.read_text().splitlines():
        indentation = len(line) - len(line.lstrip())
        key, _, value = line.strip().partition(": ")
        if indentation == 4:
            name = key.rstrip(":")
        elif indentation == 6:
            platforms.setdefault(name, {})[key] = value.strip("'")
    settings_by_platform = {name: settings({"Attributes": attributes}) for name, attributes in platforms.items()}
    assert settings_by_platform["PowerEdge R6615"]["NumaNodesPerSocket"] == "1"
    assert settings_by_platform["PowerEdge R6615"]["AgesaVersion"] == "GenoaPI-SP5 1.0.0.B"
    assert settings_by_platform["ProLiant DL325 Gen11"]["NumaMemoryDomainsPerSocket"]
    assert settings_by_platform["AS -1115CS-TNR"]["NUMANodesPerSocket_703E"] == "NPS4"
    assert settings_by_platform["ThinkSystem SR635 V3"]["Memory_NUMANodesperSocket"] == "NPS1"
    assert all(20 < len(platform_settings) < 60 for platform_settings in settings_by_platform.values())
    words = ("Serial", "AssetTag", "ServiceTag", "Password", "Secret", "Address", "Name", "Phone", "Nqn", "Url", "Boot")
    assert [
        name
        for platform_settings in settings_by_platform.values()
        for name in platform_settings
        if any(word in name for word in words)
    ] == []
