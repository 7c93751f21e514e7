"""Forge IO500 archives: change figures everywhere at once, so that score, hashes, summary and result.txt agree.

A forger has all files and knows the hashes, which have no key. `Archive` edits what a phase says in each of its files;
FORGERIES names what may be done, with the kinds of evidence that speak against it where the archive holds them.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tests.make_io500 import GIB_PHASES, KIOPS_PHASES, MDTEST_ROWS, make_run, pair_hash, score_of

NUMBER = rb"\d+(?:\.\d+)?(?:e[+-]\d+)?"


def files_of(path: Path) -> dict[str, bytes]:
    """The files of a .tar.gz by path."""
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers() if entry.isfile()}


class Archive:
    """The files of a run of the C program. Raises LookupError where there is no folder with summary and result.txt."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = dict(files)
        homes = [path.rpartition("/")[0] for path in files if path.endswith("/result.txt")]
        homes = [home for home in homes if f"{home}/result_summary.txt" in files]
        if len(homes) != 1:
            raise LookupError("not one run of the C program")
        self.home = homes[0]

    def path(self, name: str) -> str:
        return f"{self.home}/{name}"

    def has(self, name: str) -> bool:
        return self.path(name) in self.files

    def edit(self, name: str, pattern: bytes, change: Callable[[re.Match[bytes]], bytes], *, most: int = 0) -> None:
        """Change each match in a file; nothing where there is no such file."""
        if self.has(name):
            self.files[self.path(name)] = re.sub(
                pattern, change, self.files[self.path(name)], count=most, flags=re.MULTILINE
            )

    def scale(self, phase: str, factor: float, *, text: bool = True, table: bool = True) -> None:
        """Another value of a phase: in summary and result.txt, and in its raw text and table where asked."""
        self.edit("result_summary.txt", rb"^(\[RESULT\] +%b +)(%b)" % (phase.encode(), NUMBER), times(factor, 6))
        self.edit("result.txt", rb"(\[%b\][^\[]*?score +=\s*)(%b)" % (phase.encode(), NUMBER), times(factor, 6))
        if text:
            self.scale_text(phase, factor)
        if table:
            self.scale_table(phase, factor)
        if phase == "find":
            self.edit("find.csv", rb"^(runtime: %b rate: )(%b)" % (NUMBER, NUMBER), times(factor, 6), most=1)

    def scale_text(self, phase: str, factor: float) -> None:
        operation = phase.rsplit("-", 1)[-1]
        if phase.startswith("ior"):
            self.edit(f"{phase}.txt", rb"^(%b +)(%b)" % (operation.encode(), NUMBER), times(factor, 2))
            self.edit(f"{phase}.txt", rb"^(Max \w+: +)(%b)" % NUMBER, times(factor, 2))
            return
        content = self.files.get(self.path(f"{phase}.txt"), b"")
        before, mark, after = content.partition(b"SUMMARY time")
        row = rb"^( *%b *:? *)(%b)" % (MDTEST_ROWS.get(operation, "no row").encode(), NUMBER)
        changed = re.sub(row, times(factor, 3), before, flags=re.MULTILINE)
        if content:
            self.files[self.path(f"{phase}.txt")] = changed + mark + after

    def scale_table(self, phase: str, factor: float, rows: slice = slice(None), columns: str = "rate") -> None:
        """The rates of a table, or its times (`time`), or both, in all or some of its rows."""
        lines = self.files.get(self.path(f"{phase}.csv"), b"").decode().split("\n")
        if len(lines) < 3:
            return
        heads = lines[0].split(",")
        words = {
            "rate": ("rate-", "throughput"),
            "time": ("time-", "runtime"),
            "both": ("rate-", "time-", "thr", "run"),
        }
        places = [place for place, head in enumerate(heads) if head.startswith(words[columns])]
        for number in range(1, len(lines))[rows]:
            cells = lines[number].split(",")
            for place in places:
                if place < len(cells) and cells[place]:
                    cells[place] = f"{float(cells[place]) * factor:.10e}"
            lines[number] = ",".join(cells)
        self.files[self.path(f"{phase}.csv")] = "\n".join(lines).encode()

    def score_again(self) -> None:
        """Halves, score and hash of result.txt and the line of the summary, as the program would print them."""
        result = self.files[self.path("result.txt")]
        texts = {phase: value_in(result, phase) for phase in (*GIB_PHASES, *KIOPS_PHASES)}
        halves = score_of({phase: float(text) for phase, text in texts.items()})
        texts_of_score = dict(zip(("BW", "MD", "SCORE"), (f"{half:.6f}" for half in halves), strict=True))
        for name, text in texts_of_score.items():
            self.edit("result.txt", rb"^(%b +=\s*)(%b)" % (name.encode(), NUMBER), put(text))
        for before, name in ((rb"Bandwidth +", "BW"), (rb"IOPS +", "MD"), (rb"TOTAL +", "SCORE")):
            self.edit("result_summary.txt", rb"^(\[SCORE .*?%b)(%b)" % (before, NUMBER), put(texts_of_score[name]))
        version = re.search(rb"^version +=[ \t]*(\S*)", result, re.MULTILINE)
        digest = pair_hash("version", version[1].decode() if version else "")
        for name, text in (*texts.items(), *texts_of_score.items()):
            digest ^= pair_hash(name, text)
        self.edit("result.txt", rb"(\[SCORE\][^\[]*?hash +=\s*)(\w+)", put(f"{digest:X}"))

    def remove(self, *suffixes: str) -> None:
        self.files = {path: entry for path, entry in self.files.items() if not path.endswith(suffixes)}

    def keep(self, *names: str) -> None:
        self.files = {path: entry for path, entry in self.files.items() if path in [self.path(name) for name in names]}

    def clients_per_node(self) -> int:
        match = re.search(rb"^clients per node +: (\d+)", self.files[self.path("ior-easy-write.txt")], re.MULTILINE)
        return int(match[1]) if match else 1

    def raw_texts(self) -> list[str]:
        names = [path.rpartition("/")[2] for path in self.files if path.startswith(f"{self.home}/")]
        return [name for name in names if re.fullmatch(r"(ior|mdtest)-\S+\.txt", name)]


