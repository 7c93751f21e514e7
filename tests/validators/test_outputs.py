"""What every tool that prints one output shares: numbers are numbers or are refused with the reason."""

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_bench_hostile import TOOLS, outputs_of
from validators.checks import check
from validators.outputs import Refusal, printed_number


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0.0), ("12", 12.0), ("875.69", 875.69), ("1.5e+06", 1.5e6), (".5", 0.5), ("3.", 3.0)]
)
def test_a_printed_number_is_its_value(text, value):
    assert printed_number(text) == value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("875,69", "number-format"),
        ("1,234.56", "number-format"),
        ("1.234,56", "number-format"),
        ("", "not-a-number"),
        ("nan", "not-a-number"),
        ("-nan", "not-a-number"),
        ("inf", "not-a-number"),
        ("-1.0", "not-a-number"),
        ("1.2.3", "not-a-number"),
        ("1e300", "not-a-number"),
        ("1e999", "not-a-number"),
        ("9" * 400, "not-a-number"),
        ("٣", "not-a-number"),
        ("0x10", "not-a-number"),
    ],
)
def test_invalid_numbers_are_refused_with_their_line(text, word):
    with pytest.raises(Refusal) as refused:
        printed_number(text, 7)
    assert (refused.value.word, refused.value.line) == (word, 7)


SINGLE = [benchmark for benchmark in TOOLS if benchmark.slug in ("elbencho", "fio", "gdsio", "iozone", "lst")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("benchmark", SINGLE, ids=lambda benchmark: benchmark.slug)
def test_an_output_that_was_redirected_as_wide_characters_is_refused_by_that_name(benchmark, encoding, tmp_path):
    text = outputs_of(benchmark.slug)[0].decode()
    (tmp_path / "out.txt").write_bytes(("\ufeff" + text).encode(encoding))
    report = check(tmp_path / "out.txt")
    assert codes_of(report) == [f"{benchmark.tool}.bad-encoding"]
    assert report.status == "invalid"
