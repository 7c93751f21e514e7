"""Secrets and names that were planted in lines of many programs are taken out, whole, and once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from validators.scrubbing import personal

FOLDER = Path(__file__).parent
_MARKED = re.compile("«([^»]*)»")


def planted(kind: str) -> list[str]:
    text = (FOLDER / f"planted-{kind}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if "«" in line and not line.startswith("# Lines of")]


def without_marks(line: str) -> list[str]:
    return re.sub("[«»]", "", line).replace("\\n", "\n").replace("␤", "\\n").split("\n")


def scrubbed(lines: list[str]) -> list[str]:
    names = personal.Names()
    names.learn("job.sh", lines)
    return list(personal.scrub_lines("job.sh", lines, names, Counter()))


SECRETS, NAMES = planted("secrets"), planted("names")


@pytest.mark.parametrize("line", SECRETS + NAMES)
def test_planted_secrets_and_names_are_removed_and_scrubbing_is_idempotent(line: str) -> None:
    copy = scrubbed(without_marks(line))
    assert [word for word in _MARKED.findall(line) if word.replace("␤", "\\n") in "\n".join(copy)] == []
    assert len(copy) == len(without_marks(line))
    assert scrubbed(copy) == copy


def test_hundreds_of_lines_are_planted() -> None:
    assert len(SECRETS) > 500
    assert len(NAMES) > 350


@pytest.mark.parametrize(
    "line",
    [
        "Options: api : POSIX, test filename : /scratch/out/testfile, access : single-shared-file",
        "ior -a POSIX -t 1m -b 16m -s 16 -u -w -r -k -e -C -Q 2 -g -i 3 -x -D 30",
        "mdtest -n 1000 -u -L -F -P -N 1 -d /scratch/out -x ./rand -Y -W 300 -a POSIX",
        "fio --name=seq --rw=write --bs=1M --iodepth=32 --numjobs=4 --group_reporting --user_stats=1",
        "elbencho -w -r -t 16 -b 1M -s 4g --direct --csvfile out.csv /scratch/out",
        "   write: IOPS=3300, BW=3301MiB/s (3461MB/s)(256MiB/78msec); 0 zone resets",
        "host: all, hosts: 4, node: 3, nodes=10, NODES=10, HOSTS=4, cluster: any",
        "pass: 3, pass=2, passes: 10, PASS: ok, pass: yes, passwd: not set",
        "Process 0 of 16 done, rank 3 of 16, task 4 @ 12 MiB/s",
        "nvme0n1 259:0 0 3.5T 0 disk, nvme0n1 12.00 3400.12 0.00 0.00",
        "started by mpirun, running on storage, connected to server, connection closed",
        "key=value size=16k4, sig=4, code=17, pin: on, I_MPI_PIN=1, pinning: 1234",
        "https://github.com/hpc/ior https://www.lustre.org/ http://localhost:8080/x",
        "type: 12345 R 10 20, 12345 nodes 4 tasks 8 R 1",
        "project: io500, account: none, ticket locks, lid 0, rack-scale",
        "Machine learning, name: value, value: 12.5, list: [1, 2], secrets of tuning",
        "call 4 times, tel: 3, mobile 5, 2026-11-23 10:00:00 +0100",
        "grant: 4096, vol-4, fs-1, i-2, sg-3, snap-20261123, eui, naa",
        "time=1:02:03 lat=00:00:10 d8:e8:f8 12:34",
        "    value: 1250.5\n  - name: bandwidth\n    value: 1250.5",
        "hostname\n12.5",
        "ports.  If these ports are connected to different physical IB",
    ],
)
def test_values_options_and_words_of_outputs_are_kept(line: str) -> None:
    assert scrubbed(line.split("\n")) == line.split("\n")
