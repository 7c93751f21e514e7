"""Where the time of a phase goes, as shares: closing, wear-out after the stonewall, imbalance of the ranks. In %.

Each share is of what the tool itself timed. Where the files do not tell it, the reason stands in its place: a share is
never guessed, and 0 is only what was measured as 0. The definitions are in docs/io500-phases.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from validators.benchmarks.io500.evidence import Evidence, Raw
from validators.benchmarks.io500.phases import LARGEST, Phase, number
from validators.benchmarks.io500.ranktables import GIB, RankTable
from validators.benchmarks.io500.rawfacts import Figure, Figures
from validators.benchmarks.io500.rawtext import option, size_of
from validators.measurements import Measurement

CLOSE, WEAR_OUT, LATE_WORK, IMBALANCE = "close_share", "wear_out_share", "wear_out_work", "rank_imbalance"
QUANTITIES = (CLOSE, WEAR_OUT, LATE_WORK, IMBALANCE)
RANDOM_READ = "ior-rnd4K-easy-read"
"""The only read that ends at a stonewall. In others IOR has each rank wait for the last one, and so times all alike:
in 93 published tables of ior-easy-read and as many of ior-hard-read they differ by less than 0.2 %."""
OVERLAP = 1.01
"""Parts that add up to more of the whole than this overlap; 35 of 1,351 published texts of IOR do."""
REACHED = 0.99
"""A phase that stopped earlier than this part of its stonewall did not reach it; clocks of ranks differ by little."""
COARSE = 0.005
"""So far from the truth the printed digits may leave a share at most."""
AGREES = 1.01
"""A table of ranks, the text of its phase and the result of the phase may differ by this factor."""
SEARCHED = 1e-4
"""How far the files of find by rank may lie from those of its whole, as a part; in 157 published tables 4e-8 at most,
or far more where ranks are missing."""


class NotPrinted(Exception):
    """A share that the files do not tell; the message is a code of `missing_reasons` in benchmark.json."""


@dataclass(frozen=True, slots=True)
class Share:
    """One share of a phase in %, or the reason why there is none."""

    phase: str
    quantity: str
    percent: float | None
    reason: str = ""

    def as_measurement(self) -> Measurement:
        return Measurement.printed(self.phase, self.quantity, "phase", self.percent or 0.0, "%")

    def as_missing(self) -> dict[str, str]:
        return {"op": self.phase, "quantity": self.quantity, "reason": self.reason}


def list_shares(evidence: Evidence) -> Iterator[Share]:
    """Every share that a phase can have, in the order of the phases. Never raises on any content.

    Only writes go on after the stonewall to what the fastest rank wrote; what find did is known by rank alone.
    """
    for phase in evidence.phases:
        for quantity in _possible_quantities(phase.name):
            yield _read_share(evidence, phase, quantity)


def _possible_quantities(phase: str) -> Sequence[str]:
    """The shares that a phase can have; none of one that writes no table and no text of IOR or mdtest."""
    late = (WEAR_OUT, LATE_WORK) if phase.endswith("-write") else ()
    if phase.startswith("ior-"):
        return CLOSE, *late, *([IMBALANCE] if late or phase == RANDOM_READ else [])
    return (*late, IMBALANCE) if phase.startswith("mdtest-") or phase == "find" else ()


def _read_share(evidence: Evidence, phase: Phase, quantity: str) -> Share:
    try:
        if phase.invalid or not 0 < phase.value < math.inf:
            raise NotPrinted("phase-invalid")
        if quantity == IMBALANCE:
            return Share(phase.name, quantity, imbalance_percent(_amounts_by_rank(evidence, phase)))
        raw = evidence.raw.get(phase.name)
        if raw is None:
            raise NotPrinted("no-text")
        if raw.figures.rounds != 1:
            raise NotPrinted("several" if raw.figures.rounds else "no-figures")
        if raw.value is not None and abs(raw.value - phase.value) > phase.half_step + (AGREES - 1) * phase.value:
            raise NotPrinted("contradicts")
        return Share(phase.name, quantity, _share_of_text(evidence, phase, raw, quantity))
    except NotPrinted as reason:
        return Share(phase.name, quantity, None, str(reason))


def _share_of_text(evidence: Evidence, phase: Phase, raw: Raw, quantity: str) -> float:
    if quantity == CLOSE:
        return _close_share(raw)
    of_ior = phase.name.startswith("ior-")
    if quantity == WEAR_OUT:
        return _ior_wear_out(evidence, phase, raw) if of_ior else _mdtest_wear_out(evidence, phase, raw)
    return _ior_late_work(evidence, phase, raw) if of_ior else _mdtest_late_work(evidence, phase, raw)


# What each share is


def share_percent(part: float, total: float, error: float = 0.0) -> float:
    """`part` of `total` in %. `error` is how far the printed digits leave the part from the truth.

    Below 0 by no more than that is 0. Raises NotPrinted where it is no share, or too uncertain.
    """
    if not (math.isfinite(part) and math.isfinite(error) and 0 < total < math.inf):
        raise NotPrinted("no-figures")
    if error > COARSE * total:
        raise NotPrinted("coarse")
    if not -error <= part <= total + error:
        raise NotPrinted("contradicts")
    return 100.0 * min(max(part / total, 0.0), 1.0)


def imbalance_percent(amounts: Sequence[float]) -> float:
    """How far the mean of the ranks lies below the most of any rank, in %: 0 where all are alike, below 100 always.

    Raises NotPrinted for fewer than two ranks, or amounts that are no numbers or all 0.
    """
    if len(amounts) < 2:
        raise NotPrinted("one-rank" if amounts else "no-table")
    most = max(amounts)
    if not all(0 <= amount <= LARGEST for amount in amounts) or most <= 0:
        raise NotPrinted("contradicts")
    return 100.0 * max(1 - math.fsum(amounts) / len(amounts) / most, 0.0)


# IOR


def _parts_of_row(figures: Figures) -> tuple[float, float, float, float]:
    """Seconds of opening, transfers, closing and the whole, of the only row."""
    names = ("seconds of opening", "seconds of I/O", "seconds of closing")
    opening, transfers, closing = (_require_figure(figures, name) for name in names)
    if figures.seconds is None:
        raise NotPrinted("no-figures")
    total = figures.seconds.value
    if opening + transfers + closing > OVERLAP * total:
        raise NotPrinted("overlap")
    return opening, transfers, closing, total


def _close_share(raw: Raw) -> float:
    *_, closing, total = _parts_of_row(raw.figures)
    return share_percent(closing, total, raw.figures.other["seconds of closing"].half_step)


def _ior_wear_out(evidence: Evidence, phase: Phase, raw: Raw) -> float:
    """Seconds of transfers after all ranks had stopped at the stonewall, of the whole."""
    figures, stopped = raw.figures, _seconds_until_stop(evidence, phase, raw)
    _, transfers, _, total = _parts_of_row(figures)
    error = figures.other["stopped after"].half_step + figures.other["seconds of I/O"].half_step
    return share_percent(transfers - stopped, total, error)


def _ior_late_work(evidence: Evidence, phase: Phase, raw: Raw) -> float:
    """Bytes that were written after the stonewall, of all bytes: those of the bandwidth over the time."""
    stopped, figures = _seconds_until_stop(evidence, phase, raw), raw.figures
    if raw.value is None or figures.seconds is None or not raw.launch.tasks:
        raise NotPrinted("no-figures")
    moved = raw.value * GIB * figures.seconds.value
    before, error = _bytes_before(figures, raw.launch.tasks)
    text = _stonewall_text(evidence, phase, "throughput-stonewall")
    closer, its_error = number(text) * GIB * stopped, _half_step(text) * GIB * stopped
    if abs(closer - before) <= error + its_error:
        before, error = closer, its_error + closer * _relative_error(figures.other["stopped after"])
    return share_percent(moved - before, moved, error + moved * _relative_error(figures.seconds))


def _bytes_before(figures: Figures, tasks: int) -> tuple[float, float]:
    """Bytes that all ranks had written at the stonewall, by their mean, and how far the printed digits leave that.

    Some builds print twice the bytes; the least of a rank, which stands as bytes and as transfers, tells. The C program
    prints the bandwidth until the stonewall with more digits; early builds print it in a unit of their own.
    """
    transfer = figures.other.get("xfersize") or figures.other.get("transfer of the row")
    if transfer is None:
        raise NotPrinted("no-figures")
    least, step = _require_figure(figures, "least bytes"), figures.other["least bytes"].half_step
    counted = _require_figure(figures, "least pairs") * transfer.value
    if abs(least - counted) > step + (AGREES - 1) * counted:
        raise NotPrinted("contradicts")
    mean = _require_figure(figures, "mean bytes")
    if not least - step <= mean:
        raise NotPrinted("contradicts")
    return tasks * mean, tasks * figures.other["mean bytes"].half_step


def _seconds_until_stop(evidence: Evidence, phase: Phase, raw: Raw) -> float:
    """Seconds until all ranks had stopped, where they were to stop, and did."""
    figures = raw.figures
    limit = figures.stonewall_s.value if figures.stonewall_s else _stonewall_limit(evidence, phase, "D")
    if not limit:
        raise NotPrinted("no-stonewall")
    if "stopped after" not in figures.other:
        raise NotPrinted("no-line")
    stopped = figures.other["stopped after"].value
    if stopped < REACHED * limit:
        raise NotPrinted("not-reached")
    return stopped


# mdtest


def _mdtest_late_work(evidence: Evidence, phase: Phase, raw: Raw) -> float:
    """Items that were made after the stonewall, of all items: each rank goes on to what the fastest one made."""
    mean, most = _items_at_stonewall(evidence, phase, raw)
    return share_percent(most - mean, most, raw.figures.other["mean items"].half_step)


def _mdtest_wear_out(evidence: Evidence, phase: Phase, raw: Raw) -> float:
    """Seconds after all ranks had stopped, of those that the scored rate is over.

    By when they had stopped, io500 says as the rate until then; the mean of the items over it is the time.
    """
    mean, most = _items_at_stonewall(evidence, phase, raw)
    text = _stonewall_text(evidence, phase, "rate-stonewall")
    if not text:
        raise NotPrinted("no-stonewall-time")
    rate, value = number(text), raw.value
    tasks = raw.launch.tasks
    if not 0 < rate < math.inf or value is None or not value > 0 or not tasks:
        raise NotPrinted("no-figures")
    stopped, total = mean * tasks / rate / 1000, most * tasks / value / 1000
    if stopped < REACHED * _stonewall_limit(evidence, phase, "W"):
        raise NotPrinted("not-reached")
    error = raw.figures.other["mean items"].half_step / mean + _half_step(text) / rate
    return share_percent(total - stopped, total, stopped * error)


def _items_at_stonewall(evidence: Evidence, phase: Phase, raw: Raw) -> tuple[float, float]:
    """The mean and the most of the items that ranks had made at the stonewall."""
    if not _stonewall_limit(evidence, phase, "W"):
        raise NotPrinted("no-stonewall")
    if "most items" not in raw.figures.other:
        raise NotPrinted("no-line")
    least, mean, most = (_require_figure(raw.figures, f"{name} items") for name in ("least", "mean", "most"))
    if mean <= 0 or not least - raw.figures.other["mean items"].half_step <= mean:
        raise NotPrinted("contradicts")
    return mean, most


# Ranks


def _amounts_by_rank(evidence: Evidence, phase: Phase) -> Sequence[float]:
    """What an imbalance is over: seconds that each rank took for its transfers or items, files that it searched."""
    if phase.name == "find":
        return _files_by_rank(evidence)
    table = evidence.whole_table(phase.name)
    if table is None or not table.busy:
        raise NotPrinted("no-table")
    if not _belongs_to_phase(table, evidence.raw[phase.name].value):
        raise NotPrinted("contradicts")
    return table.busy


def _belongs_to_phase(table: RankTable, value: float | None) -> bool:
    """Whether a table says of its phase what the text says: of IOR it is the most that the phase can have been."""
    if value is None or table.phase is None:
        return False
    return value <= table.phase * AGREES and (table.quantity == "bandwidth" or table.phase <= value * AGREES)


def _files_by_rank(evidence: Evidence) -> Sequence[float]:
    """Files by rank, where the table has a row for each process of find."""
    table = evidence.find_table
    section = evidence.result.phases.get("find") if evidence.result else None
    if table is None or section is None or number(section.values.get("nproc")) != table.ranks:
        raise NotPrinted("no-table")
    if table.files > LARGEST or not math.isclose(table.files, table.rate * table.seconds, rel_tol=SEARCHED):
        raise NotPrinted("contradicts")
    return table.files_by_rank


def _stonewall_text(evidence: Evidence, phase: Phase, name: str) -> str:
    """What the C program prints of a phase until its stonewall; empty where it prints nothing."""
    section = evidence.result.phases.get(phase.name) if evidence.result else None
    return section.values.get(name, "") if section else ""


def _half_step(text: str) -> float:
    """Half of the last digit of a decimal number as printed."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def _relative_error(figure: Figure) -> float:
    """How far the printed digits of a figure may lie from it, as a part of it."""
    return figure.half_step / figure.value if figure.value > 0 else math.inf


def _require_figure(figures: Figures, name: str) -> float:
    if name not in figures.other:
        raise NotPrinted("no-figures")
    return figures.other[name].value


def _stonewall_limit(evidence: Evidence, phase: Phase, letter: str) -> int:
    """Seconds of the stonewall that the command line of a phase sets; 0 where it sets none."""
    command = evidence.command(phase.name)
    if not command:
        raise NotPrinted("no-figures")
    return size_of(option(command, letter)) or 0