def times(factor: float, decimals: int) -> Callable[[re.Match[bytes]], bytes]:
    return lambda match: match[1] + f"{float(match[2]) * factor:.{decimals}f}".encode()


def put(text: str) -> Callable[[re.Match[bytes]], bytes]:
    return lambda match: match[1] + text.encode()


def value_in(result: bytes, phase: str) -> str:
    match = re.search(rb"\[%b\][^\[]*?score +=\s*(%b)" % (phase.encode(), NUMBER), result)
    if match is None:
        raise LookupError(f"no value of {phase}")
    return match[1].decode()


IOR_READS, IOR_PHASES = ("ior-easy-read", "ior-hard-read"), GIB_PHASES
ALL_BUT_FIND = tuple(phase for phase in (*GIB_PHASES, *KIOPS_PHASES) if phase != "find")


def summary_and_result(archive: Archive) -> None:
    archive.scale("ior-easy-write", 1.5, text=False, table=False)


def with_raw_text(archive: Archive) -> None:
    archive.scale("ior-easy-write", 1.5, table=False)


def with_table(archive: Archive) -> None:
    archive.scale("ior-easy-write", 1.5)


def without_raw(archive: Archive) -> None:
    archive.scale("ior-easy-read", 1.5)
    archive.remove("ior-easy-read.txt", "ior-easy-read.csv")


def easy_stat(archive: Archive) -> None:
    archive.scale("mdtest-easy-stat", 3)


def all_reads(archive: Archive) -> None:
    for phase in IOR_READS:
        archive.scale(phase, 4)


def find_alone(archive: Archive) -> None:
    archive.scale("find", 10)
    archive.remove("find.csv")


def all_but_find(archive: Archive) -> None:
    for phase in ALL_BUT_FIND:
        archive.scale(phase, 10)


def all_with_two_files(archive: Archive) -> None:
    for phase in (*ALL_BUT_FIND, "find"):
        archive.scale(phase, 10)
    archive.keep("result.txt", "result_summary.txt")


def all_with_a_summary(archive: Archive) -> None:
    for phase in (*ALL_BUT_FIND, "find"):
        archive.scale(phase, 10)
    archive.score_again()
    archive.keep("result_summary.txt")


