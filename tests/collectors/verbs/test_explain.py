"""`explain`: what a parameter is, found by id, part of an id, group or path; and what to try when there is none."""

import json
import signal

import pytest

from collectors.cli import main
from collectors.document import parameters
from collectors.verbs import explain
from validators.parameters import defaults

RIF = "lustre.client.osc.max_rpcs_in_flight"


def fields(stdout):
    """The lines of an explanation by the name before them: {"default": ["32 MiB ...", ...]}."""
    lines_by_field, name = {}, ""
    for line in stdout.splitlines()[2:]:
        name = line[2:14].strip() or name
        lines_by_field.setdefault(name, []).append(line[14:])
    return lines_by_field


def explain_here(parameter):
    """The exit status of a command in this process, whose signals then mean again what they meant before."""
    usual = signal.getsignal(signal.SIGTERM)
    try:
        return main(["explain", parameter])
    finally:
        signal.signal(signal.SIGTERM, usual)


def test_a_parameter_is_explained(oldest_and_this_python, collector):
    done = collector("explain", "lustre.client.osc.max_dirty_mb", python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "lustre.client.osc.max_dirty_mb"
    assert fields(done.stdout) == {
        "value": ["integer in MiB"],
        "found on": ["client"],
        "read from": [
            "/proc/fs/lustre/osc/*/max_dirty_mb  (Lustre up to 2.11)",
            "/sys/fs/lustre/osc/*/max_dirty_mb  (Lustre from 2.12 on)",
            "lctl get_param -n osc.*.max_dirty_mb",
        ],
        "readable by": ["everybody"],
        "leaves": ["as it is"],
        "a change": ["is a warning"],
        "default": [
            "32 MiB  (Lustre 2.5 to 2.11)",
            "an eighth of the memory, at most 2000 MiB  (Lustre 2.12 to 2.17)",
        ],
    }


@pytest.mark.parametrize("parameter", sorted(parameters.registry()))
def test_every_parameter_has_an_explanation(parameter, capsys):
    assert explain_here(parameter) == 0
    explained = fields(capsys.readouterr().out)
    assert explained["read from"][0].strip()
    assert explained["readable by"] and explained["leaves"] and explained["a change"]


def test_a_command_in_this_process_leaves_its_signals():
    usual = signal.getsignal(signal.SIGTERM)
    assert explain_here("kernel.version") == 0
    assert signal.getsignal(signal.SIGTERM) is usual


@pytest.mark.parametrize("parameter", sorted(defaults.table()["parameters"]))
def test_the_command_line_and_the_page_show_the_same_defaults(parameter):
    entries = parameters.lustre_defaults(parameter)
    unit = parameters.registry()[parameter]["unit"]
    default_lines = [explain.default_line(entry, unit).split("  (Lustre ") for entry in entries]
    assert [(releases[:-1], words) for words, releases in default_lines] == defaults.by_release(parameter)


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("kernel.version", "as it is"),
        ("mem.dimms", "as it is; serial numbers and asset tags are never read"),
        ("kernel.cmdline", "only known parameters; the rest can hold keys and tokens"),
        ("lustre.server.exports", "never, it is not read"),
        ("darshan.log", "only if you attach it"),
    ],
)
def test_explain_lists_values_that_leave_the_site(parameter, said, collector):
    assert fields(collector("explain", parameter).stdout)["leaves"] == [said]


def test_without_a_name_the_groups_are_listed(collector):
    lines = collector("explain").stdout.splitlines()
    assert len(lines) == 19
    assert lines[0].split() == ["lustre-client", "38", "Lustre", "client"]
    assert sum(int(line.split()[1]) for line in lines) == 198


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RIF, [RIF]),
        (RIF.upper(), [RIF]),
        ("osc.*.max_rpcs_in_flight", [RIF]),
        ("max_rpcs_in_flight", [RIF, "lustre.client.mdc.max_rpcs_in_flight"]),
        ("fabric", ["fabric.topology", "fabric.switches"]),
        ("accelerator", ["gpu.model"]),
        ("/proc/cmdline", ["cpu.mitigations", "kernel.cmdline"]),
        ("/sys/fs/lustre/osc/fs-OST0000-osc-ffff/checksums", ["lustre.client.osc.checksums"]),
        ("/sys/fs/lustre/osc/*/checksums", ["lustre.client.osc.checksums"]),
    ],
)
def test_a_parameter_is_found_by_id_part_group_or_path(wanted, found, collector):
    done = collector("explain", wanted, "--json")
    assert [parameter["id"] for parameter in json.loads(done.stdout)["parameters"]] == found


def test_json_has_the_registry_entry_and_the_defaults(collector):
    parameter = json.loads(collector("explain", RIF, "--json").stdout)["parameters"][0]
    assert parameter["lustre_defaults"] == [{"first": "2.5", "last": "2.17", "value": 8}]
    assert parameter["unit"] == "count"
    assert parameter["paths"][1] == {
        "path": "/sys/fs/lustre/osc/*/max_rpcs_in_flight",
        "root": "sysfs",
        "from_release": "2.12",
    }


def test_json_without_a_name_has_them_all(collector):
    assert len(json.loads(collector("explain", "--json").stdout)["parameters"]) == 198


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [
        ("max_rpc_in_flight", RIF),
        ("lustre.client.osc.chekcsums", "lustre.client.osc.checksums"),
        ("governer", "cpu.governor"),
    ],
)
def test_a_wrong_name_gets_a_suggestion(wanted, suggested, oldest_and_this_python, collector):
    done = collector("explain", wanted, python=oldest_and_this_python)
    assert done.returncode == 2
    assert "[collector.parameter]" in done.stderr
    assert "did you mean" in done.stderr
    assert done.stderr.count(suggested) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("wanted", ["", " ", "xyzzy", "/", "/nowhere/at/all", "a" * 100000, "\x1b[31m", "[", "***"])
def test_an_unknown_name_gets_a_hint(wanted, collector):
    done = collector("explain", wanted)
    assert done.returncode == 2
    assert "explain without a name lists the groups" in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr) < 500


def test_errors_with_json_output_are_json(collector):
    error = json.loads(collector("explain", "xyzzy", "--json").stdout)["error"]
    assert error["code"] == "collector.parameter"
