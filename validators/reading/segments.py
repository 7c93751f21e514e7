"""Cut a text where the outputs of tools begin, by the banners that each of them names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from validators.bundle import HEAD_BYTES
from validators.reading.cleaning import decoration, label_like, without
from validators.reading.outlines import Banner, Outline

_LONGEST_BANNER = 4096
_NEAR_THE_START = HEAD_BYTES // 2
"""An only output with less before it is left with its preamble, where its tool may print messages."""
_MOST_PREFACE = 200
_MOST_LABELS = 200
"""Of no known kind, in one text."""
_LABELLED_LINES = 8
_MOST_TRACES = 10_000
_NUMBER_OF_LINE = re.compile(rb" {0,6}\d{1,7}:")
"""The label of a rank has a blank behind it, the number of a line in `grep -n` has none."""
_FENCES = (b"```\n", b"~~~\n")
MOST_SEGMENTS = 1000
TOO_MANY = ""
"""The tool of what stands behind that many."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The bytes from one banner to the next; `first` is the number of its first line."""

    tool: str
    begin: int
    end: int
    first: int
    label: re.Pattern[bytes] | None

    @property
    def is_near_the_start(self) -> bool:
        return self.begin < _NEAR_THE_START

    def lines(self, text: bytes) -> bytes:
        """Its own lines, without what stands before each."""
        return without(text[self.begin : self.end], self.label)

    def undecorated(self, text: bytes) -> bytes:
        """The whole text without what stands before its lines."""
        return without(text, self.label)


@dataclass(frozen=True, slots=True)
class _Hit:
    begin: int
    outline: Outline
    banner: Banner
    label: re.Pattern[bytes] | None


def segments_of(text: bytes, outlines: Sequence[Outline]) -> list[Segment]:
    """The outputs in a text, in order; what stands before the first is in none of them."""
    hits = _begun(_outer(sorted(_hits(text, outlines), key=lambda hit: hit.begin), text), text)[: MOST_SEGMENTS + 1]
    begins = [_with_preface(text, hit, hits[at - 1].begin if at else 0) for at, hit in enumerate(hits)]
    segments, first, counted = [], 1, 0
    for at, (hit, begin) in enumerate(zip(hits, begins, strict=True)):
        first += text.count(b"\n", counted, begin)
        counted = begin
        end = begins[at + 1] if at + 1 < len(hits) else len(text)
        end = _before_fence(text, begin, end)
        tool = hit.outline.tool if at < MOST_SEGMENTS else TOO_MANY
        segments.append(Segment(tool, begin, end if tool else len(text), first, hit.label))
    return segments


def _before_fence(text: bytes, begin: int, end: int) -> int:
    """Where the fence stands that ends a quotation, if one begins it."""
    if not text[:begin].endswith(_FENCES):
        return end
    fence = text.find(b"\n" + text[begin - 4 : begin - 1], begin, end)
    return end if fence < 0 else fence + 1


def names_in(text: bytes, outlines: Sequence[Outline]) -> list[str]:
    """The tools whose banner stands anywhere in a text, be it in the middle of a line.

    Results tell of a tool as well, unless it prints no banner, or its outputs are parts of another one's.
    """
    held = {tool for outline in outlines for tool in outline.holds}
    names = []
    for outline in outlines:
        traces = outline.traces if outline.banners and outline.tool not in held else ()
        if any(line.word in text and line.pattern.search(text) for line in (*outline.banners, *traces)):
            names.append(outline.tool)
    return names


def _hits(text: bytes, outlines: Sequence[Outline]) -> Iterator[_Hit]:
    labels: dict[bytes, re.Pattern[bytes] | None] = {}
    for outline in outlines:
        if outline.within:
            continue
        for banner in outline.banners:
            position = text.find(banner.word)
            while position >= 0:
                begin = text.rfind(b"\n", 0, position) + 1
                end = text.find(b"\n", position)
                end = len(text) if end < 0 else end
                if hit := _hit(text, begin, end, outline, banner, labels):
                    yield hit
                position = text.find(banner.word, end)


