"""The collector's canonical form is the registry's, by the vectors of RFC 8785 and by chance."""

import json
import math
import random
import struct

import pytest

from collectors.server.log import canonical_form, parts
from registry.log.canonical_form import canonical_text
from tests.registry.log.test_canonical_form import NUMBERS


def double_of(bits):
    return struct.unpack(">d", bits)[0]


@pytest.mark.parametrize("bits", NUMBERS)
def test_numbers_are_printed_as_the_standard_prints_them(bits):
    assert canonical_form.number_text(double_of(bytes.fromhex(bits))) == NUMBERS[bits]


def test_any_number_is_printed_as_the_registry_prints_it():
    source = random.Random(8785)
    numbers = [double_of(source.getrandbits(64).to_bytes(8, "big")) for _ in range(5000)]
    for number in [*filter(math.isfinite, numbers), 1.0, 100.0, 2**53, 2**53 + 1, -(2**60)]:
        assert canonical_form.canonical_text(number) == canonical_text(number)


def test_texts_and_names_are_written_as_the_registry_writes_them():
    document = {
        "\u20ac": [1, 2.5, None, True, {}],
        "\U0001f600": '\x00\x1f"\\/\x7f\u2028',
        "a": [],
        "\ufb33": "\b\t\n\f\r",
    }
    assert canonical_form.canonical_text(document) == canonical_text(document)


@pytest.mark.parametrize(
    "document",
    [
        {"results": ["\ud800"]},
        {"results": [float("inf")]},
        {"results": json.loads("[" * 900 + "]" * 900)},
        {"results": []},
    ],
)
def test_documents_with_another_digest_or_none_do_not_match_the_log(document):
    assert parts.is_as_logged("0" * 64, document, parts.OF_RESULT[0]) is False
