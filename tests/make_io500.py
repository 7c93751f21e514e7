"""Make an IO500 run as files, valid unless asked to be broken. Written from the formats; nothing is copied.

    make_run(performance=1.2, client_nodes=10)      -> {"results/2025.10.01-09.00.00/result.txt": b"...", ...}
    make_archive(tmp_path / "run.tar.gz", ...)      -> the Path of a .tar.gz, .tar or .zip with these files

Both take the same keyword arguments:

    performance=1.0          factor on every phase: distinct values give distinct scores
    client_nodes=10, procs_per_node=16, version="io500-sc25", started=datetime, folder="results/<time>"
    format="c"               or "shell", the script used until 2020 (no hashes, three decimals, underscores)
    random_read=True         with the unscored ior-rnd4K-easy-read
    options={}               {(section, option): value} set in the configuration; the config hash follows

To break it:

    values={"find": "nan"}   another text for a phase, everywhere, with score and hashes to match where they can
    seconds={"ior-easy-write": 120.0}   another duration
    short="ior-easy-write"   that write phase stopped after 120 s
    invalid=("find",)        marked [INVALID], and the score with it
    missing="find"           phase absent everywhere; the score is still that of all phases
    reordered=True           two phases changed places
    edited_phase="find"      its value raised in both files and in no other place: score and hash stay
    edited_summary=True      the total in result_summary.txt raised, result.txt untouched
    edited_hash=True         another score hash
    scc=True                 the option scc = TRUE
    truncated=True           result.txt ends in the middle
    product=True             the total printed without the root, as in 2017
    without=("result.txt",)  files left out, by their name
    extra={"path": b""}      files added or replaced

What is read, looked at and deleted is what was written: a phase with another value takes another time. The score and
hashes are computed here once more, independently of the validators.
"""

from __future__ import annotations

import gzip
import io
import math
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

GIB_PHASES = ("ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read")
KIOPS_PHASES = (
    "mdtest-easy-write",
    "mdtest-hard-write",
    "find",
    "mdtest-easy-stat",
    "mdtest-hard-stat",
    "mdtest-easy-delete",
    "mdtest-hard-read",
    "mdtest-hard-delete",
)
PHASES = {
    "ior-easy-write": (48.25, 331.5),
    "mdtest-easy-write": (410.5, 322.75),
    "timestamp": (0.0, 0.002),
    "ior-hard-write": (3.125, 318.25),
    "mdtest-hard-write": (92.75, 327.5),
    "find": (2210.5, 74.75),
    "ior-easy-read": (61.5, 260.25),
    "mdtest-easy-stat": (905.25, 146.5),
    "ior-hard-read": (12.75, 78.25),
    "mdtest-hard-stat": (640.5, 47.5),
    "mdtest-easy-delete": (301.25, 440.25),
    "mdtest-hard-read": (211.5, 143.75),
    "mdtest-hard-delete": (84.25, 360.5),
    "ior-rnd4K-easy-read": (1.75, 305.25),
}
"""Values at performance 1 in GiB/s or kIOPS, and seconds, in the order in which io500 runs them."""

DEFAULT_CONFIG_HASH = {"io500-sc25": 0x9736CCCB, "io500-sc24": 0x973FB172, "io500-isc21": 0xCB957A4B}
"""The hash of a configuration that sets nothing, as these releases print it."""
DEFAULTS = {
    ("global", "datadir"): "./datafiles",
    ("global", "resultdir"): "./results",
    ("global", "api"): "POSIX",
    ("global", "drop-caches"): "FALSE",
    ("global", "scc"): "FALSE",
    ("global", "dataPacketType"): "timestamp",
    ("debug", "stonewall-time"): "300",
    ("ior-easy", "transferSize"): "2m",
    ("ior-easy", "blockSize"): "9920000m",
    ("ior-easy", "filePerProc"): "TRUE",
    ("mdtest-easy", "n"): "1000000",
    ("ior-hard", "segmentCount"): "10000000",
    ("mdtest-hard", "n"): "1000000",
}
MDTEST_ROWS = {"write": "File creation", "stat": "File stat", "read": "File read", "delete": "File removal"}
MIB_PER_GIB = 1024
MEAN_OF_MOST = 0.75
"""What a rank did at the stonewall on average, of what the fastest did."""


