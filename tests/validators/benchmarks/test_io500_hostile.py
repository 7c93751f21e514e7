"""Whatever is in the files: the parser answers and never raises.

Long input is so long that whoever reads it again from each of its places takes hours: the test runner ends that.
"""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.make_io500 import make_run
from validators.benchmarks.io500 import parser, rules
from validators.benchmarks.io500.phases import number
from validators.benchmarks.io500.score import compute, definition
from validators.bundle import ArchiveEntry, Bundle, open_bundle
from validators.rules import Context
from validators.scoring import ScoreError, geometric_mean

HOME = "results/2025.10.01-09.00.00"
READ_FILES = (
    "result.txt",
    "result_summary.txt",
    "config.ini",
    "ior-easy-write.txt",
    "mdtest-hard-stat.txt",
    "find.csv",
)
GOOD = {format: make_run(format=format) for format in ("c", "shell")}


def bundle_of(files):
    """An opened bundle of these files, without an archive in between."""
    bundle = Bundle()
    offset = 0
    for path, content in files.items():
        bundle._spool.write(content)
        bundle.files[path] = ArchiveEntry(len(content), offset)
        offset += len(content)
    return bundle


def judge(files):
    """Everything that a check does with these files; closes the bundle."""
    bundle = bundle_of(files)
    try:
        reading = parser.find_runs(bundle)
        for run in reading.runs:
            parser.explain(run)
            stored = json.dumps(run.as_json(), allow_nan=False)
            assert "\\u0000" not in stored  # PostgreSQL stores none
            context = Context(bundle, {"client_nodes": 3}, {"slug": "SC25"}, "ten")
            for rule in rules.RULES:
                assert rule.evaluate(run, context).why
            rules.findings(run, context)
        return reading
    finally:
        bundle.close()


def mutate(content, seed):
    """Cut, flip, shuffle, repeat or poison the content."""
    chance = random.Random(seed)
    lines = content.split(b"\n")
    kind = chance.randrange(7)
    if kind == 0:
        return content[: chance.randrange(len(content) + 1)]
    if kind == 1:
        at = chance.randrange(max(len(content), 1))
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    if kind == 2:
        chance.shuffle(lines)
        return b"\n".join(lines)
    if kind == 3:
        return b"\n".join(line for line in lines if chance.random() < 0.8)
    if kind == 4:
        poison = chance.choice([b"nan", b"-inf", b"1e999", b"-1", b"0x1p3", b"\0", b"", b"9" * 5000, b"1_0", b"\xff"])
        words = content.split(b" ")
        words[chance.randrange(len(words))] = poison
        return b" ".join(words)
    if kind == 5:
        return content * chance.randrange(2, 4)
    return content.replace(b"=", b"", chance.randrange(1, 9))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["c", "shell"]))
def test_mutated_runs_are_read_or_refused(seed, format):
    chance = random.Random(seed)
    files = dict(GOOD[format])
    for path in chance.sample(sorted(files), 3):
        files[path] = mutate(files[path], chance.random())
    judge(files)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(READ_FILES), st.binary(max_size=600), min_size=1))
def test_any_bytes_in_any_file(contents):
    judge({**GOOD["c"], **{f"{HOME}/{name}": content for name, content in contents.items()}})
    judge({f"x/{name}": content for name, content in contents.items()})


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_as_a_value(text):
    clean = text.replace("\n", " ")
    judge(make_run(values={"find": clean}))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(sorted(GOOD["c"])), unique=True))
def test_any_part_of_the_files(left_out):
    judge({path: content for path, content in GOOD["c"].items() if path not in left_out})


