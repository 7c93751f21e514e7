"""The random reads of 4 KiB, on trial since ISC25: when they read a cache, and what runs of them compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from validators.benchmarks.io500.evidence import Evidence
from validators.findings import WARNING, Finding

PHASE = "ior-rnd4K-easy-read"
STONEWALL_S = 300.0
_SEGMENTS = re.compile(r" -s[= ](\d{1,12})(?!\d)")


def settings(evidence: Evidence) -> dict[str, Any]:
    """What changed with the second tag of ISC25 (ten times as many blocks, and all processes read as many)."""
    command = evidence.command(PHASE)
    match = _SEGMENTS.search(command)
    return {
        "rnd4k_segments": int(match[1]) if match else None,
        "rnd4k_wear_out": "stoneWallingWearOut=1" in command if command else None,
    }


def defects(evidence: Evidence) -> Iterator[Finding]:
    """Reads that hardly came from storage, or not for long enough to tell."""
    phase, sequential = evidence.phase(PHASE), evidence.phase("ior-easy-read")
    if phase is None:
        return
    if sequential is not None and phase.value > sequential.value > 0:
        yield Finding(
            "io500.rnd4k.faster",
            WARNING,
            f"{PHASE} gave {phase.text[:40]} GiB/s, {phase.value / sequential.value:.2f} times the "
            f"{sequential.text[:40]} GiB/s of ior-easy-read: a cache likely answered random reads of 4 KiB.",
            "The phase is not scored. Say what answered these reads; compare it with no other run.",
            phase.where,
            expected=f"at most {sequential.text[:40]} GiB/s",
            actual=f"{phase.text[:40]} GiB/s",
        )
    if phase.seconds < 0.9 * STONEWALL_S and not evidence.scc:
        yield Finding(
            "io500.rnd4k.short",
            WARNING,
            f"{PHASE} ran for {phase.seconds:.1f} s only; its rate is likely that of a cache.",
            "The phase is not scored. Compare it with care; releases after ISC25 run it for the full time.",
            phase.where,
            expected=f"{STONEWALL_S:.0f} s",
            actual=f"{phase.seconds:.1f} s",
        )