@dataclass
class Plan:
    """The arguments of make_run, in the module docstring."""

    performance: float = 1.0
    client_nodes: int = 10
    procs_per_node: int = 16
    version: str = "io500-sc25"
    started: datetime = datetime(2025, 10, 1, 9, 0, 0)
    folder: str | None = None
    format: str = "c"
    random_read: bool = True
    options: Mapping[tuple[str, str], str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    short: str = ""
    invalid: Iterable[str] = ()
    missing: str = ""
    reordered: bool = False
    edited_phase: str = ""
    edited_summary: bool = False
    edited_hash: bool = False
    scc: bool = False
    truncated: bool = False
    product: bool = False
    without: Iterable[str] = ()
    extra: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def home(self) -> str:
        return self.folder if self.folder is not None else f"results/{self.started:%Y.%m.%d-%H.%M.%S}"

    @property
    def tasks(self) -> int:
        return self.client_nodes * self.procs_per_node


@dataclass
class Step:
    """One phase of the run that is made; `text` is its value as printed."""

    name: str
    text: str
    seconds: float
    begin: datetime
    invalid: bool
    work: float = 0.0
    """GiB or thousands of items: what the write phase of its kind made."""

    @property
    def busy(self) -> float:
        """Seconds as the tool prints them: what was worked over the value."""
        return self.work / float(self.text) if self.work and _finite(self.text) and float(self.text) else self.seconds

    @property
    def end(self) -> datetime:
        return self.begin + timedelta(seconds=self.seconds)

    @property
    def is_bandwidth(self) -> bool:
        return self.name.startswith("ior")


def score_of(values: Mapping[str, float]) -> tuple[float, float, float]:
    """Bandwidth, rate and score of phase values, computed with plain roots."""
    bandwidth = math.prod(values[name] for name in GIB_PHASES) ** (1 / 4)
    rate = math.prod(values[name] for name in KIOPS_PHASES) ** (1 / 8)
    return bandwidth, rate, math.sqrt(bandwidth * rate)


def pair_hash(key: str, value: str) -> int:
    """The 32-bit hash of a key and a value: rotate left by two, add the next byte."""
    state = 0
    for byte in (key + value).encode():
        rotated = (state * 4) % 2**32 + state // 2**30
        state = (rotated + (byte if byte < 128 else byte - 256)) % 2**32
    return state


def make_run(**changes: object) -> dict[str, bytes]:
    """The files of one run by path."""
    plan = Plan(**changes)  # type: ignore[arg-type]
    if plan.short:
        plan.seconds = {**plan.seconds, plan.short: 120.0}
    steps = _steps(plan)
    scores = _printed_score(plan, steps)
    steps = [step for step in steps if step.name != plan.missing]
    if plan.reordered:
        steps[1], steps[-2] = steps[-2], steps[1]
    if plan.edited_phase:
        edited = next(step for step in steps if step.name == plan.edited_phase)
        edited.text = _text(plan, float(edited.text) * 1.5)
    files = _c_files(plan, steps, scores) if plan.format == "c" else _shell_files(plan, steps, scores)
    files = {name: content for name, content in files.items() if name.rsplit("/", 1)[-1] not in tuple(plan.without)}
    return {**files, **plan.extra}


def make_archive(path: Path, **changes: object) -> Path:
    """An archive with the files of make_run; its kind follows from the name. The same arguments give the same bytes."""
    return pack(path, make_run(**changes))


def pack(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write files by path as .zip, .tar or .tar.gz, without any time in it."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return path
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    content = buffer.getvalue()
    path.write_bytes(content if path.suffix == ".tar" else gzip.compress(content, mtime=0))
    return path


def _text(plan: Plan, value: float) -> str:
    return f"{value:.6f}" if plan.format == "c" else f"{value:.3f}"


def _steps(plan: Plan) -> list[Step]:
    steps = []
    begin = plan.started
    for name, (value, seconds) in PHASES.items():
        if name == "ior-rnd4K-easy-read" and (not plan.random_read or plan.format == "shell"):
            continue
        if name == "timestamp" and plan.format == "shell":
            continue
        text = plan.values.get(name, _text(plan, value * plan.performance))
        lasts = plan.seconds.get(name, seconds * _longer(plan, name, text))
        step = Step(name, text, lasts, begin, name in tuple(plan.invalid), _work(plan, name, text, lasts))
        steps.append(step)
        begin = step.end
    return steps


def _value(plan: Plan, name: str) -> float:
    """The value that a phase gets; its usual one where that is no positive number."""
    usual = PHASES[name][0] * plan.performance
    text = plan.values.get(name, "")
    return float(text) if _finite(text) and float(text) > 0 else usual


def _written(plan: Plan, name: str) -> float:
    """GiB or thousands of items that a write phase makes."""
    return _value(plan, name) * plan.seconds.get(name, PHASES[name][1])


def _sources(name: str) -> list[str]:
    """The phases that made what this one works on; none for one that makes it itself."""
    if name == "find":
        return ["mdtest-easy-write", "mdtest-hard-write"]
    stem, _, operation = name.rpartition("-")
    return (
        [f"{stem}-write"]
        if stem in ("ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard") and operation != "write"
        else []
    )


def _longer(plan: Plan, name: str, text: str) -> float:
    """How many times as long as usual a phase takes, by what was made for it and by its own value."""
    sources = _sources(name)
    if not sources:
        return 1.0
    work = sum(_written(plan, source) for source in sources)
    usual = sum(PHASES[source][0] * plan.performance * PHASES[source][1] for source in sources)
    return work / usual / (_value(plan, name) / (PHASES[name][0] * plan.performance))


def _work(plan: Plan, name: str, text: str, seconds: float) -> float:
    sources = _sources(name)
    if name == "find" or not _finite(text):
        return 0.0
    return sum(_written(plan, source) for source in sources) if sources else float(text) * seconds


def _printed_score(plan: Plan, steps: list[Step]) -> dict[str, str]:
    """The three texts of the score block; those of a run that cannot be scored are zero."""
    try:
        bandwidth, rate, total = score_of({step.name: float(step.text) for step in steps})
    except (ValueError, TypeError):
        bandwidth = rate = total = 0.0
    if isinstance(total, complex) or not all(map(math.isfinite, (bandwidth, rate, total))):
        bandwidth = rate = total = 0.0
    if plan.product:
        total = bandwidth * rate
    digits = "{:.6f}" if plan.format == "c" else "{:.6g}"
    return {"BW": digits.format(bandwidth), "MD": digits.format(rate), "SCORE": digits.format(total)}


def _mark(invalid: bool) -> str:
    return " [INVALID]" if invalid else ""


def _c_files(plan: Plan, steps: list[Step], scores: dict[str, str]) -> dict[str, bytes]:
    home = plan.home
    options = dict(plan.options)
    if plan.scc:
        options["global", "scc"] = "TRUE"
    files = {
        "job.sh": "#!/bin/bash\nmpiexec ./io500 config.ini\n",
        "job.out": "IO500 ran.\n",
        f"{home}/result_summary.txt": _c_summary(plan, steps, scores),
        f"{home}/result.txt": _result(plan, steps, scores, options),
        f"{home}/config.ini": _ini({**DEFAULTS, **options}),
        f"{home}/config-orig.ini": "# what differs from the defaults\n" + _ini(options),
        f"{home}/timestampfile": "",
    }
    for step in steps:
        if step.name.startswith("ior"):
            files[f"{home}/{step.name}.txt"] = _ior_text(plan, step)
        elif step.name.startswith("mdtest"):
            files[f"{home}/{step.name}.txt"] = _mdtest_text(plan, step)
        elif step.name == "find" and _finite(step.text):
            files[f"{home}/find.csv"] = _find_table(plan, step)
    return {name: text.encode() for name, text in files.items()}


def _find_table(plan: Plan, step: Step) -> str:
    """What each rank saw and matched; the first one the rest."""
    files = round(float(step.text) * 1000 * step.seconds)
    lines = [f"runtime: {step.seconds:.6f} rate: {files / step.seconds:.6f}", "rank, errors, unknown, found, total"]
    (matches, matches_left), (total, total_left) = (divmod(count, plan.tasks) for count in (_matches(plan), files))
    lines.append(f"0, 0, 0, {matches + matches_left}, {total + total_left}")
    lines += [f"{rank}, 0, 0, {matches}, {total}" for rank in range(1, plan.tasks)]
    return "\n".join([*lines, ""])


def _matches(plan: Plan) -> int:
    """The files of mdtest-hard, named after rank and number, that have 01 in one of them."""
    hard = next((step for step in _steps(plan) if step.name == "mdtest-hard-write"), None)
    each = (_hits(plan, hard) if hard and hard.work > 0 else 0) or 1000
    ranks, numbers = (_with_01(count) for count in (plan.tasks, each))
    return ranks * each + (plan.tasks - ranks) * numbers


@cache
def _with_01(count: int) -> int:
    """How many numbers below `count` have 01 in them: in all digits but the last, or where a 1 follows a last 0."""
    if count <= 101:
        return 0
    tens, units = divmod(count, 10)
    ending_in_0 = (tens - 1) // 10 + 1
    followed_by_1 = ending_in_0 - 1 - _with_01(ending_in_0)
    if "01" in str(tens):
        in_last_ten = units
    else:
        in_last_ten = int(tens % 10 == 0 and units > 1)
    return 10 * _with_01(tens) + followed_by_1 + in_last_ten


def _finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _c_summary(plan: Plan, steps: list[Step], scores: dict[str, str]) -> str:
    lines = [f"IO500 version {plan.version} (standard)"]
    for step in steps:
        tag = "[      ]" if step.name in ("timestamp", "ior-rnd4K-easy-read") else "[RESULT]"
        unit = "GiB/s" if step.is_bandwidth else "kIOPS"
        head = f"{tag} {step.name:>20} {step.text:>15} {unit}"
        lines.append(f"{head} : time {step.seconds:.3f} seconds{_mark(step.invalid)}")
    total = f"{float(scores['SCORE']) * 2:.6f}" if plan.edited_summary else scores["SCORE"]
    marked = any(step.invalid for step in steps)
    lines.append(f"[SCORE ] Bandwidth {scores['BW']} GiB/s : IOPS {scores['MD']} kiops : TOTAL {total}{_mark(marked)}")
    return "\n".join(lines) + "\n"


def _result(plan: Plan, steps: list[Step], scores: dict[str, str], options: Mapping[tuple[str, str], str]) -> str:
    lines = [
        "[run]",
        f"procs           = {plan.tasks}",
        f"version         = {plan.version}",
        f"config-hash     = {_config_hash(plan, options):X}",
        f"result-dir      = ./{plan.home}",
        "mode            = standard",
        f"; START {plan.started:%Y-%m-%d %H:%M:%S}",
        "",
    ]
    for step in steps:
        lines += ["", f"[{step.name}]", f"t_start         = {step.begin:%Y-%m-%d %H:%M:%S}"]
        lines += _result_values(plan, step)
        lines += [f"t_delta         = {step.seconds:.4f}", f"t_end           = {step.end:%Y-%m-%d %H:%M:%S}"]
    marked = any(step.invalid for step in steps)
    digest = _score_hash(plan, steps, scores, marked) ^ (0xFF if plan.edited_hash else 0)
    lines += ["", "[SCORE]", f"MD              = {scores['MD']}", f"BW              = {scores['BW']}"]
    lines += [f"SCORE           = {scores['SCORE']}{_mark(marked)}", f"hash            = {digest:X}"]
    lines += [f"; END {steps[-1].end:%Y-%m-%d %H:%M:%S}", ""]
    text = "\n".join(lines)
    return text[: len(text) * 3 // 5] if plan.truncated else text


def _result_values(plan: Plan, step: Step) -> list[str]:
    if step.name == "timestamp":
        return []
    lines = [f"exe             = {_command(plan, step)}"]
    if step.name == "find":
        files = round(float(step.text) * 1000 * step.seconds) if _finite(step.text) else 0
        lines += [
            f"nproc           = {plan.tasks}",
            f"found           = {_matches(plan) if files else 0}",
            f"total-files     = {files}",
        ]
    if step.name.endswith("-write") and step.work > 0 and _finite(step.text):
        hits, stopped = _hits(plan, step), _stopped(plan, step)
        if step.is_bandwidth and hits:
            moved = hits * MEAN_OF_MOST * plan.tasks * _transfer(plan, step)[0] / 2**30
            lines.append(f"throughput-stonewall = {moved / stopped:.2f}")
        elif hits:
            lines.append(f"rate-stonewall  = {hits * MEAN_OF_MOST * plan.tasks / stopped / 1000:.6f}")
    if step.invalid:
        lines.append("; ERROR INVALID Runtime is smaller than expected minimum runtime")
    return [*lines, f"score           = {step.text}"]


def _stonewall(plan: Plan) -> str:
    return dict(plan.options).get(("debug", "stonewall-time"), "30" if plan.scc else "300")


def _stopped(plan: Plan, step: Step) -> float:
    """Seconds after which the ranks stopped to write what they liked; those that were done before do not count."""
    return min(float(_stonewall(plan)) + 0.1, step.busy)


def _option(plan: Plan, section: str, name: str) -> str:
    return {**DEFAULTS, **dict(plan.options)}[section, name]


def _transfer(plan: Plan, step: Step) -> tuple[int, int, int]:
    """Bytes of a transfer and of a block, and segments."""
    if "hard" in step.name:
        return 47008, 47008, int(_option(plan, "ior-hard", "segmentCount"))
    scales = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
    sizes = [_option(plan, "ior-easy", name) for name in ("transferSize", "blockSize")]
    transfer, block = (int(size.rstrip("kmgt")) * scales.get(size[-1], 1) for size in sizes)
    return transfer, block, 1


def _hits(plan: Plan, step: Step) -> int:
    """Transfers or items of the rank that did the most; 0 where they would be too few to count by."""
    unit = _transfer(plan, step)[0] / 2**30 if step.is_bandwidth else 0.001
    most = round(step.work / unit / plan.tasks)
    return most if most >= 1000 or not step.is_bandwidth else 0


def _command(plan: Plan, step: Step) -> str:
    data = f"./datafiles/{plan.started:%Y.%m.%d-%H.%M.%S}"
    if step.name == "find":
        return f"./pfind {data} -newer ./{plan.home}/timestampfile -size 3901c -name *01* -C -q 10000"
    tool, kind, operation = step.name.split("-", 2)
    stonewall, api = _stonewall(plan), _option(plan, "global", "api")
    if tool == "ior":
        easy = kind != "hard"
        transfer, block = (_option(plan, "ior-easy", name) for name in ("transferSize", "blockSize"))
        segments = _option(plan, "ior-hard", "segmentCount")
        size = f"-t {transfer} -b {block} -F" if easy else f"-t 47008 -b 47008 -s {segments}"
        action = f"-w -D {stonewall} -O stoneWallingWearOut=1" if operation == "write" else "-r -R"
        target = f"{data}/ior-easy/ior_file_easy" if easy else f"{data}/ior-hard/file"
        return f"./ior --dataPacketType=timestamp -C -Q 1 -g -G 271 -k -e -o {target} {size} {action} -a {api}"
    each = _option(plan, f"mdtest-{kind}", "n")
    size = f"-n {each} -u -L -F" if kind == "easy" else f"-n {each} -t -w 3901 -e 3901 -F"
    action = {"write": f"-C -Y -W {stonewall}", "stat": "-T", "read": "-E -X", "delete": "-r"}[operation]
    return f"./mdtest --dataPacketType=timestamp {size} -P -G=271 -N 1 -d {data}/mdtest-{kind} {action} -a {api}"


def _ini(options: Mapping[tuple[str, str], str]) -> str:
    lines: list[str] = []
    section = None
    for (name, option), value in sorted(options.items()):
        if name != section:
            lines += ["", f"[{name}]"]
            section = name
        lines.append(f"{option} = {value}")
    return "\n".join(lines) + "\n"


def _config_hash(plan: Plan, options: Mapping[tuple[str, str], str]) -> int:
    matching_hashes = [digest for tag, digest in DEFAULT_CONFIG_HASH.items() if plan.version.startswith(tag)]
    combined = matching_hashes[0] if matching_hashes else DEFAULT_CONFIG_HASH["io500-sc25"]
    for key, value in options.items():
        combined ^= pair_hash(key[1], DEFAULTS[key]) ^ pair_hash(key[1], value)
    return combined


def _score_hash(plan: Plan, steps: list[Step], scores: dict[str, str], invalid: bool) -> int:
    combined = pair_hash("version", plan.version)
    for step in _steps(plan):
        if step.name in (*GIB_PHASES, *KIOPS_PHASES) and step.name != plan.missing:
            combined ^= pair_hash(step.name, step.text)
    for key, value in scores.items():
        combined ^= pair_hash(key, value)
    return combined ^ (pair_hash("valid", "NO") if invalid else 0)


def _ior_text(plan: Plan, step: Step) -> str:
    operation = step.name.rsplit("-", 1)[-1]
    mib = float(step.text) * MIB_PER_GIB if _finite(step.text) else 0.0
    (transfer, block, segments), hits = _transfer(plan, step), _hits(plan, step)
    rate = mib * 2**20 / transfer
    table = (
        f"{operation:<9} {mib:<10.2f} {rate:.2f} {plan.tasks / rate if rate else 0:.6f} {block / 1024:.2f} "
        f"{transfer / 1024:.2f} 0.01 {step.busy:.2f} 0.01 {step.busy:.2f} 0"
    )
    expected = f"WARNING: Expected aggregate file size       = {block * segments * plan.tasks}"
    counted = f"WARNING: Using actual aggregate bytes moved = {round(step.work * 2**30)}"
    moved = [expected, counted] if step.work > 0 else []
    if moved and hits and operation == "write":
        least, mean = round(hits * 0.5), hits * MEAN_OF_MOST
        data = f"min data: {least * transfer / 2**30:.1f} GiB mean data: {mean * transfer / 2**30:.1f} GiB"
        stopped = f"stonewalling pairs accessed min: {least} max: {hits} -- {data} time: {_stopped(plan, step):.1f}s"
        moved = [stopped, *moved]
    command = _command(plan, step)
    return "\n".join(
        [
            "IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O",
            f"Began               : {step.begin:%a %b %d %H:%M:%S %Y}",
            f"Command line        : {command}",
            "Machine             : Linux node001",
            f"StartTime           : {step.begin:%a %b %d %H:%M:%S %Y}",
            "FS                  : 1.5 PiB   Used FS: 12.5%   Inodes: 4096.0 Mi   Used Inodes: 3.5%",
            "",
            "Options: ",
            f"api                 : {_option(plan, 'global', 'api')}",
            f"test filename       : {command.split(' -o ')[1].split()[0]}",
            f"segments            : {segments}",
            "ordering inter file : constant task offset",
            f"nodes               : {plan.client_nodes}",
            f"tasks               : {plan.tasks}",
            f"clients per node    : {plan.procs_per_node}",
            f"xfersize            : {transfer} bytes",
            f"blocksize           : {block} bytes",
            f"aggregate filesize  : {block * segments * plan.tasks / 2**40:.2f} TiB",
            "",
            "Results: ",
            "",
            "access    bw(MiB/s)  IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter",
            *moved,
            table,
            *(_summed_up(plan, step, mib) if plan.format == "shell" and mib else []),
            "",
        ]
    )


def _summed_up(plan: Plan, step: Step, mib: float) -> list[str]:
    """What IOR 3.2 prints below its row."""
    operation = step.name.rsplit("-", 1)[-1]
    transfer, block, segments = _transfer(plan, step)
    rate = mib * 2**20 / transfer
    return [
        f"Max {operation.capitalize()}: {mib:.2f} MiB/sec ({mib * 2**20 / 1e6:.2f} MB/sec)",
        "",
        "Summary of all tests:",
        "Operation Max(MiB) Min(MiB) Mean(MiB) StdDev Max(OPs) Min(OPs) Mean(OPs) StdDev Mean(s) Test# #Tasks tPN "
        "reps fPP reord reordoff reordrand seed segcnt blksiz xsize aggs(MiB) API RefNum",
        f"{operation} {mib:.2f} {mib:.2f} {mib:.2f} 0.00 {rate:.2f} {rate:.2f} {rate:.2f} 0.00 {step.busy:.5f} 0 "
        f"{plan.tasks} {plan.procs_per_node} 1 1 1 1 0 0 {segments} {block} {transfer} {step.work * 1024:.1f} POSIX 0",
        f"Finished            : {step.end:%a %b %d %H:%M:%S %Y}",
    ]


def _mdtest_text(plan: Plan, step: Step) -> str:
    row_name = MDTEST_ROWS[step.name.rsplit("-", 1)[-1]]
    rate = float(step.text) * 1000 if _finite(step.text) else 0.0
    rows, times = [], []
    for name in (*MDTEST_ROWS.values(), "Tree creation", "Tree removal"):
        for lines, figure in ((rows, rate), (times, step.busy)):
            value = f"{figure:14.3f}" if name == row_name else f"{0:14.3f}"
            lines.append(f"   {name:<16}{value} {value} {value} {0:14.3f}")
    each, asked_for = _hits(plan, step), int(_option(plan, "-".join(step.name.split("-")[:2]), "n"))
    hit = [f"Continue stonewall hit min: {each // 2} max: {each} avg: {each * MEAN_OF_MOST:.1f} "]
    nodemap = ("1" * plan.procs_per_node).ljust(plan.tasks, "0")
    return "\n".join(
        [
            f"-- started at {step.begin:%m/%d/%Y %H:%M:%S} --",
            "",
            f"mdtest-4.1.0+dev was launched with {plan.tasks} total task(s) on {plan.client_nodes} node(s)",
            f"Command line used: {_command(plan, step)}",
            "FS                  : 1.5 PiB   Used FS: 12.5%   Inodes: 4096.0 Mi   Used Inodes: 3.5%",
            f"Nodemap: {nodemap}",
            f"V-0: Rank   0 Line  2586 Shifting ranks by {plan.procs_per_node} for each phase.",
            f"{plan.tasks} tasks, {plan.tasks * asked_for} files",
            *(hit if step.name.endswith("-write") and each else []),
            "",
            "SUMMARY rate (in ops/sec): (of 1 iterations)",
            "   Operation                     Max            Min           Mean        Std Dev",
            "   ---------                     ---            ---           ----        -------",
            *rows,
            "",
            "SUMMARY time (in ms/op): (of 1 iterations)",
            "   Operation                     Max            Min           Mean        Std Dev",
            "   ---------                     ---            ---           ----        -------",
            *times,
            f"-- finished at {step.end:%m/%d/%Y %H:%M:%S} --",
            "",
        ]
    )


def _shell_files(plan: Plan, steps: list[Step], scores: dict[str, str]) -> dict[str, bytes]:
    home = plan.home
    lines = []
    for number, step in enumerate(steps, 1):
        kind, unit = ("BW  ", "GB/s") if step.is_bandwidth else ("IOPS", "kiops")
        name = step.name.replace("-", "_")
        time = f"time {step.seconds:6.2f} seconds"
        lines.append(f"[RESULT] {kind} phase {number:<2} {name:>24} {step.text:>20} {unit} : {time}")
    total = f"{float(scores['SCORE']) * 2:.6g}" if plan.edited_summary else scores["SCORE"]
    lines.append(f"[SCORE] Bandwidth {scores['BW']} GB/s : IOPS {scores['MD']} kiops : TOTAL {total}")
    summary = "\n".join(lines) + "\n"
    find = next((step for step in steps if step.name == "find" and _finite(step.text)), None)
    scanned = round(float(find.text) * 1000 * find.seconds) if find else 0
    matched = f"[FIND] MATCHED {_matches(plan)}/{scanned} in {find.seconds:.4f} seconds\n" if find else ""
    started = "".join(
        f"[Exec] mpirun -np {plan.tasks} -ppn {plan.procs_per_node} {_command(plan, step)}\n"
        f"[Results] in ./{home}/{step.name.replace('-', '_')}.txt.\n"
        for step in steps
        if step.name != "find"
    )
    log_of_find = f"[Exec] {_command(plan, find)}\n{matched}" if find else ""
    log = f"System:  node001\nio500_info_num_client_nodes={plan.client_nodes}\n\n{started}{log_of_find}{summary}"
    files = {
        "io500.sh": "#!/bin/bash\n",
        "job.out": "IO500 ran.\n",
        f"{home}/result_summary.txt": summary,
        f"{home}/io-500-summary.{plan.started:%Y.%m.%d-%H.%M.%S}.txt": log,
    }
    for step in steps:
        if step.name != "find":
            text = _ior_text(plan, step) if step.is_bandwidth else _mdtest_text(plan, step)
            files[f"{home}/{step.name.replace('-', '_')}.txt"] = text
    return {name: text.encode() for name, text in files.items()}
