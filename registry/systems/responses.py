"""Shapes of sites, systems and platforms."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta

from registry.query.responses.record_rows import Platform, Site, System
from registry.query.responses.row_fields import Address, ReleaseSlug, Tool
from registry.query.responses.shapes import Shape
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


class FormerName(Shape):
    """A name under which it was listed before two names were found to be of one."""

    slug: Annotated[str, Meta(description="The former slug; its addresses redirect.")]
    name: Annotated[str, Meta(description="The former name; may be empty.")]
    on: Annotated[date, Meta(description="Day from which both are one.")]
    reason: Annotated[str, Meta(description="Why they are one.")]
    source: Annotated[str, Meta(description="What proves it; may be empty.")]


FormerSlugs = Annotated[list[str], Meta(description="Slugs of its former names, which lead here, in order.")]
FormerNames = Annotated[
    list[FormerName], Meta(description="Names under which it was listed before, newest first; they lead here.")
]


class SystemDetail(System):
    formerly: FormerNames
    former_slugs: FormerSlugs
    best: BestScores
    results: ResultsAddress


class SiteDetail(Site):
    also_printed_as: Annotated[list[str], Meta(description="Other spellings of the name in sources.")]
    formerly: FormerNames
    former_slugs: FormerSlugs
    systems: Annotated[list[System], Meta(description="Systems of the institution, at most 500.")]
    best: BestScores
    results: ResultsAddress


class PlatformPage(Page):
    results: Annotated[list[Platform], Meta(description="Rows of this page.")]


class PlatformDetail(Platform):
    successors: Annotated[list[str], Meta(description="The platforms that followed it.")]
    formerly: FormerNames
    former_slugs: FormerSlugs
    source: Annotated[str, Meta(description="Where its description is from; may be empty.")]
    best: BestScores
    results: ResultsAddress
