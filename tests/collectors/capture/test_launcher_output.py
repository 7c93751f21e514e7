"""The forms in which launchers hand on what nodes print."""

import pytest

from collectors.capture.launcher_output import LauncherOutput


def emitted(*lines):
    """({label: document}, {label: reason}) of what a launcher printed."""
    documents = {}
    taken = LauncherOutput(lambda document, label: documents.update({label: document}))
    for line in lines:
        taken.feed(line)
    taken.finish()
    return documents, dict(taken.failures())


def test_open_mpi_4_breaks_a_line_before_a_space_of_the_document():
    documents, _failed = emitted('[1,0]<stdout>:{"captures":"a[1,0]<stdout>: b"}')
    assert documents == {"0": {"captures": "a b"}}


def test_open_mpi_5_puts_a_space_of_its_own_behind_the_tag():
    documents, _failed = emitted('[1,0]<stdout>: {"captures":"a[1,0]<stdout>: b"}')
    assert documents == {"0": {"captures": "ab"}}


def test_intel_mpi_tags_every_piece_also_of_two_ranks_in_one_line():
    documents, _failed = emitted('[0] {"captures":"fi[1] {"captures":"se[0] rst"}', '[1] cond"}')
    assert documents == {"0": {"captures": "first"}, "1": {"captures": "second"}}


@pytest.mark.parametrize(
    ("line", "label", "reason"),
    [
        ("ssh: connect to host n7 port 22: Connection refused", "n7", "unreachable"),
        ("ssh: Could not resolve hostname n7: Name or service not known", "n7", "unreachable"),
        ("me@n7: Permission denied (publickey).", "n7", "unreachable"),
        ("pdsh@login: n7: connect: Connection refused", "n7", "unreachable"),
        ("srun: error: Task launch for StepId=5.0 failed on node n7: Communication connection failure", "n7", None),
        ("srun: error: n7: task 6: Killed", "6", "crashed"),
        ("srun: error: Unable to allocate resources: Invalid node name specified", None, "crashed"),
        ("[mpiexec@login] Error: Unable to run bstrap_proxy on n7 (pid 4, exit code 65280)", "n7", "unreachable"),
        ("[4] [proxy:0:4@n7] execvp error on file python3 (No such file or directory)", "4", "python_missing"),
    ],
)
def test_failed_nodes_are_recognised_in_messages_of_launchers(line, label, reason):
    assert emitted(line) == ({}, {label: reason or "unreachable"})


def test_a_refused_start_is_no_unreachable_node():
    words = "an inability to connect back, or no route found between them: internal error"
    assert emitted(words) == ({}, {None: "crashed"})


def test_open_mpis_warning_of_a_process_group_is_no_refused_login():
    warning = "[login:14823] plm:rsh: Warning: setpgid(14828,14828) failed in parent with errno=Permission denied(13)"
    assert emitted(warning) == ({}, {None: "invalid_output"})