def _hit(
    text: bytes, begin: int, end: int, outline: Outline, banner: Banner, labels: dict[bytes, re.Pattern[bytes] | None]
) -> _Hit | None:
    """A banner that stands at the beginning of a line, or behind nothing but labels and time stamps."""
    line = text[begin : min(end, begin + _LONGEST_BANNER)]
    match = banner.pattern.search(line)
    if match is None:
        return None
    prefix = line[: match.start()]
    label = decoration(prefix)
    if prefix and (not label or _NUMBER_OF_LINE.fullmatch(prefix)):
        label = labels.get(prefix) or _new_label(text, end, prefix, labels) or label
    return _Hit(begin, outline, banner, label) if label or not prefix else None


def _new_label(
    text: bytes, end: int, prefix: bytes, labels: dict[bytes, re.Pattern[bytes] | None]
) -> re.Pattern[bytes] | None:
    """A label of no known kind, by the lines that follow; None where it is none, or the text has many already."""
    if len(labels) >= _MOST_LABELS:
        return None
    lines = text[end + 1 : end + 1 + _LABELLED_LINES * _LONGEST_BANNER].split(b"\n", _LABELLED_LINES + 1)
    label = label_like(prefix, [line.rstrip(b"\r") for line in lines[:_LABELLED_LINES]])
    labels[prefix] = label
    return label


def _outer(hits: list[_Hit], text: bytes) -> list[_Hit]:
    """Without what stands in the output of a tool that holds others: up to its last line, and from its first on.

    Where such a tool tells not how it begins, the output of its first test may stand before all of its own lines.
    """
    for outline in {hit.outline.tool: hit.outline for hit in hits if hit.outline.holds}.values():
        own = [hit for hit in hits if hit.outline == outline]
        ends = [hit.begin for hit in own if hit.banner.last]
        first, last = 0 if own[0].banner.joined else own[0].begin, max(ends, default=len(text))
        hits = [hit for hit in hits if hit.outline.tool not in outline.holds or not first <= hit.begin <= last]
    return hits


def _begun(hits: list[_Hit], text: bytes) -> list[_Hit]:
    """Those hits that begin another output than the one before."""
    begun: list[_Hit] = []
    last: _Hit | None = None
    for hit in hits:
        if last is None or not _continues_output(hit, last, text):
            begun.append(hit)
        last = hit
    return begun


def _continues_output(hit: _Hit, last: _Hit, text: bytes) -> bool:
    if not hit.banner.joined or hit.outline != last.outline or hit.banner.kind != last.banner.kind:
        return False
    if hit.banner == last.banner or not hit.banner.apart:
        return True
    return not any(_lines_with(trace, text, last.begin, hit.begin) for trace in hit.outline.traces)


def traces_in(text: bytes, outline: Outline) -> list[int]:
    """Where lines begin that hold results of a tool, with its banner before them or without."""
    return sorted({begin for trace in outline.traces for begin in _lines_with(trace, text, 0, len(text))})


def _lines_with(trace: Banner, text: bytes, begin: int, end: int) -> list[int]:
    """Where the lines begin, within bounds, that a pattern is found in; at most some thousand."""
    begins: list[int] = []
    position = text.find(trace.word, begin, end)
    while position >= 0 and len(begins) < _MOST_TRACES:
        line_begin = text.rfind(b"\n", 0, position) + 1
        line_end = text.find(b"\n", position)
        line_end = len(text) if line_end < 0 else line_end
        if trace.pattern.search(text[line_begin : min(line_end, line_begin + _LONGEST_BANNER)]):
            begins.append(line_begin)
        position = text.find(trace.word, line_end, end)
    return begins


def _with_preface(text: bytes, hit: _Hit, after: int) -> int:
    """Where the lines begin that stand before a banner and belong to it."""
    begin, preface = hit.begin, hit.outline.preface
    for _ in range(_MOST_PREFACE if preface else 0):
        before = text.rfind(b"\n", 0, max(begin - 1, 0)) + 1
        line = text[before : max(begin - 1, 0)][:_LONGEST_BANNER].rstrip(b"\r")
        line = hit.label.sub(b"", line) if hit.label else line
        assert preface is not None
        if begin <= after or before < after or not preface.match(line):
            break
        begin = before
    return begin