@pytest.mark.parametrize(
    "content",
    [
        b"[RESULT] " * 200_000,
        b"[RESULT]" + b" " * 1_000_000 + b"x",
        b"[SCORE ] Bandwidth " + b"1" * 1_000_000,
        b"IO500 version " + b"(" * 1_000_000,
        b"IO500 version " + b" " * 1_000_000 + b"(",
        b"mdtest-" + b"a" * 1_000_000 + b" was launched with 1 total task(s) on",
        b"FS : " + b"1." * 500_000,
        b"clients = " + b"1" * 1_000_000,
        b"Command line : " + b"-o /x/ior-" * 200_000,
        b"exe = " + b"/" * 1_000_000,
        b"[" * 1_000_000,
        b"\n" * 1_000_000,
        b"[x]\n" * 250_000,
        b"[a]\nb=c\n" * 100_000,
    ],
    ids=range(14),
)
def test_long_and_repetitive_input_is_answered(content):
    files = {f"{HOME}/{name}": content for name in READ_FILES}
    judge({**GOOD["c"], **files})
    judge({"any.txt": content})


@pytest.mark.parametrize("text", ["/", " -C ", " -Q", "/ior-", "-D ", "[", "a=", "'", "find "])
def test_long_command_lines_are_answered(text):
    path = f"{HOME}/result.txt"
    lines = GOOD["c"][path].decode().split("\n")
    long = [f"exe = {text * (500_000 // len(text))}" if line.startswith("exe ") else line for line in lines]
    judge({**GOOD["c"], path: "\n".join(long).encode()})


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("result_summary.txt", "[RESULT] ior-{}-write 1.0 GiB/s : time 301.0 seconds"),
        ("result_summary.txt", "[RESULT] find 1.0 kIOPS : time {} seconds"),
        ("result_summary.txt", "[RESULT] {}"),
        ("result.txt", "[ior-{}]\nscore = nan"),
        ("result.txt", "; ERROR INVALID {}"),
        ("config.ini", "option{} = 1"),
    ],
)
def test_many_lines_make_few_findings(name, line):
    content = "\n".join(line.format(number) for number in range(4_000_000 // len(line))).encode()
    reading = judge({**GOOD["c"], f"{HOME}/{name}": content})
    assert len(reading.runs[0].findings) < 1000


def test_many_folders_are_refused():
    files = {f"{number}/{name}": GOOD["c"][f"{HOME}/{name}"] for number in range(101) for name in READ_FILES}
    reading = judge(files)
    assert [finding.code for finding in reading.findings] == ["io500.too-many-runs"]


positive = st.floats(min_value=1e-6, max_value=1e9, allow_nan=False)


@given(st.lists(positive, min_size=1, max_size=20), positive)
def test_the_geometric_mean_scales_with_its_values(values, factor):
    mean = geometric_mean(values)
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)
    assert geometric_mean([value * factor for value in values]) == pytest.approx(mean * factor, rel=1e-9)


@given(st.lists(st.floats(), max_size=5), st.sampled_from([0.0, -1.0, float("nan"), float("inf"), float("-inf")]))
def test_a_mean_of_invalid_values_is_refused(values, wrong):
    with pytest.raises(ScoreError):
        geometric_mean([*values, wrong])


@given(st.permutations(definition("io500-2018").phases), st.data())
def test_the_score_does_not_depend_on_the_order_and_needs_every_phase(order, data):
    values = {name: data.draw(positive) for name in order}
    score = compute(values, definition("io500-2018"))
    assert score.value == pytest.approx((score.bandwidth_gib_per_s * score.rate_kiops) ** 0.5)
    with pytest.raises(ScoreError):
        compute({name: value for name, value in values.items() if name != order[0]}, definition("io500-2018"))


@given(st.text())
def test_a_text_is_read_as_a_number_or_nan(text):
    assert isinstance(number(text), float)


@pytest.mark.real_data
@pytest.mark.parametrize("identifier", ["3", "55", "578", "690", "779"])
def test_mutated_published_runs(shared, identifier):
    with open_bundle(shared / "data" / "io500" / "submissions" / f"submission-{identifier}.tar.gz") as bundle:
        files = {path: bundle.read(path, 200_000) for path in bundle.files}
    for seed in range(25):
        chance = random.Random(seed)
        changed = {path: mutate(content, chance.random()) for path, content in files.items() if chance.random() < 0.5}
        judge({**files, **changed})
