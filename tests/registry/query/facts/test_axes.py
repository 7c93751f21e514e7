"""What forms offer as axes and conditions."""

from __future__ import annotations

from registry.query.facts import axes


def test_a_repeated_title_has_its_name_behind_it() -> None:
    """Tools print one quantity under several names, and each can be asked for."""
    choices = axes.axis_choices(["tasks", "fabric", "procs", "tasks"])
    assert choices == [
        ("procs", "client processes (procs)"),
        ("tasks", "client processes (tasks)"),
        ("fabric", "fabric"),
    ]
