"""Forge runs of the shell script, and what raw texts say twice: each edit with the kind that speaks against it.

The script has no hashes, and its log stands beside its summary with the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.validators.forging import NUMBER, Archive, Forgery, put, shifted, times

IOR_CELL = rb"^((?:write|read) +(?:\S+ +){%d})(\S+)"
SUMMED_UP = rb"^((?:write|read) (?:\S+ ){%d})(\d\S*)(?= .*POSIX 0$)"
"""A cell of IOR's row, and of the line in which it sums up, by the cells before it."""


def edited(files: dict[str, bytes], name: str, pattern: bytes, change: Callable) -> dict[str, bytes]:
    """The files with each match in those of a name changed. LookupError where nothing is."""
    named = [path for path in files if re.fullmatch(name, path.rpartition("/")[2])]
    changed = files | {path: re.sub(pattern, change, files[path], flags=re.MULTILINE) for path in named}
    if changed == files:
        raise LookupError(f"nothing to forge in {name}")
    return changed


@dataclass(frozen=True)
class Edit:
    """What is changed in files of a name, and the kind that reveals it; `also` is done before."""

    name: str
    pattern: bytes
    change: Callable
    kind: str
    also: tuple[str, bytes, Callable] | None = None

    def forge(self, files: dict[str, bytes]) -> dict[str, bytes]:
        before = edited(files, *self.also) if self.also else files
        return edited(before, self.name, self.pattern, self.change)


WITHOUT_SECONDS = (r"mdtest_.*\.txt", rb"^SUMMARY time(?:.|\n)*?(?=-- finished)", lambda match: b"")
"""mdtest of the first years printed no table of times."""

EDITS = {
    "the bandwidth of the summary alone": Edit(
        r"result_summary\.txt", rb"^(\[RESULT\] BW .*ior_easy_write +)(%b)" % NUMBER, times(1.5, 3), "log"
    ),
    "the seconds of the summary alone": Edit(
        r"result_summary\.txt", rb"^(\[RESULT\] .*mdtest_easy_stat .*time +)(%b)" % NUMBER, times(0.5, 2), "log"
    ),
    "a rate of the log alone": Edit(
        r"io-500-summary.*", rb"^(\[RESULT\] .*mdtest_hard_read +)(%b)" % NUMBER, times(2, 3), "log"
    ),
    "the command of the log": Edit(r"io-500-summary.*", rb"(ior-hard/file -t )(47008)", put("65536"), "started-with"),
    "the command of the raw text": Edit(r"mdtest_hard_stat\.txt", rb"( -n )(\d+)", put("77"), "started-with"),
    "the largest bandwidth": Edit(r"ior_easy_read\.txt", SUMMED_UP % 0, times(1.2, 2), "summed-up"),
    "the least bandwidth": Edit(r"ior_easy_read\.txt", SUMMED_UP % 1, times(0.8, 2), "summed-up"),
    "the mean bandwidth": Edit(r"ior_hard_read\.txt", SUMMED_UP % 2, times(1.2, 2), "summed-up"),
    "the operations": Edit(r"ior_hard_write\.txt", SUMMED_UP % 4, times(1.2, 2), "summed-up"),
    "the mean operations": Edit(r"ior_hard_write\.txt", SUMMED_UP % 6, times(1.2, 2), "summed-up"),
    "the mean seconds": Edit(r"ior_easy_write\.txt", SUMMED_UP % 8, times(0.7, 5), "summed-up"),
    "the processes of the sum": Edit(r"ior_easy_write\.txt", SUMMED_UP % 10, times(2, 0), "summed-up"),
    "the processes of a node": Edit(r"ior_easy_write\.txt", SUMMED_UP % 11, times(2, 0), "summed-up"),
    "the segments": Edit(r"ior_hard_write\.txt", SUMMED_UP % 18, times(2, 0), "summed-up"),
    "the transfer of the sum": Edit(r"ior_easy_write\.txt", SUMMED_UP % 20, times(2, 0), "summed-up"),
    "the bytes of the sum": Edit(r"ior_hard_read\.txt", SUMMED_UP % 21, times(2, 1), "summed-up"),
    "the other unit": Edit(r"ior_easy_read\.txt", rb"^(Max Read: .*\()(%b)" % NUMBER, times(2, 2), "summed-up"),
    "a longer opening": Edit(r"ior_easy_write\.txt", IOR_CELL % 5, times(9000, 2), "parts"),
    "a shorter transfer": Edit(r"ior_easy_write\.txt", IOR_CELL % 6, times(0.5, 2), "parts"),
    "a closing longer than all": Edit(r"ior_hard_read\.txt", IOR_CELL % 7, times(90000, 2), "order"),
    "the fewest transfers": Edit(
        r"ior_easy_write\.txt", rb"^(stonewalling pairs accessed min: )(\d+)", times(0.5, 0), "least-bytes"
    ),
    "the least bytes": Edit(
        r"ior_easy_write\.txt", rb"^(stonewalling .* min data: )(%b)" % NUMBER, times(1.5, 1), "least-bytes"
    ),
    "the lowest rate": Edit(r"mdtest_easy_stat\.txt", rb"^(   File stat +\S+ +)(905\S+)", times(0.5, 3), "spread"),
    "the longest seconds": Edit(r"mdtest_easy_stat\.txt", rb"^(   File stat +)(146\S+)", times(2, 3), "spread"),
    "an earlier end": Edit(
        r"mdtest_hard_delete\.txt",
        rb"^(-- finished at )(\S+ \S+)",
        lambda match: shifted(match[0], rb"^(-- finished at )(\S+ \S+)", "%m/%d/%Y %H:%M:%S", minutes=-4),
        "span",
    ),
    "an earlier end of IOR": Edit(
        r"ior_easy_read\.txt",
        rb"^(Finished +: )(\w{3} \w{3} +\d+ \S+ \d{4})",
        lambda match: shifted(match[0], rb"^(Finished +: )(.*)", "%a %b %d %H:%M:%S %Y", minutes=-3),
        "span",
    ),
    "an earlier end without seconds": Edit(
        r"mdtest_easy_delete\.txt",
        rb"^(-- finished at )(\S+ \S+)",
        lambda match: shifted(match[0], rb"^(-- finished at )(\S+ \S+)", "%m/%d/%Y %H:%M:%S", minutes=-5),
        "span-of-phase",
        WITHOUT_SECONDS,
    ),
    "a phase of another day": Edit(
        r"ior_hard_write\.txt",
        rb"^(Began +: |Finished +: )(\w{3} \w{3} +\d+ \S+ \d{4})",
        lambda match: shifted(match[0], rb"^(\w+ +: )(.*)", "%a %b %d %H:%M:%S %Y", days=-7),
        "in-order",
    ),
    "a pause of an hour": Edit(
        r"mdtest_hard_delete\.txt",
        rb"^(-- \w+ at )(\S+ \S+)",
        lambda match: shifted(match[0], rb"^(-- \w+ at )(\S+ \S+)", "%m/%d/%Y %H:%M:%S", hours=1),
        "in-order",
    ),
    "the bandwidth of the log, when its phase ended": Edit(
        r"io-500-summary.*",
        rb"(?s)^(.*?\n\[RESULT\] BW .*?ior_easy_write +)(%b)" % NUMBER,
        times(0.7, 3),
        "log",
        (r"io-500-summary.*", rb"\n(\[RESULT\] BW .*ior_easy_write .*)", lambda match: b"\n" + match[1] + match[0]),
    ),
    "a half of the score in the log": Edit(
        r"io-500-summary.*", rb"^(\[SCORE\] Bandwidth )(%b)" % NUMBER, times(0.7, 3), "log"
    ),
    "fewer processes started": Edit(r"io-500-summary.*", rb"^(\[Exec\] mpirun -np )(\d+)", times(0.7, 0), "launcher"),
    "fewer processes on a node": Edit(
        r"io-500-summary.*", rb"^(\[Exec\] mpirun .*-ppn )(\d+)", times(0.5, 0), "launcher"
    ),
    "a lower mean of the seconds": Edit(
        r"mdtest_easy_stat\.txt", rb"^(   File stat +146\S+ +\S+ +)(146\S+)", times(0.7, 3), "order"
    ),
    "fewer bytes on the mean": Edit(
        r"ior_easy_write\.txt", rb"^(stonewalling .* mean data: )(%b)" % NUMBER, times(0.4, 1), "order"
    ),
    "fewer bytes expected": Edit(
        r"ior_hard_write\.txt", rb"^(WARNING: Expected aggregate file size +(?:= ))(\d+)", times(0.7, 0), "sizes"
    ),
    "another second beginning": Edit(
        r"ior_hard_read\.txt", rb"^(StartTime +: \w{3} \w{3} +)(\d+)", put("17"), "began-twice"
    ),
    "matches of find": Edit(r"io-500-summary.*", rb"^(\[FIND\] MATCHED )(\d+)", times(1.5, 0), "matches"),
    "items of a rank": Edit(
        r"mdtest_hard_write\.txt", rb"^(Continue stonewall hit min: \d+ max: )(\d+)", times(1.2, 0), "matches"
    ),
}
"""Of a run of the shell script; each alters one thing and leaves the rest."""


