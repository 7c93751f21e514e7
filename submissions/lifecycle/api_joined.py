"""What is read with a submission for its documents."""

from __future__ import annotations

from submissions.models import Submission

JOINED = Submission.objects.select_related("account", "institution", "release", "result", "derivative", "signature")
