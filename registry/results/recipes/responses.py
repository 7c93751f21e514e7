"""Shapes of recipes; docs/reproduce.md has them in words."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from registry.query.responses.row_fields import PublicId
from registry.query.responses.shapes import Shape, one_of


class RecipeCommand(Shape):
    step: Annotated[str, Meta(description="Phase that it ran.")]
    arguments: Annotated[list[str], Meta(description="Program and its arguments, with variables.")]


class RecipeFile(Shape):
    path: Annotated[str, Meta(description="Name under which the program reads it.")]
    text: Annotated[str, Meta(description="Content, with variables.")]


class RecipeVariable(Shape):
    name: Annotated[str, Meta(description="As it stands in texts, with its $.")]
    meaning: Annotated[str, Meta(description="What to put in its place.")]
    value: Annotated[int | None, Meta(description="Its value in the run; null: unknown, or never shown.")]


class MissingOfRecipe(Shape):
    what: Annotated[str, Meta(description="What is not known of the run.")]
    why: Annotated[str, Meta(description="Why it is not known.")]
    may_change: Annotated[str, Meta(description="What it may change in a repetition.")]


class RecipeEnvironment(Shape):
    variable: Annotated[str, Meta(description="Name of the variable.")]
    value: Annotated[str | None, Meta(description="Its value; null: it was set, and its value is not shown.")]


class RecipeLayout(Shape):
    phase: Annotated[str, Meta(description="Phase whose files were laid out so.")]
    words: Annotated[str, Meta(description="The layout in words.")]
    command: Annotated[str | None, Meta(description="Command that makes it; null where no single one is known.")]


class DataSetOfRecipe(Shape):
    """How large the data set is, and what it follows from."""

    bytes: Annotated[int | None, Meta(description="Bytes that a run writes; null where its options do not tell.")]
    how: Annotated[str, Meta(description="The product that it is, or why it is not known.")]
    client_memory_bytes: Annotated[
        int | None, Meta(description="Memory of all client nodes, bytes; null where it is not recorded.")
    ]
    times_client_memory: Annotated[
        float | None, Meta(description="The one by the other, without unit; null: one is null.")
    ]


class Tunable(Shape):
    parameter: Annotated[str, Meta(description="Id in the registry of parameters.")]
    nodes: Annotated[str, Meta(description="Class of nodes that had it.")]
    instances: Annotated[int, Meta(description="Number of targets, devices or nodes with this value.")]
    value: Annotated[str, Meta(description="Its value, with its unit.")]
    default: Annotated[str, Meta(description="What its release sets by itself; empty where that is not known.")]
    set: Annotated[str | None, Meta(description="Command that sets it; null where none is known.")]
    undo: Annotated[str | None, Meta(description="Command that undoes it; VALUE_BEFORE is what `read_before` printed.")]
    read_before: Annotated[str | None, Meta(description="Command that reads it; null where none is known.")]
    who: Annotated[str | None, Meta(description="Who may set it; null where that is not known."), one_of("root")]


class Recipe(Shape):
    """What to run to reproduce a result, and what is not known of its run."""

    result: PublicId
    schema: Annotated[str, Meta(description="Name and version of this form: recipe.1.")]
    tool: Annotated[str, Meta(description="Benchmark.")]
    version: Annotated[str | None, Meta(description="Version of the tool; null where it is not known.")]
    source: Annotated[str | None, Meta(description="Where the tool comes from; null where it is not known.")]
    arguments: Annotated[
        list[str] | None, Meta(description="Program and its arguments, with variables; null where they are not known.")
    ]
    commands: Annotated[list[RecipeCommand], Meta(description="Commands of single steps, where only these are known.")]
    files: Annotated[list[RecipeFile], Meta(description="Input files of the program.")]
    options_sha256: Annotated[
        str | None, Meta(description="sha256 of the options; equal recipes have equal ones. Null: not all are known.")
    ]
    data_set: Annotated[
        DataSetOfRecipe | None, Meta(description="Size of the data set; null where no options are known.")
    ]
    variables: Annotated[list[RecipeVariable], Meta(description="Variables in its texts.")]
    launcher: Annotated[str | None, Meta(description="Program that started the processes; null: not recorded.")]
    build: Annotated[dict[str, Any], Meta(description="Libraries, modules and source of the program; may be empty.")]
    environment: Annotated[
        list[RecipeEnvironment], Meta(description="Variables of the environment that steer input and output.")
    ]
    layout: Annotated[list[RecipeLayout], Meta(description="How files were laid out over targets.")]
    tunables: Annotated[list[Tunable], Meta(description="Settings that differ from the default of their release.")]
    missing: Annotated[list[MissingOfRecipe], Meta(description="What is not known. Nothing is put in its place.")]
