"""What command lines, options and configuration of an IO500 run say twice. Pairs for the kinds of evidence.json."""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence, Raw
from validators.benchmarks.io500.options import is_same_setting
from validators.benchmarks.io500.rawtext import data_folder, option, plain_command, size_of
from validators.evidence import Comparison
from validators.launcher_output import options_of

SAME_DATA = {"ior": "tbsoG", "mdtest": "nwed"}
"""Options of which a phase must have the values with which its data was written."""
FIXED = {"ior-hard": {"t": "47008", "b": "47008"}, "mdtest-hard": {"w": "3901", "e": "3901"}}
"""What no configuration can set: io500 calls IOR and mdtest with it."""
FLUSHED, NOT_FLUSHED = "-e", "no -e"
_CONFIGURED = {
    "ior-easy-write": {"t": ("ior-easy", "transfersize"), "b": ("ior-easy", "blocksize")},
    "ior-hard-write": {"s": ("ior-hard", "segmentcount")},
    "mdtest-easy-write": {"n": ("mdtest-easy", "n")},
    "mdtest-hard-write": {"n": ("mdtest-hard", "n")},
}
_LETTERS = {
    "xfersize": "t", "blocksize": "b", "segments": "s", "transfer of the row": "t", "block of the row": "b",
}  # fmt: skip
_LONGEST = 4000


def command_of(raw: Raw) -> str:
    """Where the command line stands in a raw text."""
    return f"{raw.path}:{raw.figures.command_line}"


