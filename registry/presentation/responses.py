"""Shapes of measurements, distributions and system documents."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.query.responses.row_fields import CanonicalUnit, Context, Operation, PrintedUnit, Quantity, Statistic
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class Repeated(Shape):
    """A score or measurement that the archive has several runs of. A score has an empty quantity, stat and unit."""

    op: Operation
    quantity: Quantity
    stat: Statistic
    context: Context
    unit: CanonicalUnit
    printed_unit: PrintedUnit
    runs: Annotated[int, Meta(description="The published one too.")]
    deviation_percent: Annotated[float | None, Meta(description="Sample deviation, % of the mean; null below three.")]
    values: Annotated[
        list[float],
        Meta(description="In `unit`, in the order of time where it is known, else in the order of the archive."),
    ]


class Distribution(Shape):
    """Values under one number: iterations, runs, samples, events, ranks, targets or epochs. Canonical unit."""

    op: Operation
    quantity: Quantity
    stat: Annotated[
        str, Meta(description="What each value is: iteration, run, event, rank, epoch, slowest_second, ...")
    ]
    over: Annotated[str, Meta(description="iterations, runs, samples, events, ranks, targets, groups or epochs.")]
    context: Context
    unit: CanonicalUnit
    printed_unit: PrintedUnit
    count: Annotated[int, Meta(description="Values in number.")]
    min: Annotated[float, Meta(description="Least value, in `unit`.")]
    mean: Annotated[float, Meta(description="Arithmetic mean, in `unit`.")]
    max: Annotated[float, Meta(description="Greatest value, in `unit`.")]
    deviation: Annotated[
        float | None, Meta(description="Standard deviation of a sample (n - 1), in `unit`; null of one value.")
    ]
    quantiles: Annotated[list[float], Meta(description="21 values, at 0, 5, ... 100 %.")]
    members: Annotated[
        list[float | None] | None,
        Meta(
            description="The values in `unit`, in order of number or time, null of one that gave none; null where many."
        ),
    ]


class DistributionPage(Page):
    results: Annotated[list[Distribution], Meta(description="Rows of this page.")]


class SystemSummary(Shape, kw_only=True):
    """A description of a system in short."""

    sha256: Annotated[str | UnsetType, Meta(description="Of the document as received.")] = UNSET
    schema_version: Annotated[str, Meta(description="Version of the schema that the description follows.")]
    collector: Annotated[str, Meta(description="Name and version of the program that made it.")]
    redaction_profile: Annotated[str, Meta(description="default, strict or full-consent.")]
    nodes: Annotated[dict[str, int], Meta(description="Described nodes by role.")]
    parameters: Annotated[int, Meta(description="Parameters with a value.")]
    missing: Annotated[int, Meta(description="Parameters without one; the document has the reasons.")]
    outliers: Annotated[int, Meta(description="Facts in which single nodes differ from their class.")]
    drift: Annotated[dict[str, int] | None, Meta(description="By severity; null: described once.")]


class SystemDescription(Shape):
    """A description of a system as a whole."""

    sha256: Annotated[str, Meta(description="Of the document as received.")]
    summary: Annotated[SystemSummary, Meta(description="The description in short.")]
    document: Annotated[dict[str, Any], Meta(description="Schema system.1.")]
    missing_in_forms: Annotated[
        dict[str, list[str]],
        Meta(description="By form, the required places that the description does not have."),
    ]