def reads_with_all_clocks(archive: Archive) -> None:
    """Reads that are faster in fewer seconds, by every clock of theirs, with as many more operations each second."""
    for phase in ("ior-easy-read", "ior-hard-read"):
        archive.scale(phase, 1.5)
        for place, factor in ((1, 1.5), (6, 1 / 1.5), (8, 1 / 1.5)):
            archive.edit(f"{phase}.txt", IOR_CELL % place, times(factor, 2))
        archive.edit("result.txt", rb"(\[%b\][^\[]*?t_delta +=\s*)(%b)" % (phase.encode(), NUMBER), times(1 / 1.5, 4))
        archive.edit(
            "result_summary.txt", rb"^(\[RESULT\] +%b .*time +)(%b)" % (phase.encode(), NUMBER), times(1 / 1.5, 3)
        )


def shorter_waiting(archive: Archive) -> None:
    archive.edit("ior-hard-read.txt", IOR_CELL % 2, times(0.5, 6))


def longer_waiting(archive: Archive) -> None:
    archive.edit("ior-rnd4K-easy-read.txt", IOR_CELL % 2, times(2, 6))


def more_hard_items(archive: Archive) -> None:
    """More items in the same seconds in every phase of mdtest-hard, as the stonewall has them."""
    for phase in ("write", "stat", "read", "delete"):
        archive.scale(f"mdtest-hard-{phase}", 1.3)
    archive.edit("mdtest-hard-write.txt", rb"^(Continue stonewall hit min: \d+ max: )(\d+)", times(1.3, 0))


FORGERIES = {
    "reads with all clocks": Forgery(reads_with_all_clocks, ("latency",)),
    "shorter waiting": Forgery(shorter_waiting, ("latency",)),
    "longer waiting": Forgery(longer_waiting, ("latency-at-most",)),
    "more hard items": Forgery(more_hard_items, ("matches",)),
}
"""Of runs of the C program, in the manner of `forging`."""
