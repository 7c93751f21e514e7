"""Shapes of parameters."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from registry.query.responses.row_fields import (
    Address,
    ClientNodes,
    FactKind,
    FactName,
    FactTitle,
    PrintedInstitution,
    PrintedSystem,
    PublicId,
    ReleaseSlug,
    TrustLabel,
    TrustText,
)
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class ParameterPlace(Shape, kw_only=True):
    """A path where a parameter is read; * stands for one name, releases are Lustre's."""

    path: Annotated[str, Meta(description="Path on a node; * is any one name.")]
    root: Annotated[str, Meta(description="procfs, sysfs, debugfs, module or file.")]
    from_release: Annotated[
        str | UnsetType, Meta(description="First release of Lustre that has it there; left out: any.")
    ] = UNSET
    to_release: Annotated[
        str | UnsetType, Meta(description="Last release of Lustre that has it there; left out: it still does.")
    ] = UNSET


class LustreDefault(Shape, kw_only=True):
    """What a parameter is from one release to another: a value, a share of something, or words."""

    first: Annotated[str, Meta(description="First release of Lustre that has it.")]
    last: Annotated[
        str | UnsetType, Meta(description="Last release of Lustre that has it; left out: it still does.")
    ] = UNSET
    value: Annotated[Any | UnsetType, Meta(description="In the unit of the parameter.")] = UNSET
    also: Annotated[list[Any] | UnsetType, Meta(description="Values that are the default on other machines.")] = UNSET
    or_more: Annotated[bool | UnsetType, Meta(description="True: a greater value is the default, too.")] = UNSET
    share: Annotated[
        float | UnsetType, Meta(description="Share of what `of` names, without unit; 0.5 is one half.")
    ] = UNSET
    of: Annotated[str | UnsetType, Meta(description="ram, or the id of another parameter.")] = UNSET
    at_least: Annotated[int | UnsetType, Meta(description="Least value, in the unit of the parameter.")] = UNSET
    at_most: Annotated[int | UnsetType, Meta(description="Greatest value, in the unit of the parameter.")] = UNSET
    words: Annotated[str | UnsetType, Meta(description="The default in words, where it is not a number.")] = UNSET


class Parameter(Shape):
    """What can be known of a node, a job or a system; schema parameters.1 says what the words mean."""

    id: Annotated[str, Meta(description="Id that never changes.")]
    group: Annotated[str, Meta(description="Key of the group that it is shown in.")]
    meaning: Annotated[str, Meta(description="What it is, in words.")]
    unit: Annotated[str, Meta(description="Unit of its values; mixed: each entry of the map has its own.")]
    kind: Annotated[
        str,
        Meta(
            description="scalar: one value for each instance; map: entries have keys; list: each value once; "
            "histogram: counts by bucket."
        ),
    ]
    value_type: Annotated[str, Meta(description="Type of its values: integer, number, boolean, string, enum or mixed.")]
    scope: Annotated[str, Meta(description="Where it holds: client, server, client+server, job, fabric or array.")]
    roles: Annotated[list[str], Meta(description="Roles of the nodes that can read it; empty where none can.")]
    volatile: Annotated[bool, Meta(description="Changes by itself; left out of comparisons.")]
    run_critical: Annotated[str, Meta(description="What a change during the run means: invalidating, warning or info.")]
    privilege: Annotated[str, Meta(description="What reading it needs: none, root, group, bmc or admin.")]
    privilege_note: Annotated[str, Meta(description="When that is otherwise; may be empty.")]
    readable_unprivileged: Annotated[bool, Meta(description="Whether any account can read it.")]
    redaction: Annotated[
        str,
        Meta(
            description="What happens to it before a document leaves the site: keep, allowlist, basename, pseudonym, "
            "drop, attachment or never."
        ),
    ]
    redaction_note: Annotated[str, Meta(description="What is removed or replaced; may be empty.")]
    paths: Annotated[list[ParameterPlace], Meta(description="Where it is read.")]
    command: Annotated[str, Meta(description="Command that prints it too, or alone; empty where there is none.")]
    reason: Annotated[
        str,
        Meta(description="Where it is from if it has neither path nor command, or why it is not read; may be empty."),
    ]
    note: Annotated[str, Meta(description="What a reader must know of it; may be empty.")]
    lustre_defaults: Annotated[list[LustreDefault], Meta(description="What it is by default, by release of Lustre.")]
    url: Annotated[Address, Meta(description="Address of the parameter in this API.")]


class ParameterPage(Page):
    version: Annotated[str, Meta(description="Version of the registry of parameters.")]
    results: Annotated[list[Parameter], Meta(description="Rows of this page.")]


class ValueSeen(Shape):
    """One value of a parameter on published systems."""

    key: Annotated[str, Meta(description="Entry of a parameter that is a map.")]
    role: Annotated[str, Meta(description="Role of the nodes that have it; may be empty.")]
    value: Annotated[Any, Meta(description="The value, in the unit of the parameter.")]
    text: Annotated[str, Meta(description="As p.NAME= compares it.")]
    results: Annotated[int, Meta(description="Results with this value.")]
    instances: Annotated[int, Meta(description="Instances with this value on all results together.")]


class ParameterDetail(Parameter):
    values_seen: Annotated[
        list[ValueSeen], Meta(description="The values that results of today have, most results first.")
    ]


class SharingResult(Shape):
    """One of the results that are looked at together."""

    id: PublicId
    institution: PrintedInstitution
    system: PrintedSystem
    release: ReleaseSlug | None
    trust: TrustText
    trust_label: TrustLabel
    client_nodes: ClientNodes | None
    value: Annotated[
        float | None, Meta(description="What it is best by, in the unit of that column; null where it has none.")
    ]
    described: Annotated[bool, Meta(description="Whether the record has a description of its system.")]


class SharedValue(Shape):
    value: Annotated[str, Meta(description="The value, as text.")]
    results: Annotated[int, Meta(description="Results that have it.")]


class SharedFact(Shape):
    """A fact that two of the results or more say."""

    name: FactName
    title: FactTitle
    kind: FactKind
    value: Annotated[str, Meta(description="The most frequent value.")]
    results: Annotated[int, Meta(description="Results that have this value.")]
    known_results: Annotated[int, Meta(description="Results that state the fact.")]
    unknown: Annotated[int, Meta(description="Results that do not state it: neither shared nor different.")]
    shared: Annotated[bool, Meta(description="True: two or more state it, and all of them have one value.")]
    values: Annotated[list[SharedValue], Meta(description="Its values, most results first, up to 10.")]


class SharedFacts(Shape):
    """What some results share."""

    by: Annotated[str | None, Meta(description="Column that the best are best by; null where ids were given.")]
    top: Annotated[int | None, Meta(description="Systems at most; null where ids were given.")]
    results: Annotated[list[SharingResult], Meta(description="The results, the best of each system, best first.")]
    described: Annotated[int, Meta(description="How many of them describe their system.")]
    tunables_known: Annotated[int, Meta(description="Facts of tuning that two of them or more state.")]
    facts: Annotated[list[SharedFact], Meta(description="Facts, those first that most results have alike.")]
