"""Clocks that are apart: each program of a registry on this machine can be given another time of day."""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shifted_clock.c")


@dataclass(frozen=True)
class Clocks:
    """Of all processes that are started with `environment`; `folder` must be open to each account that runs one."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.folder / "clock.so"), "SHIFTED_CLOCKS": str(self.folder / "shifts")}

    def shift(self, process: int, seconds: int) -> None:
        """Put the clock of a process, and of those that it forked, so far from the right time.

        Raises FileNotFoundError where it was started without these clocks.
        """
        with (self.folder / "shifts" / str(process)).open("r+b") as file:
            file.write(struct.pack("=q", seconds))

    def put_right(self) -> None:
        """All of them, also of processes that have ended."""
        for file in (self.folder / "shifts").iterdir():
            self.shift(int(file.name), 0)


def make_clocks(folder: Path) -> Clocks:
    """Compile what is loaded into each process; the test is skipped where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("clocks apart need a C compiler: apt-get install gcc libc6-dev")
    clocks = Clocks(folder)
    (folder / "shifts").mkdir()
    (folder / "shifts").chmod(0o1777)
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", folder / "clock.so", SOURCE, "-ldl"]
    subprocess.run(command, check=True)
    return clocks
