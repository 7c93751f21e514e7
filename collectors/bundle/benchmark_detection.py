"""Which files belong to which benchmark, as the descriptors in the benchmarks' folders tell it: by what is in them.

Only the registry's parsers know whether a result is whole and valid; this tells before packing what they will find.
"""

import fnmatch
import json
import os
import pkgutil
import zipfile

HEAD_BYTES = 64 * 1024
FOLDER = "data/benchmarks"
DESCRIPTOR = "benchmark.json"
IN_FILE = f"collectors/{FOLDER}/"
MOST_NAMES = 5


class Benchmark:
    """One tool as its descriptor has it; `found` are the names of its files."""

    def __init__(self, descriptor):
        self.tool = descriptor["tool"]
        self.is_composite = descriptor.get("composite", False)
        self.entries = descriptor["files"]
        self.settings = descriptor.get("same_settings", [])
        self.found = []

    def take(self, heads):
        """Find its files: those that are known by what is in them, and others in or below their folders."""
        recognised_files = {
            name for name, head in heads.items() if any(has_known_content(entry, name, head) for entry in self.entries)
        }
        folders = [os.path.dirname(name) for name in recognised_files]
        others = {
            name
            for name in heads
            if any("contains" not in entry and matches_pattern(entry, name) for entry in self.entries)
            and any(is_below(name, folder) for folder in folders)
        }
        self.found = sorted(recognised_files | others)

    def missing(self, heads):
        """What there is no result without, as NAME (what it is)."""
        for entry in self.entries:
            if entry.get("needed") and not any(has_known_content(entry, name, heads[name]) for name in self.found):
                yield "{} ({})".format(entry["pattern"].replace("**/", "", 1), entry["description"])


def remarks(files):
    """Lines on which of the staged files belong to which benchmark, and warnings on what is not there."""
    heads = {file.name: head_of(file) for file in files}
    benchmarks = detect_benchmarks(heads)
    for benchmark in benchmarks:
        yield f"{benchmark.tool}: {join_names(benchmark.found)}"
        for text in benchmark.missing(heads):
            yield f"warning: {benchmark.tool}: there is no {text}"
    if not benchmarks:
        yield "warning: nothing here is known as the output of a benchmark; the registry would find no result"
    taken = {name for benchmark in benchmarks for name in benchmark.found}
    rest = [name for name in heads if name not in taken]
    if benchmarks and rest:
        yield "of no benchmark: " + join_names(sorted(rest))


def detect_benchmarks(heads):
    """The benchmarks that ran; `heads` are the first bytes of each file by its name.

    What a composite benchmark found is no run of another.
    """
    remaining_heads, benchmarks = dict(heads), []
    for benchmark in sorted(load_benchmarks(), key=lambda candidate: not candidate.is_composite):
        benchmark.take(remaining_heads)
        if benchmark.found:
            benchmarks.append(benchmark)
        if benchmark.is_composite:
            remaining_heads = {name: head for name, head in remaining_heads.items() if name not in benchmark.found}
    return benchmarks


def load_benchmarks():
    """Every benchmark that has a descriptor, by the name of its folder."""
    return [
        Benchmark(json.loads(pkgutil.get_data("collectors", f"{FOLDER}/{folder}/{DESCRIPTOR}").decode("utf-8")))
        for folder in folders()
    ]


def folders():
    """Names of the folders with a descriptor, in a checkout and inside of the single file."""
    archive = getattr(__loader__, "archive", None)
    if archive:
        with zipfile.ZipFile(archive) as opened:
            names = [name.rpartition("/") for name in opened.namelist()]
        # The rules that the file carries have descriptors too, the same ones.
        return sorted(
            os.path.basename(folder) for folder, _, name in names if name == DESCRIPTOR and folder.startswith(IN_FILE)
        )
    here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), FOLDER)
    return sorted(name for name in os.listdir(here) if os.path.isfile(os.path.join(here, name, DESCRIPTOR)))


def head_of(file):
    with file.open() as stream:
        return stream.read(HEAD_BYTES)


def has_known_content(entry, name, head):
    """Whether a file is known by what it holds; an entry that says nothing of that goes by its name."""
    return matches_pattern(entry, name) and any(text.encode("latin-1") in head for text in entry.get("contains", ()))


def matches_pattern(entry, name):
    return fnmatch.fnmatchcase(os.path.basename(name), entry["pattern"].replace("**/", "", 1))


def is_below(name, folder):
    return os.path.dirname(name) == folder or name.startswith(folder + "/") or not folder


def join_names(names):
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
