"""The search for secrets takes ten times as long for ten times the text, whatever words a stranger filled it with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import pytest

from collectors.scrubbing import credentials, personal
from collectors.scrubbing.names import Names, placeholder

SHORT, TIMES = 8_000, 10
MOST_TIMES = 25
"""What ten times the text may take more: 10 is linear, 100 quadratic. The rest is room for a busy machine."""
TRIES = 4
UNITS = [
    "password ",
    "pass",
    "my password and the secret key of the token ",
    "secret=",
    '"password": "',
    "password[",
    "mot de passe ",
    "authorization: bearer ",
    "http://user:pass@host ",
    "curl -u a:b ",
    "mysql -p password ",
    "\\" * 7 + "password" + "\\" * 7,
    "-----BEGIN PRIVATE KEY",
    "PATH=",
]


def search_line(text: str) -> object:
    return credentials.secrets(text, None)


def search_lines(text: str) -> object:
    """All rules, with lines as they are in a log."""
    lines = [text[at : at + 80] for at in range(0, len(text), 80)]
    return list(personal.scrub_lines("log.txt", lines, Names(placeholder), Counter()))


def seconds(search: Callable[[str], object], text: str) -> float:
    """Processor time: other work of the machine counts little."""
    begun = time.process_time()
    search(text)
    return time.process_time() - begun


@pytest.mark.parametrize("search", [search_line, search_lines])
@pytest.mark.parametrize("unit", UNITS)
def test_ten_times_the_text_takes_ten_times_as_long(unit: str, search: Callable[[str], object]) -> None:
    texts = [(unit * (size // len(unit) + 1))[:size] for size in (SHORT, SHORT * TIMES)]
    search(texts[0])  # the first search of a process compiles what it needs
    growths = []
    for _ in range(TRIES):
        short_s, long_s = min(seconds(search, texts[0]) for _ in range(3)), seconds(search, texts[1])
        growths.append(long_s / max(short_s, 0.0005))
        if growths[-1] <= MOST_TIMES:
            return
    pytest.fail(f"{TIMES} times the text takes {min(growths):.1f} times as long")


@pytest.mark.parametrize(
    "line",
    [
        "password{}= Hunter2!x",
        "mot de passe{} : Hunter2!x",
        "пароль{}=Hunter2!x",
        'db_password_main\\"] (of prod) {}=> "Hunter2!x"',
        "token%3dHunter2!x{}",
        "secret&#61;Hunter2!x{}",
        "secret->Hunter2!x{}",
        "a.b-c_password\\\\u003dHunter2!x{}",
        "密码\uff1aHunter2!x{}",
        "x" * 300 + "_password={}Hunter2!x",
        'x = "password{}"; password = "Hunter2!x"',
    ],
)
@pytest.mark.parametrize("between", ["", " ", "   "])
def test_signs_between_name_and_value_hide_no_secret(line: str, between: str) -> None:
    scrubbed, count = credentials.secrets(line.format(between), None)
    assert count and "Hunter2" not in scrubbed, scrubbed
