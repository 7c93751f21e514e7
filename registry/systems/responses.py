"""Shapes of sites, systems and platforms."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from registry.query.record_rows import Platform, Site, System
from registry.query.row_fields import Address, ReleaseSlug, Tool
from registry.query.shapes import Shape
from registry.web.responses import Page


class Best(Shape):
    """The highest score of one benchmark in one release, and how many results that release has."""

    release: ReleaseSlug
    tool: Tool
    score: Annotated[float, Meta(description="The highest score, without unit.")]
    results: Annotated[int, Meta(description="Results of the benchmark in the release that have a score.")]


BestScores = Annotated[list[Best], Meta(description="The highest score of each benchmark in each release.")]
ResultsAddress = Annotated[Address, Meta(description="Address of its results.")]


class SitePage(Page):
    results: Annotated[list[Site], Meta(description="Rows of this page.")]


class SystemPage(Page):
    results: Annotated[list[System], Meta(description="Rows of this page.")]


class SystemDetail(System):
    best: BestScores
    results: ResultsAddress


class SiteDetail(Site):
    also_printed_as: Annotated[list[str], Meta(description="Other spellings of the name in sources.")]
    systems: Annotated[list[System], Meta(description="Systems of the institution, at most 500.")]
    best: BestScores
    results: ResultsAddress


class PlatformPage(Page):
    results: Annotated[list[Platform], Meta(description="Rows of this page.")]


class PlatformDetail(Platform):
    successors: Annotated[list[str], Meta(description="The platforms that followed it.")]
    source: Annotated[str, Meta(description="Where its description is from; may be empty.")]
    best: BestScores
    results: ResultsAddress
