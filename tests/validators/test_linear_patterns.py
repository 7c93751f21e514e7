"""No regular expression that reads what strangers send takes more than twice the time for twice the text.

Every pattern of the code is collected, so a new one is looked at without a word here. One that was measured before
and has not changed is measured again in deep runs only.
"""

from __future__ import annotations

import re

import pytest

from tests import pumping

PACKAGES = ("validators", "submissions")
MADE_WHILE_RUNNING = {
    "validators/benchmarks/darshan/parser.py": "called with patterns of the same file, which are looked at below",
    "validators/bundle/secret_scan.py": "forms of credential-forms.1.json, found as the values of modules",
    "validators/quantities.py": "names of statistics in quantities.json; looked at below",
    "validators/launcher_output.py": "a launcher's label, whose letters are escaped and whose figures are bounded",
    "validators/scrubbing/credentials.py": "forms of credential-forms.1.json, found as the values of modules",
    "validators/reading/cleaning.py": "labels put together from kinds of the same file; looked at below",
    "validators/reading/outlines.py": "lines.json of the benchmarks; looked at below",
    "validators/scrubbing/late_patterns.py": "patterns of its makers, compiled before they are looked for",
    "validators/scrubbing/names.py": "names of hosts and users, escaped",
    "validators/runs/printed_at.py": "words of printed_at.json and a value of a run, escaped",
    "validators/signs.py": "patterns of Sign, found as the values of modules",
}
"""Files that call `re` with what is not written there, and why each is harmless."""
OF_DARSHAN = (r"\d{1,3}\.\d{1,4}", r"[\w.+-]{1,80}")
LABELS = ("[0] ", "0: ", "[1,0]<stdout>: ", "node17.example: ")
TRIES = 3
OLD_ELBENCHO = r" +(?P<what>\S{1,20})(?P<read> rd| wr)? latency +: \[ min=(?P<min>\S{1,20})"


def slowness(pattern):
    """What is slow for a pattern each time that it is measured: a busy machine disturbs one measurement or two."""
    reason = ""
    for _ in range(TRIES):
        if not (reason := pumping.slowness(pattern)):
            break
    return reason


@pytest.mark.parametrize("package", PACKAGES)
def test_twice_the_text_takes_no_more_than_twice_the_time(package, request):
    patterns = pumping.patterns(package)
    assert len(patterns) > 5  # the collecting itself works
    linear_before = set() if request.config.option.deep else pumping.measured_patterns()
    unmeasured = [pattern for pattern in patterns if pumping.digest_of(pattern) not in linear_before]
    slow = [reason for pattern in unmeasured if (reason := slowness(pattern))]
    assert not slow, "\n".join(slow)


@pytest.mark.parametrize("package", PACKAGES)
def test_patterns_that_are_made_while_running_are_known(package):
    unknown = [place for place in pumping.unreadable_calls(package) if place.split(":")[0] not in MADE_WHILE_RUNNING]
    assert not unknown


def test_labels_of_launchers_make_linear_patterns():
    from validators.launcher_output import label_before

    patterns = [label_before(label) for label in LABELS]
    slow = [
        reason for pattern in patterns if (reason := slowness(pumping.Pattern("label", pattern, frozenset({"sub"}))))
    ]
    assert not slow


def test_names_of_statistics_are_linear_patterns():
    from validators import quantities

    compiled = [statistic.pattern for statistic in quantities.list_statistics() if statistic.pattern]
    assert len(compiled) > 1
    slow = [slowness(pumping.Pattern("statistic", pattern, frozenset({"fullmatch"}))) for pattern in compiled]
    assert not any(slow)


def test_patterns_of_line_labels_are_linear():
    from tests.validators.reading.test_reading import LABELS as STAMPS
    from validators.reading import cleaning

    labels = [label for label in (*map(cleaning.decoration, STAMPS.values()), *cleaning._KINDS) if label]
    assert len(labels) > 15
    assert not list(filter(None, (slowness(pumping.Pattern("label", label, frozenset({"sub"}))) for label in labels)))


def test_the_lines_that_a_tool_names_make_linear_patterns():
    from validators import catalogue

    outlines = [benchmark.outline for benchmark in catalogue.benchmarks()]
    searched = [banner.pattern for outline in outlines for banner in outline.banners]
    searched += [outline.required for outline in outlines if outline.required]
    matched = [pattern for outline in outlines for pattern in (*outline.ignored, outline.preface) if pattern]
    patterns = [pumping.Pattern("lines.json", pattern, frozenset({"search"})) for pattern in searched]
    patterns += [pumping.Pattern("lines.json", pattern, frozenset({"match"})) for pattern in matched]
    assert len(patterns) > 20
    assert not list(filter(None, map(slowness, patterns)))


def test_names_that_are_given_make_a_linear_pattern():
    from validators.scrubbing.personal import Names

    names = Names()
    names.give(["carol", "ca.rol"], ["node-1", "aaaa", "aaaa.aaaa"])
    assert not slowness(pumping.Pattern("names", names.given, frozenset()))


@pytest.mark.parametrize(
    "slow",
    [
        pytest.param(OLD_ELBENCHO, marks=pytest.mark.deep),  # a minute of measuring
        r"\s+$",
        pytest.param(r"^(\w+) (.*?)\s*(?:\((\w+)\))?\s*$", marks=pytest.mark.deep),
        r"(?:[\"',]*(?:m-[0-9a-f]{8}|<[a-z-]+>)[\"',]*)+$",
        r"(a|a)*b",
        r"\d+\.\d{3}",
    ],
)
def test_a_pattern_that_is_not_linear_is_noticed(slow):
    assert slowness(pumping.Pattern("here", re.compile(slow), frozenset()))


def test_a_pattern_that_changes_is_measured_again():
    before = pumping.Pattern("here", re.compile("a+b"), frozenset({"search"}))
    after = (
        pumping.Pattern("here", re.compile("a+c"), before.uses),
        pumping.Pattern("here", re.compile("a+b", re.IGNORECASE), before.uses),
        pumping.Pattern("here", before.compiled, frozenset({"match"})),
    )
    assert pumping.digest_of(before) not in {pumping.digest_of(pattern) for pattern in after}
    moved = pumping.Pattern("there", before.compiled, before.uses)
    assert pumping.digest_of(moved) == pumping.digest_of(before)


@pytest.mark.parametrize("linear", [r"^ +x$", r"(?<!\d)\d+\.\d{3}", r"a{1,40}b", r"(?:ab|cd){0,9}e"])
def test_a_linear_pattern_is_let_through(linear):
    assert not slowness(pumping.Pattern("here", re.compile(linear), frozenset()))


def test_anchored_patterns_may_begin_with_a_repeat():
    spaces = re.compile(r"\s+x")
    assert slowness(pumping.Pattern("here", spaces, frozenset({"search"})))
    assert not slowness(pumping.Pattern("here", spaces, frozenset({"match", "fullmatch"})))