def launched(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Name, command line and its place of each phase of IOR and mdtest that has one."""
    for phase in evidence.phases:
        command, raw = evidence.command(phase.name), evidence.raw.get(phase.name)
        if command and len(command) < _LONGEST and phase.name.startswith(("ior", "mdtest")):
            yield phase.name, command, phase.where if phase.command or raw is None else command_of(raw)


def commands(evidence: Evidence) -> Iterator[Comparison]:
    """The command line of the raw text is that of result.txt."""
    for phase in evidence.phases:
        raw = evidence.raw.get(phase.name)
        if raw is None or not phase.name.startswith(("ior", "mdtest")):
            continue
        if 0 < len(phase.command) < _LONGEST and 0 < len(raw.launch.command) < _LONGEST:
            line, expected = plain_command(raw.launch.command), plain_command(phase.command)
            yield Comparison("io500.evidence.commands", phase.name, line, expected, command_of(raw), phase.where)


def sizes(evidence: Evidence) -> Iterator[Comparison]:
    """Sizes and counts that IOR and mdtest print are those of their command line."""
    for name, raw in evidence.raw.items():
        other_figures, tasks = raw.figures.other, raw.launch.tasks
        values = {letter: size_of(option(raw.launch.command, letter)) for letter in "tbsn"}
        asked_for = [(figure, values[_LETTERS[key]]) for key, figure in other_figures.items() if key in _LETTERS]
        if tasks and "aggregate filesize" in other_figures and values["b"]:
            asked_for.append((other_figures["aggregate filesize"], values["b"] * (values["s"] or 1) * tasks))
        if tasks and "expected bytes" in other_figures and values["b"] and not name.startswith("ior-rnd"):
            asked_for.append((other_figures["expected bytes"], values["b"] * (values["s"] or 1) * tasks))
        if tasks and "processes" in other_figures:
            asked_for.append((other_figures["processes"], tasks))
        if tasks and "files" in other_figures and values["n"]:
            asked_for.append((other_figures["files"], values["n"] * tasks))
        for figure, size in asked_for:
            if size:
                where, slack = f"{raw.path}:{figure.line}", figure.half_step / size
                yield Comparison("io500.evidence.sizes", name, figure.value, float(size), where, command_of(raw), slack)


def printed_options(evidence: Evidence) -> Iterator[Comparison]:
    """Interface and file that IOR prints are those of its command line."""
    for name, raw in evidence.raw.items():
        for word, letter in (("api", "a"), ("test filename", "o")):
            expected = option(raw.launch.command, letter)
            if expected and word in raw.figures.words:
                text, line = raw.figures.words[word]
                if word == "api":
                    text, expected = text.upper().rstrip(":"), expected.upper()
                where = f"{raw.path}:{line}"
                yield Comparison("io500.evidence.options", name, text, expected, where, command_of(raw))


def same_data(evidence: Evidence) -> Iterator[Comparison]:
    """What reads, looks at and deletes works on the files that were written, with their sizes."""
    by_phase = {name: (command, where) for name, command, where in launched(evidence)}
    for name, (command, where) in by_phase.items():
        stem, _, operation = name.rpartition("-")
        creation = by_phase.get(f"{stem}-write")
        if creation is not None and operation != "write" and "rnd" not in name:
            letters = SAME_DATA[name.partition("-")[0]]
            text, expected = (_values(line, letters) for line in (command, creation[0]))
            yield Comparison("io500.evidence.same-data", name, text, expected, where, creation[1])


def _values(command: str, letters: str) -> str:
    values = {letter: option(command, letter) for letter in letters}
    return " ".join(f"-{letter} {value}" for letter, value in values.items() if value)


def fixed_options(evidence: Evidence) -> Iterator[Comparison]:
    """The sizes of the hard phases are those of the benchmark, and what is written is flushed."""
    for name, command, where in launched(evidence):
        expected = FIXED.get(name.rpartition("-")[0], {})
        if expected:
            values = {letter: option(command, letter) for letter in expected}
            yield _fixed(name, _written(values), _written(expected), where)
        if name.startswith("ior") and name.endswith("-write"):
            yield _fixed(name, FLUSHED if "e" in options_of(command, "") else NOT_FLUSHED, FLUSHED, where)


def _fixed(name: str, value: str, expected: str, where: str) -> Comparison:
    return Comparison("io500.evidence.fixed", name, value, expected, where)


def _written(values: dict[str, str]) -> str:
    return " ".join(f"-{letter} {value}" for letter, value in values.items())


def configuration(evidence: Evidence) -> Iterator[Comparison]:
    """Command lines have what the configuration sets, and both configurations set the same."""
    for name, command, where in launched(evidence):
        for file, settings in evidence.settings.items():
            path = evidence.folder.settings[file]
            for letter, key in _CONFIGURED.get(name, {}).items():
                value, setting = size_of(option(command, letter)), size_of(settings.get(key, ""))
                if value is not None and setting is not None:
                    what = f"{key[1]} of {name}"
                    yield Comparison("io500.evidence.configuration", what, str(value), str(setting), where, path)
            interface = _interface(settings, name)
            if interface and option(command, "a"):
                texts = option(command, "a").upper(), interface.split(" ")[0].upper()
                yield Comparison("io500.evidence.configuration", f"api of {name}", *texts, where, path)
    yield from _both_configurations(evidence)


def _interface(settings: dict[tuple[str, str], str], name: str) -> str:
    sections = (name, name.rpartition("-")[0], "global")
    return next((settings[section, "api"] for section in sections if (section, "api") in settings), "")


def _both_configurations(evidence: Evidence) -> Iterator[Comparison]:
    """What the user set stands in what the run wrote down of its configuration."""
    dump, original = evidence.settings.get("config.ini"), evidence.settings.get("config-orig.ini")
    paths = evidence.folder.settings
    for key, value in (original or {}).items():
        if dump and key in dump:
            same = is_same_setting(value, dump[key])
            texts = value, (value if same else dump[key])
            where, against = paths["config-orig.ini"], paths["config.ini"]
            yield Comparison("io500.evidence.configuration", f"{key[0]} {key[1]}", *texts, where, against)


def data_folders(evidence: Evidence) -> Iterator[Comparison]:
    """All phases work below one folder."""
    first: tuple[str, str] | None = None
    for name, command, where in launched(evidence):
        folder = data_folder(command)
        if folder and first is None:
            first = folder, where
        elif folder and first is not None:
            yield Comparison("io500.evidence.data-folder", name, folder, first[0], where, first[1])


COMPARISONS = (commands, sizes, printed_options, same_data, fixed_options, configuration, data_folders)
