"""Runs of fio of several people, published to reproduce one another."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.models import Result
from submissions.checks import processing
from submissions.models import Submission
from submissions.publication import releases
from submissions.reproduction import judging
from tests.make_fio import make_output
from tests.make_io500 import pack
from tests.make_system import make_bag, make_class, make_parameter, make_system
from tests.submissions.cast import Cast, Person

TUNABLE = "lustre.client.osc.max_rpcs_in_flight"
HOUR_S = 3600
Publish = Callable[..., Result]


def bundle(tmp_path, rates: tuple[int, ...], in_flight: int, ended: float | None = None, **options: Any) -> bytes:
    """Runs of fio at these rates in GiB/s, an hour apart, on a client with that setting of Lustre.

    The last one ended at `ended`, in seconds since 1970, else an hour ago; 0: none tells when it ran.
    """
    files = {}
    last = time.time() - HOUR_S if ended is None else ended
    for number, rate in enumerate(rates, 1):
        document = json.loads(make_output(rate, **options))
        document["timestamp"] = int(last) - HOUR_S * (len(rates) - number)
        if not last:
            del document["timestamp"]
        files[f"run-{number}/output.txt"] = json.dumps(document).encode()
    system = make_system(node_classes=[make_class(count=1, parameters=[make_parameter(TUNABLE, in_flight)])])
    return pack(tmp_path / "runs.tar.gz", make_bag(files, system)).read_bytes()


@pytest.fixture
def publish(cast: Cast, release, tmp_path) -> Publish:
    """Have somebody's runs checked, accepted and published, each in a release of its own, and judged."""
    count, began = 0, time.time()

    def make(
        person: Person,
        rates: tuple[int, ...] = (100, 101, 99),
        in_flight: int = 8,
        reproduces: str = "",
        judged: bool = True,
        content: bytes = b"",
        anonymous: bool = False,
        institution: str = "",
        level: str = "limited",
        **options: Any,
    ) -> Result:
        nonlocal count
        count += 1
        slug = f"r{count}"
        releases.create_release(slug, timezone.now() + timedelta(days=9), name=slug, lists=["fio-seq-write"])
        fields = {"reproduces": reproduces} if reproduces else {}
        # Runs of one test end at other seconds, as those of two sites do.
        options.setdefault("ended", began - HOUR_S - 97 * count)
        content = content or bundle(tmp_path, rates, in_flight, **options)
        metadata = {"client_nodes": 1, "system": "scratch"} | ({"institution": institution} if institution else {})
        answer = person.upload(content, metadata=json.dumps(metadata), **fields)
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        submission = Submission.objects.get(pk=answer.json()["id"])
        body = {"release": slug, "lists": ["fio-seq-write"], "acknowledge_rules": True, "acknowledge_publication": True}
        body |= {"primary": 0}
        answer = person.post(f"submissions/{submission.pk}/submit/", body)
        assert answer.status_code == 200, answer.content
        if anonymous:
            assert person.post(f"submissions/{submission.pk}/anonymity/", {"reason": "Secret."}).status_code == 200
            body = {"granted": True, "reason": "Agreed."}
            assert cast.erin.post(f"submissions/{submission.pk}/anonymity/decision/", body).status_code == 200
        body = {"decision": "accept", "reproducibility": level, "production": False, "reason": "Complete."}
        assert cast.dana.post(f"submissions/{submission.pk}/review/", body).status_code == 200
        assert cast.erin.post(f"releases/{slug}/publish/", {"allow_empty": True}).status_code == 200
        submission.refresh_from_db()
        if judged:
            judging.judge_due()
        return submission.require_result()

    return make


def read_marks(cast: Cast, original: Result) -> dict[str, Any]:
    return cast.stranger.get(f"/api/v1/results/{original.public_id}/").json()["reproduced"]


def list_reproduced(cast: Cast, word: str) -> list[str]:
    rows = cast.stranger.get(f"/api/v1/results/?reproduced={word}").json()["results"]
    return [row["id"] for row in rows]
