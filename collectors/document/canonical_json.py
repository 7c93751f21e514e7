"""The one JSON text of a value: what is hashed, compared, sent on one line."""

import json


def canonical(value):
    """The one JSON text of a value: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
