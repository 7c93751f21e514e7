"""Is a document what its JSON Schema says? For schemas of 17 keywords of draft 2020-12, with the standard library only.

type const enum pattern format maxLength minimum maximum minItems required properties additionalProperties
propertyNames items anyOf $ref $defs

The one format is date-time; a reference is `#/$defs/NAME`; $schema, $id, title and description are remarks.
"""

import datetime
import itertools
import re

from collectors.document.parameters import document_schema

# Deeper than any document of ours, and far from Python's own limit.
MAX_DEPTH = 60
MAX_ERRORS = 100
MAX_QUOTED_CHARACTERS = 60
REFERENCE = "#/$defs/"
REMARKS = ("$schema", "$id", "title", "description", "$defs")
TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$",
    re.ASCII | re.IGNORECASE,
)


def errors(document, schema=None, at_most=MAX_ERRORS):
    """Iterate over (JSON Pointer, message) of what is wrong, the first `at_most`; nothing where it is valid.

    `schema` is the system document's where none is given. Raises ValueError for a schema with another keyword,
    KeyError for a reference to nothing.
    """
    schema = document_schema() if schema is None else schema
    return itertools.islice(find_errors(document, schema, schema, "", 0), at_most)


def fits(value, rule):
    """Whether a value is valid by a part of the system document's schema."""
    return next(find_errors(value, rule, document_schema(), "", 0), None) is None


def resolved(rule):
    """The part of the system document's schema that a reference names; any other part as it is."""
    while "$ref" in rule:
        rule = referred(rule["$ref"], document_schema())
    return rule


def referred(reference, root):
    return root["$defs"][reference[len(REFERENCE) :]]


def find_errors(value, schema, root, pointer, depth):
    """Yield (pointer, message) for each thing in a value that its schema does not allow.

    Raises ValueError for a keyword of the schema that is not known here.
    """
    if schema is False or depth > MAX_DEPTH:
        yield pointer, "is nested too deeply" if schema else "is not allowed here"
        return
    for keyword, keyword_value in schema.items() if schema is not True else ():
        if keyword in CHECKS:
            type_name, is_wrong, words = CHECKS[keyword]
            if TYPES[type_name](value) and is_wrong(value, keyword_value):
                yield pointer, words.format(value=quote_value(value), wanted=keyword_value)
        elif keyword in DESCENTS:
            type_name, children = DESCENTS[keyword]
            for name, child, subschema in children(value, keyword_value, schema) if TYPES[type_name](value) else ():
                yield from find_errors(child, subschema, root, child_pointer(pointer, name), depth + 1)
        elif keyword == "required":
            for name in keyword_value if isinstance(value, dict) else ():
                if name not in value:
                    yield pointer, name + " is missing"
        elif keyword == "$ref":
            yield from find_errors(value, referred(keyword_value, root), root, pointer, depth + 1)
        elif keyword == "anyOf":
            if all(any(True for _ in find_errors(value, option, root, pointer, depth + 1)) for option in keyword_value):
                yield pointer, quote_value(value) + " is none of the things that are allowed here"
        elif keyword not in REMARKS:
            raise ValueError("the schema has the keyword " + keyword)


def child_pointer(pointer, name):
    return pointer + "/" + str(name).replace("~", "~0").replace("/", "~1")


def quote_value(value):
    """A value as a message may show it: short, on one line."""
    if isinstance(value, (list, dict)):
        return {list: "a list", dict: "an object"}[type(value)]
    text = ascii(value[: MAX_QUOTED_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= MAX_QUOTED_CHARACTERS else text[:MAX_QUOTED_CHARACTERS] + "..."


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_time(text):
    """A time of RFC 3339 on a day that the calendar has."""
    match = TIME.match(text)
    try:
        return bool(match and datetime.date(*map(int, match.groups()[:3])))
    except ValueError:
        return False


def equal(value, other):
    """Equality of JSON: 1 is 1.0 but not true, at any depth."""
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(equal, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(equal(value[key], other[key]) for key in value)
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def is_one_of(value, choices):
    return any(equal(value, choice) for choice in choices)


def has_type(value, type_names):
    return any(TYPES[name](value) for name in ([type_names] if isinstance(type_names, str) else type_names))


TYPES = {
    "anything": lambda value: True,
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
# keyword: the type of value it is about, whether a value is wrong, and the message.
CHECKS = {
    "type": ("anything", lambda value, type_names: not has_type(value, type_names), "{value} is not of type {wanted}"),
    "const": ("anything", lambda value, constant: not equal(value, constant), "{value} is not {wanted}"),
    "enum": ("anything", lambda value, choices: not is_one_of(value, choices), "{value} is not in {wanted}"),
    "pattern": ("string", lambda value, pattern: not re.search(pattern, value), "{value} is not like {wanted}"),
    "format": (
        "string",
        lambda value, format_name: format_name == "date-time" and not is_time(value),
        "{value} is no {wanted}",
    ),
    "maxLength": ("string", lambda value, limit: len(value) > limit, "is longer than {wanted} characters"),
    "minimum": ("number", lambda value, limit: value < limit, "{value} is less than {wanted}"),
    "maximum": ("number", lambda value, limit: value > limit, "{value} is more than {wanted}"),
    "minItems": ("array", lambda value, limit: len(value) < limit, "has fewer items than {wanted}"),
}
# keyword: the type of value it is about, and (name, value, its schema) of each value that it leads to.
DESCENTS = {
    "properties": (
        "object",
        lambda value, schemas_by_name, _: [(n, value[n], schemas_by_name[n]) for n in schemas_by_name if n in value],
    ),
    "additionalProperties": (
        "object",
        lambda value, subschema, schema: [
            (n, value[n], subschema) for n in value if n not in schema.get("properties", ())
        ],
    ),
    "propertyNames": ("object", lambda value, subschema, _: [(n, n, subschema) for n in value]),
    "items": ("array", lambda value, subschema, _: [(n, item, subschema) for n, item in enumerate(value)]),
}
