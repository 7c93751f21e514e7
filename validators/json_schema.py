"""What of a document is not as its JSON Schema says: the keywords of draft 2020-12 that schemas of ours use.

Standard library only, because a site runs these rules offline, from a single file and with a Python of its own. It
stands in for the package jsonschema there, with the same places and messages, which the tests hold against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

REFERENCE = "#/$defs/"
REMARKS = frozenset(["$schema", "$id", "title", "description", "$defs"])
_PLAIN_NAME = re.compile(r"^[a-zA-Z][a-zA-Z0-9_]*$")
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$", re.ASCII
)


@dataclass(frozen=True)
class SchemaError:
    """One place that breaks the schema: the keyword that it breaks ("" for a schema that allows nothing)."""

    message: str
    validator: str
    absolute_path: tuple[str | int, ...] = ()

    @property
    def json_path(self) -> str:
        """The place as a JSON path: `$.captures[0]['a b']`."""
        return "$" + "".join(map(_step, self.absolute_path))


def errors(document: object, schema: Mapping[str, Any]) -> Iterator[SchemaError]:
    """Every error, in the order of the schema. ValueError: the schema has a keyword that is not known here."""
    return _errors(document, schema, schema)


def _errors(value: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    if schema is False:
        yield SchemaError(f"False schema does not allow {value!r}", "")
    elif schema is not True:
        for keyword, constraint in schema.items():
            if keyword in _DESCENTS:
                yield from _DESCENTS[keyword](value, constraint, schema, root)
            elif keyword in _CHECKS:
                kind, message_of = _CHECKS[keyword]
                message = message_of(value, constraint) if _TYPES[kind](value) else None
                if message:
                    yield SchemaError(message, keyword)
            elif keyword not in REMARKS:
                raise ValueError(f"the keyword {keyword} of a schema is not known")


def _below(name: str | int, value: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for error in _errors(value, schema, root):
        yield replace(error, absolute_path=(name, *error.absolute_path))


def _fits(value: Any, schema: Any, root: Mapping[str, Any]) -> bool:
    return next(_errors(value, schema, root), None) is None


def _reference(value: Any, reference: str, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    yield from _errors(value, root["$defs"][reference[len(REFERENCE) :]], root)


def _properties(value: Any, schemas_by_name: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for name, below in schemas_by_name.items() if isinstance(value, dict) else ():
        if name in value:
            yield from _below(name, value[name], below, root)


def _additional(value: Any, extra_schema: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    extras = [name for name in value if name not in schema.get("properties", ())] if isinstance(value, dict) else []
    if isinstance(extra_schema, dict):
        for name in extras:
            yield from _below(name, value[name], extra_schema, root)
    elif extra_schema is False and extras:
        names = ", ".join(map(repr, sorted(extras, key=str)))
        verb = "was" if len(extras) == 1 else "were"
        message = f"Additional properties are not allowed ({names} {verb} unexpected)"
        yield SchemaError(message, "additionalProperties")


def _names(value: Any, name_schema: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for name in value if isinstance(value, dict) else ():
        yield from _errors(name, name_schema, root)


def _items(value: Any, item_schema: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield from _below(index, item, item_schema, root)


def _required(value: Any, required_names: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for name in required_names if isinstance(value, dict) else ():
        if name not in value:
            yield SchemaError(f"{name!r} is a required property", "required")


def _dependent(value: Any, needed_by_name: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    for name, needed in needed_by_name.items() if isinstance(value, dict) else ():
        for other in needed if name in value else ():
            if other not in value:
                yield SchemaError(f"{other!r} is a dependency of {name!r}", "dependentRequired")


def _contains(value: Any, item_schema: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    if isinstance(value, list) and not any(_fits(item, item_schema, root) for item in value):
        yield SchemaError(f"{value!r} does not contain items matching the given schema", "contains")


def _any_of(value: Any, alternatives: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    if not any(_fits(value, alternative, root) for alternative in alternatives):
        yield SchemaError(f"{value!r} is not valid under any of the given schemas", "anyOf")


def _one_of(value: Any, alternatives: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    fitting = [alternative for alternative in alternatives if _fits(value, alternative, root)]
    if not fitting:
        yield SchemaError(f"{value!r} is not valid under any of the given schemas", "oneOf")
    elif len(fitting) > 1:
        names = ", ".join(map(repr, [*fitting[1:], fitting[0]]))
        yield SchemaError(f"{value!r} is valid under each of {names}", "oneOf")


def _not(value: Any, excluded_schema: Any, schema: Any, root: Mapping[str, Any]) -> Iterator[SchemaError]:
    if _fits(value, excluded_schema, root):
        yield SchemaError(f"{value!r} should not be valid under {excluded_schema!r}", "not")


def _has_type(value: Any, allowed_types: Any) -> str | None:
    names = [allowed_types] if isinstance(allowed_types, str) else allowed_types
    if any(_TYPES[name](value) for name in names):
        return None
    return f"{value!r} is not of type {', '.join(map(repr, names))}"


def _has_format(value: Any, format_name: str) -> str | None:
    if format_name != "date-time":
        raise ValueError(f"the format {format_name} of a schema is not known")
    return None if _is_time(value) else f"{value!r} is not a {format_name!r}"


def _is_time(text: str) -> bool:
    """Whether it is a time of RFC 3339 on a day that the calendar has."""
    match = _TIME.match(text.upper())
    try:
        return bool(match and date(*map(int, match.groups())))
    except ValueError:
        return False


def _size(limit: str) -> Callable[[Any, int], str | None]:
    """The check of a count: `min`, where 1 has words of its own, or `max`, where 0 has."""

    def message_of(value: Any, bound: int) -> str | None:
        if limit == "min" and len(value) < bound:
            if bound == 1:
                return f"{value!r} should be non-empty"
            return f"{value!r} {'does not have enough properties' if isinstance(value, dict) else 'is too short'}"
        if limit == "max" and len(value) > bound:
            return f"{value!r} {'is expected to be empty' if bound == 0 else 'is too long'}"
        return None

    return message_of


def _comparable(value: Any) -> Any:
    """A value in a form that is equal, and has the same hash, exactly where JSON is: 1 is 1.0 and not true."""
    if isinstance(value, list):
        return ("list", tuple(map(_comparable, value)))
    if isinstance(value, dict):
        return ("object", frozenset((name, _comparable(item)) for name, item in value.items()))
    return (type(value).__name__ if isinstance(value, (bool, str)) else "", value)


def _equal(value: Any, other: Any) -> bool:
    return bool(_comparable(value) == _comparable(other))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _step(name: str | int) -> str:
    if isinstance(name, int):
        return f"[{name}]"
    if _PLAIN_NAME.match(name):
        return f".{name}"
    quoted = name.replace("\\", "\\\\").replace("'", r"\'")
    return f"['{quoted}']"


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "anything": lambda value: True,
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_CHECKS: Mapping[str, tuple[str, Callable[[Any, Any], str | None]]] = {
    "type": ("anything", _has_type),
    "const": ("anything", lambda value, expected: None if _equal(value, expected) else f"{expected!r} was expected"),
    "enum": (
        "anything",
        lambda value, choices: (
            None if any(_equal(value, choice) for choice in choices) else f"{value!r} is not one of {choices!r}"
        ),
    ),
    "pattern": (
        "string",
        lambda value, pattern: None if re.search(pattern, value) else f"{value!r} does not match {pattern!r}",
    ),
    "format": ("string", _has_format),
    "minLength": ("string", _size("min")),
    "maxLength": ("string", _size("max")),
    "minItems": ("array", _size("min")),
    "maxItems": ("array", _size("max")),
    "minProperties": ("object", _size("min")),
    "minimum": (
        "number",
        lambda value, minimum: f"{value!r} is less than the minimum of {minimum!r}" if value < minimum else None,
    ),
    "maximum": (
        "number",
        lambda value, maximum: f"{value!r} is greater than the maximum of {maximum!r}" if value > maximum else None,
    ),
    "exclusiveMinimum": (
        "number",
        lambda value, bound: f"{value!r} is less than or equal to the minimum of {bound!r}" if value <= bound else None,
    ),
    "uniqueItems": (
        "array",
        lambda value, must_be_unique: (
            f"{value!r} has non-unique elements"
            if must_be_unique and len(set(map(_comparable, value))) < len(value)
            else None
        ),
    ),
}
"""keyword: the type of value that it is about, and the message for a wrong one."""
_DESCENTS: Mapping[str, Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[SchemaError]]] = {
    "$ref": _reference,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "dependentRequired": _dependent,
    "contains": _contains,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
}
