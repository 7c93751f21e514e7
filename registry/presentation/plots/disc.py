"""Where values lie on the disc of a radar: each place is a spoke, from zero in the middle to its largest value."""

from __future__ import annotations

import math

from registry.presentation.plots.model import Plot

RINGS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the radius that have a line."""
SIDE = 0.2
"""Share of the radius: labels nearer than this to the middle are centred."""


def largest_values(plot: Plot) -> dict[str, float]:
    """By place the largest value, which lies at the rim: what stands on the spokes may differ a thousandfold."""
    return {place: max(point.value for point in plot.points if point.place == place) for place in plot.place_names}


def spoke_angles(plot: Plot) -> dict[str, float]:
    """By place the angle of its spoke, clockwise from the top."""
    return {place: 2 * math.pi * number / len(plot.place_names) for number, place in enumerate(plot.place_names)}


def point_on_disc(angle: float, share: float) -> dict[str, float]:
    """Where a share of the rim lies at an angle clockwise from the top, the rim having radius 1, y upwards."""
    return {"x": math.sin(angle) * share, "y": math.cos(angle) * share}


def share_of_rim(value: float, most: float) -> float:
    """How far from the middle a value lies; what is below zero lies in it."""
    return max(value / most, 0) if most > 0 else 0
