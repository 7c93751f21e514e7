"""Shapes of the index, schemas, rules and benchmarks."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.query.responses.row_fields import Address, Code, UnknownValues
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class Index(Shape):
    """Addresses of the API."""

    releases: Annotated[Address, Meta(description="Address of releases/.")]
    lists: Annotated[Address, Meta(description="Address of lists/.")]
    results: Annotated[Address, Meta(description="Address of results/.")]
    systems: Annotated[Address, Meta(description="Address of systems/.")]
    sites: Annotated[Address, Meta(description="Address of sites/.")]
    platforms: Annotated[Address, Meta(description="Address of platforms/.")]
    studies: Annotated[Address, Meta(description="Address of studies/.")]
    rankings: Annotated[Address, Meta(description="Address of rankings/.")]
    export: Annotated[Address, Meta(description="Address of export/.")]
    schemas: Annotated[Address, Meta(description="Address of schemas/.")]
    questionnaires: Annotated[Address, Meta(description="Address of questionnaires/.")]
    rules: Annotated[Address, Meta(description="Address of rules/.")]
    benchmarks: Annotated[Address, Meta(description="Address of benchmarks/.")]
    quantities: Annotated[Address, Meta(description="Address of quantities/.")]
    parameters: Annotated[Address, Meta(description="Address of parameters/.")]
    search: Annotated[Address, Meta(description="Address of search/.")]
    openapi: Annotated[Address, Meta(description="Address of openapi.json.")]


class SchemaName(Shape):
    """A JSON Schema by name and version."""

    name: Annotated[str, Meta(description="Name and version of the schema.")]
    title: Annotated[str, Meta(description="Title of the schema.")]
    url: Annotated[Address, Meta(description="Address of the schema.")]


class SchemaPage(Page):
    results: Annotated[list[SchemaName], Meta(description="Rows of this page.")]


class QuestionnairePage(Page):
    results: Annotated[list[SchemaName], Meta(description="Rows of this page.")]


class Rule(Shape):
    """One statement of what a valid run is."""

    benchmark: Annotated[str, Meta(description="Name of the benchmark; `system` for rules on described systems.")]
    code: Code
    level: Annotated[str, Meta(description="What breaking it means: error, warning or info.")]
    text: Annotated[str, Meta(description="The rule in words.")]
    source: Annotated[str, Meta(description="The text that the rule follows.")]


class RulePage(Page):
    version: Annotated[str, Meta(description="Of the rules and parsers as a whole.")]
    results: Annotated[list[Rule], Meta(description="Rows of this page.")]


class Benchmark(Shape, kw_only=True):
    """The descriptor of a benchmark: what it measures, in which units, from which files."""

    tool: Annotated[str, Meta(description="Its name in `tool`.")]
    name: Annotated[str, Meta(description="What people call it.")]
    description: Annotated[str, Meta(description="What it measures, in words.")]
    source: Annotated[str, Meta(description="Where its program is.")]
    composite: Annotated[bool | UnsetType, Meta(description="Its runs hold the output of other tools.")] = UNSET
    completeness: Annotated[str, Meta(description="What shows that an output is complete.")]
    missing_reasons: Annotated[
        dict[str, str] | UnsetType,
        Meta(description="What the codes of `missing_measurements` mean; left out where the benchmark has none."),
    ] = UNSET
    crosses: Annotated[
        dict[str, Any] | UnsetType,
        Meta(description="The layers that its data crosses, whose ceilings hold for it: layers, stats."),
    ] = UNSET
    operations: Annotated[list[dict[str, Any]], Meta(description="op, quantity, unit as printed, better, description.")]
    extent: Annotated[
        dict[str, dict[str, Any]] | UnsetType,
        Meta(description="started, ended, client_nodes, tasks: how the output states each, or why it does not."),
    ] = UNSET
    required: Annotated[
        list[dict[str, Any]] | UnsetType,
        Meta(description="Quantities that every operation which did work is reported with."),
    ] = UNSET
    never_zero: Annotated[
        list[str] | UnsetType, Meta(description="Quantities whose 0, although work was done, means not measured.")
    ] = UNSET
    tried_versions: Annotated[
        dict[str, str] | UnsetType, Meta(description="from and through: versions whose real output was tried.")
    ] = UNSET
    same_settings: Annotated[
        list[Any] | UnsetType,
        Meta(description="Parameters that must be known before runs are called alike; of an inner list, one."),
    ] = UNSET
    experiment: Annotated[
        dict[str, list[str]] | UnsetType,
        Meta(
            description="scale and settings: what must be known of two runs before they are held for the same "
            "experiment."
        ),
    ] = UNSET
    versions: Annotated[
        list[dict[str, Any]], Meta(description="What numbers are over, by version, and with which others they compare.")
    ]
    parameters: Annotated[list[dict[str, Any]], Meta(description="Names for p.NAME= of results/.")]
    defaults: Annotated[
        dict[str, Any] | UnsetType,
        Meta(description="Options where a run sets nothing, by the name of their parameter."),
    ] = UNSET
    files: Annotated[list[dict[str, Any]], Meta(description="What a run leaves, and by what it is known.")]


class BenchmarkPage(Page):
    results: Annotated[list[Benchmark], Meta(description="Rows of this page.")]


class SearchHit(Shape):
    """One thing that has the words."""

    kind: Annotated[
        str, Meta(description="site, system, platform, result, list, release, study, parameter, rule or document.")
    ]
    title: Annotated[str, Meta(description="Its name.")]
    url: Annotated[Address, Meta(description="Address of its page.")]
    summary: Annotated[str, Meta(description="Text around the search terms, or what it belongs to; may be empty.")]


class SearchAnswer(Page):
    """Hits, those of a kind together, those that fit best first."""

    counts: Annotated[dict[str, int], Meta(description="Number of hits by kind, those that are not shown too.")]
    counts_are_least: Annotated[
        bool, Meta(description="There are more results than the 1,000 up to which they are counted.")
    ]
    also_searched: Annotated[
        list[str], Meta(description="Other names that were looked for, from the table of synonyms.")
    ]
    searched_instead: Annotated[
        str | None, Meta(description="Search terms used instead, because nothing has the given ones.")
    ]
    not_searched: Annotated[list[str], Meta(description="Words after the first ten, for which nothing was looked for.")]
    unknown_values: UnknownValues
    results: Annotated[list[SearchHit], Meta(description="Hits.")]
