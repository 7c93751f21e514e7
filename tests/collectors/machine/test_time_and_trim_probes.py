"""Clock, time zone and last trim: constructed nodes, refusals, and a file of this machine."""

import os

import pytest

from collectors.node.node_access import NodeAccess
from collectors.probes.clock import SOURCE, ClockProbe
from collectors.probes.trim import TrimProbe, day


def test_clock_and_time_zone_are_recorded(node):
    node.put({SOURCE: "tsc\n", "/usr/share/zoneinfo/Etc/UTC": ""})
    (node.root / "etc").mkdir()
    (node.root / "etc/localtime").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    output = node.said(ClockProbe())
    assert output.values("node.time", "clocksource") == {"tsc": 1}
    assert output.values("node.time", "timezone") == {"Etc/UTC": 1}


@pytest.mark.parametrize(
    "target", ["/etc/shadow", "/usr/share/zoneinfo/../../../etc/shadow", "/usr/share/zoneinfo/a b;c"]
)
def test_an_invalid_time_zone_is_left_out(node, target):
    node.put({SOURCE: "tsc\n", "/etc/shadow": "root:x"})
    (node.root / "etc/localtime").symlink_to(target)
    assert node.said(ClockProbe()).values("node.time", "timezone") == {}


@pytest.mark.parametrize(("text", "reason"), [(None, "not_applicable"), ("", "parse_error"), ("<b>tsc", "parse_error")])
def test_an_unknown_clock_is_missing_with_a_reason(node, text, reason):
    if text is not None:
        node.put({SOURCE: text})
    gaps = node.said(ClockProbe()).pieces
    assert [(gap.id, gap.reason, gap.key) for gap in gaps] == [("node.time", reason, None)]


def test_the_day_of_the_stamp_is_the_day_of_the_last_trim():
    (piece,) = TrimProbe().parse({"modified": 1763700000.5})
    assert (piece.id, piece.value) == ("drive.last_trim", "2025-11-21")


def test_without_a_stamp_the_site_is_asked(node):
    (gap,) = node.put({"/var/lib/systemd/timers/stamp-fstrim.timer": ""}).said(TrimProbe()).pieces
    assert (gap.id, gap.reason) == ("drive.last_trim", "not_applicable")
    assert "ask the site" in gap.detail


@pytest.mark.parametrize("seconds", [1e30, float("inf"), -1e30])
def test_a_time_beyond_the_calendar_is_no_day(seconds):
    with pytest.raises(ValueError, match="not a time"):
        day(seconds)


def test_the_modification_time_of_a_file_is_read(tmp_path):
    file = tmp_path / "stamp"
    file.touch()
    os.utime(file, (1, 1763700000))
    assert NodeAccess().modified(str(file)) == 1763700000
    assert NodeAccess().modified(str(tmp_path / "nothing")) is None
    assert NodeAccess(str(tmp_path)).modified("/stamp") is None
