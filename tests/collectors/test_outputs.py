"""`--out` makes a file; it never takes the place of a device, a pipe or a socket."""

from __future__ import annotations

import os
import socket
import stat

import pytest


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def lead_to_device(path):
    path.symlink_to("/dev/null")


@pytest.mark.parametrize("make", [make_pipe, make_socket, lead_to_device])
def test_an_output_takes_the_place_of_nothing_but_files(every_python, collector, tmp_path, monkeypatch, make):
    """As root, `--out /dev/null` would end the device for the whole machine."""
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    out = tmp_path / "out.json"
    make(out.relative_to(tmp_path) if make is make_socket else out)
    before = os.lstat(out)
    command = collector("collect", "--out", str(out), python=every_python)
    assert command.returncode == 2, command.stderr
    assert f"{out} cannot be written: it is a device, a pipe or a socket." in command.stderr
    assert (os.lstat(out).st_ino, stat.S_IFMT(os.lstat(out).st_mode)) == (before.st_ino, stat.S_IFMT(before.st_mode))


def test_an_output_takes_the_place_of_a_file_and_of_a_link_to_one(collector, tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("as it was")
    link.symlink_to(target)
    assert collector("collect", "--out", str(link)).returncode == 0
    assert (target.read_text(), link.is_symlink()) == ("as it was", False)
