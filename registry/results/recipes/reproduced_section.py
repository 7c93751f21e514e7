"""Who reproduced a result, as its page shows it."""

from __future__ import annotations

from typing import Any

import msgspec

from registry.models import Reproduction, Result
from registry.presentation.numbers import format_times
from registry.query.reproductions import ReproductionMark, describe_marks, list_differing, write_in_brief

KINDS = {
    Reproduction.Kind.REPEATED: "the same institution, or one with a common member",
    Reproduction.Kind.REPRODUCED: "another institution, the same settings",
    Reproduction.Kind.REPLICATED: "another institution, settings that differ or are not known",
    Reproduction.Kind.UNKNOWN: "not public whether independent",
}
"""What the kinds of marks mean (docs/reproduce.md): beside an outcome their names would contradict it."""


def reproduced_section(result: Result) -> dict[str, Any]:
    """What describe_marks says, with each mark in words. One query; none where there is no mark."""
    described = describe_marks(result)
    return {
        "brief": write_in_brief(described),
        "sentence": described.sentence,
        "marks": list(map(_in_words, described.marks)),
        "reproduces": _in_words(described.reproduces) if described.reproduces else None,
    }


def _in_words(mark: ReproductionMark) -> dict[str, Any]:
    times = f"{format_times(mark.ratio)} x" if mark.ratio is not None else ""
    interval = f" ({format_times(mark.low)} to {format_times(mark.high)})" if mark.low and mark.high else ""
    return msgspec.structs.asdict(mark) | {
        "kind_label": KINDS[Reproduction.Kind(mark.kind)],
        "times": times + interval,
        "differing": list_differing(mark.differences),
    }
