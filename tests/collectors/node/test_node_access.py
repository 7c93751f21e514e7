"""The door: whatever a node holds, an Input comes back, bounded, below the root, and nothing is raised."""

import os
import select
import stat
import time

import pytest

from collectors.errors import UsageError
from collectors.node import commands
from collectors.node.commands import Recorded
from collectors.node.node_access import NodeAccess
from tests.file_modes import bound_by_modes


@pytest.fixture
def node(tmp_path):
    """A node's files: `put(path, content)` writes one, `door()` opens the door to them."""
    return Node(tmp_path / "node")


class Node:
    def __init__(self, root):
        self.root = root
        root.mkdir()

    def put(self, path, content=""):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def link(self, path, target):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def door(self, **arguments):
        return NodeAccess(str(self.root), environment={}, **arguments)


def test_a_file_is_read_below_the_root_and_its_source_named(node):
    node.put("/proc/meminfo", "MemTotal: 1 kB\n")
    node.put("/sys/kernel/debug/lustre/version", "2.15.4\n")
    node.put("/sys/module/lnet/parameters/cpu_npartitions", "8\n")
    door = node.door()
    assert door.file("/proc/meminfo")[:2] == ("MemTotal: 1 kB\n", None)
    paths = ["/proc/meminfo", "/sys/kernel/debug/lustre/version", "/sys/module/lnet/parameters/cpu_npartitions"]
    assert [door.file(path).source for path in paths] == ["procfs", "debugfs", "module"]


def test_missing_files_and_commands_have_a_reason_and_raise_nothing(node):
    node.put("/etc/os-release", "ID=x\n")
    assert node.door().file("/proc/nothing").reason == "not_applicable"
    assert node.door().file("/etc/os-release/deeper").reason == "not_applicable"
    assert node.door().names("/nowhere") == []
    assert node.door().link("/nowhere") is None


def test_links_are_followed_below_the_root_only(node, tmp_path):
    (tmp_path / "secret").write_text("of this machine")
    node.put("/etc/passwd", "of the node")
    node.link("/escape-absolute", "/etc/passwd")
    node.link("/etc/escape-relative", "../../../../../../etc/passwd")
    node.link("/out", str(tmp_path / "secret"))
    node.link("/up", "../secret")
    door = node.door()
    assert door.file("/escape-absolute").text == "of the node"
    assert door.file("/etc/escape-relative").text == "of the node"
    assert door.file("/out").reason == "not_applicable"
    assert door.file("/up").reason == "not_applicable"


def test_a_linked_folder_is_entered_and_its_real_path_given(node):
    node.put("/sys/devices/pci0/net/ib0/speed", "100000\n")
    node.link("/sys/class/net/ib0", "../../devices/pci0/net/ib0")
    door = node.door()
    assert door.file("/sys/class/net/ib0/speed").text == "100000\n"
    assert door.link("/sys/class/net/ib0") == "/sys/devices/pci0/net/ib0"


def test_circular_links_are_a_reason(node):
    node.link("/a", "b")
    node.link("/b", "a")
    assert node.door().file("/a").reason == "parse_error"
    assert node.door().files("/a/*") == {}


def test_only_regular_files_are_read_and_a_fifo_does_not_block(node):
    """Nobody writes into it: whoever waits for that waits for ever."""
    node.put("/run/x")
    os.mkfifo(str(node.root / "run" / "fifo"))
    assert node.door().file("/run/fifo").reason == "parse_error"
    assert node.door().file("/run").reason == "parse_error"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_not_read(node):
    node.put("/dev/x")
    os.mknod(str(node.root / "dev" / "zero"), stat.S_IFCHR | 0o666, os.makedev(1, 5))
    assert node.door().file("/dev/zero").reason == "parse_error"


def test_a_file_beyond_its_limit_is_refused_without_reading_it(node):
    place = node.put("/proc/mounts", "")
    os.truncate(str(place), 100 * 1024 * 1024)
    assert node.door().file("/proc/mounts").reason == "output_limit"
    node.put("/proc/cmdline", "x" * 65536)
    assert node.door().file("/proc/cmdline").text == "x" * 65536
    node.put("/proc/cmdline", "x" * 65537)
    assert node.door().file("/proc/cmdline").reason == "output_limit"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a\x00b\x07c\r\n", "abc\n"),
        (b"\x1b[31mred\x1b[0m", "red"),
        ("pay\u202eload\u2066\u200b".encode(), "payload"),
        (b"caf\xc3\xa9 \xff", "café \ufffd"),
    ],
)
def test_control_sequences_are_removed_from_texts(node, content, text):
    node.put("/etc/os-release", content)
    assert node.door().file("/etc/os-release").text == text


def test_a_pattern_matches_within_names_and_brackets_are_letters(node):
    for name in ("osc/fs-OST0000/active", "osc/fs-OST0001/active", "osc/other/blocksize", "osc/[x]/active"):
        node.put("/sys/fs/lustre/" + name, "1\n")
    door = node.door()
    paths = door.files("/sys/fs/lustre/osc/*/active")
    assert [path.split("/")[5] for path in paths] == ["[x]", "fs-OST0000", "fs-OST0001"]
    assert list(door.files("/sys/fs/lustre/osc/[x]/active")) == ["/sys/fs/lustre/osc/[x]/active"]
    assert len(door.files("/sys/fs/lustre/osc/*/active", at_most=2)) == 2


