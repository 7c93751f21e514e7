"""What every tool that prints one output shares: numbers are numbers or are refused with the reason."""

import pytest

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
def test_what_is_no_number_is_refused_with_its_line(text, word):
    with pytest.raises(Refusal) as refused:
        printed_number(text, 7)
    assert (refused.value.word, refused.value.line) == (word, 7)
