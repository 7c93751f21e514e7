"""What a meaningful run of IOR is."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _fsync(run: Run, context: Context) -> Verdict:
    writing = [test for test in run.tests if "write" in test.get("operations", [])]
    flag_pairs = [(test.get("fsync") or test.get("fsync_per_write"), test.get("direct_io")) for test in writing]
    if not writing or any(fsync is None and direct is None for fsync, direct in flag_pairs):
        return NOT_EVALUATED, "It is not known how writes end, or there is none."
    if all(fsync or direct for fsync, direct in flag_pairs):
        return SATISFIED, "Every write is flushed or bypasses the page cache."
    return VIOLATED, "Writes end when the page cache has them."


def _own_cache(run: Run, context: Context) -> Verdict:
    both = [test for test in run.tests if {"write", "read"} <= set(test.get("operations", []))]
    flag_pairs = [(test.get("reorder_tasks"), test.get("direct_io")) for test in both]
    if not both or any(reorder is None and direct is None for reorder, direct in flag_pairs):
        return NOT_EVALUATED, "No test writes and reads, or the order of tasks is not known."
    if all(reorder or direct for reorder, direct in flag_pairs):
        return SATISFIED, "Tasks read what others wrote, or bypass the page cache."
    return VIOLATED, "Tasks read what they wrote themselves, which may still be in memory."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"ior.fsync": _fsync, "ior.own-cache": _own_cache})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of IOR."""
    return []