def test_a_file_that_only_root_may_read_is_permission_denied(node):
    place = node.put("/sys/kernel/debug/lustre/x", "1")
    place.chmod(0)
    with bound_by_modes():
        assert node.door().file("/sys/kernel/debug/lustre/x").reason == "permission_denied"


def test_reads_after_the_time_limit_are_timeouts(node):
    node.put("/proc/meminfo", "MemTotal: 1 kB\n")
    door = node.door()
    door.ends = time.monotonic() - 1
    assert door.file("/proc/meminfo").reason == "timeout"
    assert door.command(["uname", "-a"]).reason == "timeout"
    assert door.names("/proc") == []


def test_another_root_runs_no_command_of_this_machine(node):
    assert node.door().command(["uname", "-a"]).reason == "not_installed"


def test_a_command_that_is_not_on_the_list_is_a_mistake_of_the_probe(node):
    with pytest.raises(ValueError, match="sh"):
        node.door().command(["sh", "-c", "id"])


def test_only_variables_of_the_list_pass_and_they_are_printable():
    door = NodeAccess(
        "/", environment={"AWS_SECRET_ACCESS_KEY": "x", "SLURM_NTASKS": "64\n\x1b[31m", "HOME": "/home/x"}
    )
    assert door.environment == {"SLURM_NTASKS": "64"}


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Programs of the test's own in the one folder that commands are taken from."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(commands, "FOLDERS", (str(folder),))

    def make(name, script, mode=0o755):
        (folder / name).write_text("#!/bin/sh\n" + script)
        (folder / name).chmod(mode)

    return make


def test_a_command_gives_its_output_in_a_clean_environment(tools, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    tools("uname", 'echo "$LC_ALL ${SECRET-none}"\n')
    done = NodeAccess("/", environment={}).command(["uname"])
    assert (done.text, done.reason, done.source, done.status) == ("C none\n", None, "command", 0)


def test_a_command_that_hangs_is_killed_with_all_its_children(tools, tmp_path):
    tools("lfs", f"trap '' TERM\nsleep 3600 &\necho $! > {tmp_path}/child\nsleep 3600\n")
    assert NodeAccess("/", environment={}).command(["lfs", "df"]).reason == "timeout"
    assert has_ended(int((tmp_path / "child").read_text()))


def has_ended(process):
    """Whether a process ends, or has ended: the signal that kills it may still be under way."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def test_output_counts_once_the_command_has_ended_even_if_a_grandchild_holds_the_pipe(tools):
    tools("lctl", "sleep 300 &\necho here\n")
    assert NodeAccess("/", environment={}).command(["lctl", "dl"]).text == "here\n"


@pytest.mark.parametrize("where", ["", " >&2"])
def test_endless_output_is_a_limit(tools, where):
    tools("dmidecode", f"while :; do echo 0123456789012345678901234567890123456789{where}; done\n")
    assert NodeAccess("/", environment={}).command(["dmidecode"], limit=65536, timeout_s=5).reason == "output_limit"


def test_a_failed_command_has_a_reason(tools):
    tools("lctl", "echo 'error: Permission denied' >&2; exit 2\n")
    tools("ibstat", "kill -SEGV $$\n")
    tools("nvme", "exit 1\n")
    door = NodeAccess("/", environment={})
    assert door.command(["lctl", "x"]).reason == "permission_denied"
    assert door.command(["ibstat"])[1:3] == ("parse_error", "ended by signal 11")
    assert door.command(["nvme", "list"])[1:3] == ("not_applicable", "exit status 1")
    assert door.command(["zpool", "status"]).reason == "not_installed"


def test_a_program_with_the_rights_of_another_user_is_not_run(tools):
    tools("lctl", "echo here\n", mode=0o4755)
    assert NodeAccess("/", environment={}).command(["lctl"]).reason == "not_installed"


RECORDING = """{"commands": [
  {"argv": ["uname", "-a"], "rc": 0, "stdout": "Linux\\n", "stderr": ""},
  {"argv": ["lfs", "df"], "rc": 0, "stdout": "", "delay_s": 3600},
  {"argv": ["dmidecode"], "rc": 0, "stdout": "", "generate": {"bytes": 104857600, "pattern": "x"}},
  {"argv": ["ibstat"], "rc": 139, "stdout": "", "stderr": "Segmentation fault"},
  {"argv": ["lscpu"], "rc": 0, "stdout_file": "../secret"}
]}"""


def test_recorded_commands_are_played_and_never_run(node, tmp_path):
    (tmp_path / "secret").write_text("outside of the recording")
    folder = tmp_path / "recording"
    folder.mkdir()
    (folder / "commands.json").write_text(RECORDING)
    door = node.door(recorded=Recorded(str(folder / "commands.json")))
    assert door.command(["uname", "-a"]).text == "Linux\n"
    assert door.command(["lfs", "df"]).reason == "timeout"
    assert door.command(["dmidecode"]).reason == "output_limit"
    assert door.command(["ibstat"]).detail == "ended by signal 11"
    assert door.command(["lscpu"]).text == ""
    assert door.command(["zpool", "status"]).reason == "not_installed"


@pytest.mark.parametrize("content", ["", "[]", '{"commands": [1]}', '{"commands": 3}', "[" * 100000])
def test_files_that_are_no_recordings_are_refused(tmp_path, content):
    (tmp_path / "commands.json").write_text(content)
    with pytest.raises(UsageError, match="no recording"):
        Recorded(str(tmp_path / "commands.json"))