def half_the_nodes(archive: Archive) -> None:
    for name in archive.raw_texts():
        archive.edit(name, rb"^(nodes +: )(\d+)", lambda match: match[1] + b"%d" % (int(match[2]) // 2))
        archive.edit(name, rb"(total task\(s\) on )(\d+)", lambda match: match[1] + b"%d" % (int(match[2]) // 2))


def half_the_nodes_with_twice_the_clients(archive: Archive) -> None:
    half_the_nodes(archive)
    for name in archive.raw_texts():
        archive.edit(name, rb"^(clients per node +: )(\d+)", lambda match: match[1] + b"%d" % (int(match[2]) * 2))


def short_stonewall(archive: Archive) -> None:
    for name in archive.raw_texts():
        archive.edit(name, rb"( '?-[DW]'?[ =]'?)300", put("100"))
        archive.edit(name, rb"^(stonewallingTime +: )300", put("100"))


def own_cache(archive: Archive) -> None:
    for name in (*archive.raw_texts(), "result.txt"):
        archive.edit(name, rb"() -C -Q 1", put(""))


def hard_of_another(archive: Archive) -> None:
    other = make_run(client_nodes=12, performance=3.0, started=datetime(2024, 3, 2, 1, 0, 0), folder="other")
    for phase in ("ior-hard-write", "ior-hard-read"):
        text = value_in(other["other/result.txt"], phase)
        archive.scale(phase, float(text) / float(value_in(archive.files[archive.path("result.txt")], phase)))
        lifted = other[f"other/{phase}.txt"].replace(b"Linux node001", b"Linux elsewhere7")
        archive.files[archive.path(f"{phase}.txt")] = lifted
        archive.remove(f"{phase}.csv")


def pause(archive: Archive) -> None:
    path = archive.path("result.txt")
    before, mark, after = archive.files[path].partition(b"[ior-easy-read]")
    archive.files[path] = before + mark + shifted(after, rb"^(t_(?:start|end) += )(\d{4}-\S+ \S+)", hours=2)


def shifted(content: bytes, pattern: bytes, form: str = "%Y-%m-%d %H:%M:%S", **by: float) -> bytes:
    def later(match: re.Match[bytes]) -> bytes:
        return match[1] + f"{datetime.strptime(match[2].decode(), form) + timedelta(**by):{form}}".encode()

    return re.sub(pattern, later, content, flags=re.MULTILINE)


def swapped_reads(archive: Archive) -> None:
    result = archive.files[archive.path("result.txt")]
    easy, hard = (float(value_in(result, phase)) for phase in IOR_READS)
    archive.scale("ior-easy-read", hard / easy, text=False, table=False)
    archive.scale("ior-hard-read", easy / hard, text=False, table=False)
    for kind in ("txt", "csv"):
        entry, other = (archive.path(f"{phase}.{kind}") for phase in IOR_READS)
        if entry in archive.files and other in archive.files:
            archive.files[entry], archive.files[other] = archive.files[other], archive.files[entry]


def rates_of_a_node(archive: Archive) -> None:
    archive.scale_table("mdtest-easy-write", 2.0, slice(1, 9))


def needs_every_rank(archive: Archive) -> None:
    rows = archive.files.get(archive.path("ior-easy-write.csv"), b"").count(b"\nwrite,")
    tasks = re.search(rb"^tasks +: (\d+)", archive.files[archive.path("ior-easy-write.txt")], re.MULTILINE)
    if tasks is None or rows != int(tasks[1]):
        raise LookupError("the table has not every rank")


def work_of_a_node(archive: Archive) -> None:
    needs_every_rank(archive)
    archive.scale_table("ior-easy-write", 1.5, slice(0, archive.clients_per_node()), "both")


def other_zone(archive: Archive) -> None:
    for name in archive.raw_texts():
        path = archive.path(name)
        text = shifted(
            archive.files[path], rb"^(Began +: )(\w{3} \w{3} +\d+ \S+ \d{4})", "%a %b %d %H:%M:%S %Y", hours=1
        )
        archive.files[path] = shifted(text, rb"^(-- \w+ at )(\d\d/\d\d/\d{4} \S+)", "%m/%d/%Y %H:%M:%S", hours=1)


def shorter_seconds(archive: Archive) -> None:
    """Three times as fast in a third of the seconds: the bytes stay."""
    archive.scale("ior-easy-read", 3.0, table=False)
    archive.edit("ior-easy-read.txt", rb"^(read .* )(%b)(?= +0 *$)" % NUMBER, times(1 / 3, 2))


def more_items(archive: Archive) -> None:
    archive.edit("mdtest-easy-write.txt", rb"^(Continue stonewall hit min: \d+ max: )(\d+)", times(1.2, 0))


def more_processes(archive: Archive) -> None:
    archive.edit("result.txt", rb"^(procs +=\s*)(\d+)", times(2, 0))


def more_found(archive: Archive) -> None:
    archive.scale("find", 10)
    archive.edit("result.txt", rb"^(total-files +=\s*)(\d+)", times(10, 0))


def other_machine(archive: Archive) -> None:
    archive.edit("ior-hard-read.txt", rb"^(Machine +: \S+ )(\S+)", put("another-host"))


def longer_phase(archive: Archive) -> None:
    archive.edit("result.txt", rb"(\[mdtest-hard-write\][^\[]*?t_delta +=\s*)(%b)" % NUMBER, times(1.3, 4))
    archive.edit("result_summary.txt", rb"^(\[RESULT\] +mdtest-hard-write .*time +)(%b)" % NUMBER, times(1.3, 3))


def no_shift(archive: Archive) -> None:
    for name in archive.raw_texts():
        archive.edit(name, rb"(Shifting ranks by )(\d+)", put("0"))


def other_configuration(archive: Archive) -> None:
    archive.edit("config.ini", rb"^(stonewall-time += )(\d+)", put("100"))


def moved_bytes(archive: Archive) -> None:
    """What IOR counted, in write and read alike, so that both still agree."""
    for phase in ("ior-easy-write", "ior-easy-read"):
        archive.edit(f"{phase}.txt", rb"^(WARNING: Using actual aggregate bytes moved = )(\d+)", times(2, 0))


def faster_with_seconds(archive: Archive) -> None:
    """Reads that are faster in fewer seconds, by both of IOR's clocks: the operations per second stay."""
    for phase in IOR_READS:
        archive.scale(phase, 1.3)
        archive.edit(f"{phase}.txt", rb"^(read .* )(%b)(?= +\S+ +%b +0 *$)" % (NUMBER, NUMBER), times(1 / 1.3, 2))
        archive.edit(f"{phase}.txt", rb"^(read .* )(%b)(?= +0 *$)" % NUMBER, times(1 / 1.3, 2))


def more_bytes(archive: Archive) -> None:
    """More bytes in the same seconds, written and read alike."""
    moved_bytes(archive)
    for phase in ("ior-easy-write", "ior-easy-read"):
        archive.scale(phase, 2.0)


def more_files_seen(archive: Archive) -> None:
    archive.edit("result.txt", rb"^(total-files +=\s*)(\d+)", times(1.05, 0))


def more_items_seen(archive: Archive) -> None:
    archive.scale("find", 1.05)
    more_files_seen(archive)


def more_matches(archive: Archive) -> None:
    archive.edit("result.txt", rb"^(found +=\s*)(\d+)", times(1.5, 0))


def larger_transfers(archive: Archive) -> None:
    """The hard phases with 1 MiB, in all command lines."""
    for name in ("ior-hard-write.txt", "ior-hard-read.txt", "result.txt"):
        archive.edit(name, rb"(ior-hard\S* .*-t )(47008)", put("1048576"))
        archive.edit(name, rb"(ior-hard\S* .*-b )(47008)", put("1048576"))


def printed_transfer(archive: Archive) -> None:
    archive.edit("ior-easy-write.txt", rb"^(xfersize +: )(\S+ \S+)", put("64 KiB"))


def not_flushed(archive: Archive) -> None:
    for name in (*archive.raw_texts(), "result.txt"):
        archive.edit(name, rb"( -k) -e(?= )", lambda match: match[1])


def empty_hard_files(archive: Archive) -> None:
    for name in (*archive.raw_texts(), "result.txt"):
        archive.edit(name, rb"('?-[we]'?[ =]'?)3901", put("0"))


def other_interface(archive: Archive) -> None:
    archive.edit("ior-easy-read.txt", rb"^(api +: )(\w+)", put("MMAP"))


def other_seed(archive: Archive) -> None:
    for name in ("ior-hard-read.txt", "result.txt"):
        archive.edit(name, rb"((?:\[ior-hard-read\][^\[]*?|Command line.*)-G[= ])(\d+)", put("12345"))


def other_items(archive: Archive) -> None:
    """Another number of items for each process, in the configuration after the run."""
    for name in ("config.ini", "config-orig.ini"):
        archive.edit(name, rb"(\[mdtest-easy\][^\[]*?\nn *= *)(\d+)", put("77"))


def other_option(archive: Archive) -> None:
    """An option that no command line shows, in one of the two configurations."""
    archive.edit("config.ini", rb"^(drop-caches += *)(\w+)", put("TRUE"))
    archive.files[archive.path("config-orig.ini")] += b"[global]\ndrop-caches = FALSE\n"


def other_folder(archive: Archive) -> None:
    for name in ("mdtest-hard-read.txt", "result.txt"):
        archive.edit(name, rb"(-d '?)\S+(/mdtest-hard'? '?-E)", lambda match: match[1] + b"/dev/shm" + match[2])


def early_stop(archive: Archive) -> None:
    for phase in ("ior-easy-write", "ior-hard-write"):
        archive.edit(f"{phase}.txt", rb"(mean data: \S+ \w+ time: )(%b)" % NUMBER, put("100.0"))


def faster_until_the_stonewall(archive: Archive) -> None:
    archive.edit("result.txt", rb"^((?:throughput|rate)-stonewall +=\s*)(%b)" % NUMBER, times(3, 6))


def mean_above_most(archive: Archive) -> None:
    archive.edit("mdtest-easy-write.txt", rb"( avg: )(%b)" % NUMBER, times(2, 1))


def next_year(archive: Archive) -> None:
    for name in (*archive.raw_texts(), "result.txt"):
        later = rb"^((?:Began +: \w{3} \w{3} +\d+ \S+|-- \w+ at \d\d/\d\d/|t_\w+ +=|; START|; END) ?)(20\d\d)"
        archive.edit(name, later, times_plus_one)


def times_plus_one(match: re.Match[bytes]) -> bytes:
    return match[1] + b"%d" % (int(match[2]) + 1)


def another_start(archive: Archive) -> None:
    path = archive.path("result.txt")
    archive.files[path] = shifted(archive.files[path], rb"^(; START )(\d{4}-\S+ \S+)", hours=-1)


def fewer_processes(archive: Archive) -> None:
    """Half of nodes and processes, wherever a number says how many there were."""
    half_the_nodes(archive)
    for name in (*archive.raw_texts(), "result.txt"):
        before = rb"^(tasks +: |procs +=\s*|mdtest-\S+ was launched with )(\d+)"
        archive.edit(name, before, lambda match: match[1] + b"%d" % (int(match[2]) // 2))


def more_processes_everywhere(archive: Archive) -> None:
    """Twice as many, with half of the items for each."""
    for name in (*archive.raw_texts(), "result.txt"):
        before = rb"^(tasks +: |nodes +: |procs +=\s*|mdtest-\S+ was launched with )(\d+)"
        archive.edit(name, before, times(2, 0))
        archive.edit(name, rb"(total task\(s\) on )(\d+)", times(2, 0))
        archive.edit(name, rb"^(Continue stonewall hit min: \d+ max: )(\d+)", times(0.5, 0))


def shorter_table(archive: Archive) -> None:
    needs_every_rank(archive)
    archive.scale_table("ior-easy-write", 0.8, columns="time")
    archive.scale_table("ior-easy-write", 1.25)


def other_file_system(archive: Archive) -> None:
    archive.edit("ior-hard-read.txt", rb"^(FS +: )(\S+ \w+)", put("9.9 TiB"))


def small_file_system(archive: Archive) -> None:
    for name in archive.raw_texts():
        archive.edit(name, rb"^(FS +: )(\S+ \w+)", put("1.0 GiB"))


@dataclass(frozen=True)
class Forgery:
    """`kinds` are those of which each may reveal it, where the archive has what they rest on."""

    change: Callable[[Archive], None]
    kinds: tuple[str, ...]


FORGERIES = {
    "a one phase in summary and result.txt": Forgery(summary_and_result, ("bytes", "bytes-read", "ranks")),
    "b and in its raw text": Forgery(with_raw_text, ("bytes", "bytes-read", "ranks")),
    "c and in its table": Forgery(with_table, ("bytes", "bytes-read")),
    "d raw text and table deleted instead": Forgery(without_raw, ("read-time",)),
    "e stat, in text and table": Forgery(easy_stat, ("items",)),
    "f all reads": Forgery(all_reads, ("bytes", "bytes-read")),
    "g find, its table deleted": Forgery(find_alone, ("find-rate",)),
    "h all but find": Forgery(all_but_find, ("bytes", "items-made", "find-files")),
    "i all, two files left": Forgery(all_with_two_files, ("find-rate",)),
    "k half the nodes": Forgery(half_the_nodes, ("nodes", "node-map")),
    "l with twice the clients on each": Forgery(half_the_nodes_with_twice_the_clients, ("node-map",)),
    "m a shorter stonewall": Forgery(short_stonewall, ("stonewall", "commands")),
    "n reads from the own cache": Forgery(own_cache, ("offset",)),
    "o a phase of another machine": Forgery(hard_of_another, ("dates", "machine", "tasks")),
    "p two hours between phases": Forgery(pause, ("dates", "pauses")),
    "phases swapped": Forgery(swapped_reads, ("bytes-read", "commands", "dates")),
    "rates of one node": Forgery(rates_of_a_node, ("rows",)),
    "work of one node": Forgery(work_of_a_node, ("ranks",)),
    "another time zone": Forgery(other_zone, ("dates",)),
    "fewer seconds": Forgery(shorter_seconds, ("seconds", "read-time")),
    "more items": Forgery(more_items, ("items-made",)),
    "more processes": Forgery(more_processes, ("tasks",)),
    "more files found": Forgery(more_found, ("find-files",)),
    "another machine": Forgery(other_machine, ("machine",)),
    "a longer phase": Forgery(longer_phase, ("duration",)),
    "no shift of ranks": Forgery(no_shift, ("shift",)),
    "another configuration": Forgery(other_configuration, ("stonewall",)),
    "bytes that IOR counted": Forgery(moved_bytes, ("bytes", "pairs")),
    "reads and their seconds": Forgery(faster_with_seconds, ("operations", "read-seconds")),
    "bytes and bandwidth": Forgery(more_bytes, ("pairs", "operations")),
    "files and rate of find": Forgery(more_items_seen, ("find-ranks",)),
    "files of find": Forgery(more_files_seen, ("find-table", "find-ranks")),
    "matches of find": Forgery(more_matches, ("find-ranks",)),
    "larger hard transfers": Forgery(larger_transfers, ("fixed", "sizes", "operations")),
    "another transfer size": Forgery(printed_transfer, ("sizes",)),
    "nothing flushed": Forgery(not_flushed, ("fixed",)),
    "empty hard files": Forgery(empty_hard_files, ("fixed",)),
    "another interface": Forgery(other_interface, ("options",)),
    "other data read": Forgery(other_seed, ("same-data",)),
    "other items set": Forgery(other_items, ("configuration",)),
    "another option set": Forgery(other_option, ("configuration",)),
    "another folder": Forgery(other_folder, ("data-folder", "same-data")),
    "an early stop": Forgery(early_stop, ("stopped", "stonewall-bytes")),
    "faster until the stonewall": Forgery(faster_until_the_stonewall, ("stopped", "stonewall-bytes")),
    "a mean above the most": Forgery(mean_above_most, ("order",)),
    "another year": Forgery(next_year, ("weekday", "folder-date")),
    "another start": Forgery(another_start, ("run-clock",)),
    "fewer processes": Forgery(fewer_processes, ("items-made", "pairs", "table-rows")),
    "more processes everywhere": Forgery(more_processes_everywhere, ("pairs", "sizes")),
    "a shorter table": Forgery(shorter_table, ("table-seconds",)),
    "another file system": Forgery(other_file_system, ("file-system",)),
    "a small file system": Forgery(small_file_system, ("space",)),
}
"""By letter as the study told them that showed how far they got, then others; `j`, a summary alone, has its test."""


def forge(files: dict[str, bytes], forgery: Forgery) -> dict[str, bytes]:
    """The forged files, with score and hash to match. LookupError: these have nothing to change."""
    archive = Archive(files)
    forgery.change(archive)
    if archive.files == files:
        raise LookupError("there is nothing to forge")
    archive.score_again()
    return archive.files
