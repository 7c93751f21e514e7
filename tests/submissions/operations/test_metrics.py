"""What an operator sees of submissions in Prometheus."""

from __future__ import annotations

from django.test import Client


def test_submissions_are_counted_by_state(cast, submitted) -> None:
    submitted()
    text = Client().get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
    assert 'highwater_submissions{state="submitted"} 1.0' in text
    assert 'highwater_submissions{state="published"} 0.0' in text
    assert "highwater_oldest_unchecked_seconds 0.0" in text


def test_metrics_of_submissions_are_hidden_from_others(cast, submitted) -> None:
    assert Client().get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404
