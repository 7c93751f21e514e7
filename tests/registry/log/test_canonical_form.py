"""The canonical form is that of RFC 8785: its own vectors, and what is ours about large integers."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
import struct

import pytest

from registry.log.canonical_form import canonical_text, number_text

# RFC 8785, appendix B: bits of a double, and how ECMAScript prints it.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_numbers_are_printed_as_ecmascript_prints_them(bits: str, text: str) -> None:
    assert number_text(struct.unpack(">d", bytes.fromhex(bits))[0]) == text


def test_a_printed_number_reads_as_the_same_number() -> None:
    drawn = random.Random(8785)
    for _ in range(5000):
        (number,) = struct.unpack(">d", drawn.randbytes(8))
        if math.isfinite(number):
            assert float(number_text(number)) == number


def test_the_example_of_the_rfc_has_the_text_of_the_rfc() -> None:
    document = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\nA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert canonical_text(document) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_ordered_by_utf16_code_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    expected = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical_text(dict.fromkeys(keys)))) == expected


def test_integers_beyond_2_to_53_are_texts() -> None:
    assert canonical_text([2**53, 2**53 + 1, -(2**53) - 1, 2**80]) == (
        f'[9007199254740992,"9007199254740993","-9007199254740993","{2**80}"]'
    )


def test_times_are_texts_in_utc() -> None:
    moment = dt.datetime(2026, 5, 1, 12, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert canonical_text([moment, dt.date(2026, 5, 1)]) == '["2026-05-01T10:30:00Z","2026-05-01"]'


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800", {"\udfff": 1}, {1}, b"x", object()])
def test_values_without_a_canonical_form_are_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical_text([value])


def test_empty_and_nested_documents_have_no_spaces() -> None:
    assert canonical_text({"b": [], "a": {}, "c": [[{"x": []}]]}) == '{"a":{},"b":[],"c":[[{"x":[]}]]}'
