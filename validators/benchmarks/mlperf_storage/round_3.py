"""What the rules of v3.0 fix: `round_3.json`, and who asks whether a version is of that round or later."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FACTS: Mapping[str, Any] = json.loads(Path(__file__).with_name("round_3.json").read_text(encoding="utf-8"))
ROUND: str = FACTS["round"]


def is_since_3(version: str) -> bool:
    """Whether a version is 3.0 or later; False for one that is not known."""
    number = re.match(r"\d{1,4}", version, re.ASCII)
    return number is not None and int(number[0]) >= int(ROUND.partition(".")[0])
