"""Texts of a run, scrubbed in the worker: lines without anything to take out are looked at once."""

from __future__ import annotations

import pytest

from submissions.publication import publishable
from validators.scrubbing import personal


def test_a_line_is_read_once_and_names_of_a_bundle_still_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishable, "_clean_lines", set())
    text, secret = "written by wolf17", "sent to alice@wolf.example.org"
    assert publishable.scrub_document({"why": [text, secret]}) == {"why": [text, "sent to <e-mail>"]}
    assert publishable._clean_lines == {f"why={text}"}  # and not what holds a secret
    names = personal.Names()
    names.take_up({"hosts": ["wolf17"]})
    assert publishable.scrub_document({"why": text}, names=names) == {"why": "written by <host>"}
    assert publishable.scrub_document({"why": [text, secret]}) == {"why": [text, "sent to <e-mail>"]}


def test_lines_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishable, "_clean_lines", set())
    monkeypatch.setattr(publishable, "MOST_CLEAN", 3)
    texts = [f"text {letter}" for letter in "abcdefgh"] + ["x" * 400]
    assert publishable.scrub_document(texts) == texts
    assert len(publishable._clean_lines) <= 3 and max(map(len, publishable._clean_lines)) < 400
