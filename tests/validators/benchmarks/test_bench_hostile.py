"""Nothing that is done to an output makes a parser raise, or lets a number through that is none."""

import json
import math
import random
import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validators import catalogue, failures
from validators.bundle import open_bundle

TOOLS = [benchmark for benchmark in catalogue.benchmarks() if benchmark.tool != "io500"]
ROUNDS = 30
"""How often the samples of a tool are changed in each of the ways, all together."""
NUMBER = re.compile(rb"\d+(?:\.\d+)?")
WORSE_NUMBERS = (
    b"nan",
    b"-1",
    b"inf",
    b"1e999",
    b"9" * 400,
    b"9" * 5000,
    b"0",
    b"",
    b"1,5",
    b"0x1F",
    b"1.2.3",
    "٣".encode(),
)
JUNK = (
    b"Test 0 started: x",
    b"TestID : 99999",
    b"9 tasks, 9 files",
    b"SUMMARY",
    b"\0\xff\xfe",
    b"[0] ",
    b"=" * 3000,
    b"{" * 2000,
    b"{" * 100_000,
    b"[" * 100_000,
    b"x" * 70_000,
    b" " * 9_000,
    b"9" * 5_000,
    b"0001-01-01T00:00:00+23:59",
    b"99999-99-99 99:99:99",
    b"1e400",
    b"\t\x1b[31m",
    b'"',
    b"\r",
    b":",
    "ä½\u2028\u202e".encode(),
)


@cache
def outputs_of(slug):
    """What the samples of a benchmark are: the content of each file that a parser is given."""
    samples = []
    for folder in sorted((catalogue.FOLDER / slug / "samples").iterdir()):
        path = folder / json.loads((folder / "expected.json").read_text())["path"]
        samples += [path.read_bytes()] if path.is_file() else []
    return samples


def made_wrong(content, chance, rounds):
    """A content cut short, with other bytes and numbers, and with lines that are gone, doubled or of something else."""
    for _ in range(rounds):
        yield content[: chance.randrange(len(content) + 1)]
        at = chance.randrange(len(content) + 1)
        yield content[:at] + chance.choice(JUNK) + content[at:]
        yield content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        yield NUMBER.sub(lambda match: chance.choice(WORSE_NUMBERS) if chance.random() < 0.1 else match[0], content)
        lines = content.split(b"\n")
        position, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        yield b"\n".join(lines[:position] + lines[position + 1 :])
        yield b"\n".join([*lines[:position], stretched(lines[position], chance), *lines[position + 1 :]])
        yield b"\n".join([*lines[:position], lines[other], *lines[position:]])
        yield b"\n".join([*lines[:position], chance.choice(JUNK) + b" 12.5 read", *lines[position:]])
    yield content.replace(b"\n", b"\r\n")
    yield content.replace(b".", b",")
    yield content.replace(b"\n", b" ")
    yield content * 3


def stretched(line, chance):
    """A line of which one word, or cell, has 70,000 characters."""
    words = re.split(rb"([ ,;:=\t\"|/]+)", line)
    words[chance.randrange(len(words))] *= 70_000
    return b"".join(words)[:500_000]


def require_sound(benchmark, content, folder):
    """The parser doesn't raise, and what it read is finite and can be said as JSON."""
    (folder / "output.txt").write_bytes(content)
    with open_bundle(folder / "output.txt") as bundle:
        reading = benchmark.find_runs(bundle)
    for run in reading.runs:
        assert all(
            math.isfinite(measurement.value) and math.isfinite(measurement.printed_value)
            for measurement in run.measurements
        )
        json.dumps(run.as_json(), allow_nan=False)
        assert failures.CODE not in [finding.code for finding in run.findings]
        benchmark.explain(run)


@pytest.mark.parametrize("benchmark", TOOLS, ids=lambda benchmark: benchmark.slug)
def test_outputs_that_are_cut_or_changed_are_read_or_refused(benchmark, tmp_path, every_nth):
    chance = random.Random(benchmark.slug)
    contents = outputs_of(benchmark.slug)
    rounds = len(every_nth(range(max(4, ROUNDS // len(contents))), 4))
    for content in contents:
        for wrong in made_wrong(content[:20_000], chance, rounds):
            require_sound(benchmark, wrong, tmp_path)


@pytest.mark.parametrize("benchmark", TOOLS, ids=lambda benchmark: benchmark.slug)
def test_random_texts_of_the_words_of_a_tool_are_read_or_refused(benchmark, tmp_path, every_nth):
    lines = sorted({line for content in outputs_of(benchmark.slug) for line in content[:20_000].split(b"\n")})
    words = sorted({word for line in lines for word in line.split()})
    piece = st.one_of(st.sampled_from(lines), st.sampled_from(words), st.binary(max_size=20), st.just(b"\n"))

    @settings(max_examples=len(every_nth(range(60), 3)), suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(piece, max_size=30), st.sampled_from([b"\n", b" ", b""]))
    def read(pieces, joint):
        require_sound(benchmark, lines[0] + b"\n" + joint.join(pieces), tmp_path)

    read()
