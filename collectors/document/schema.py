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
SHOWN_CHARACTERS = 60
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
    return itertools.islice(found(document, schema, schema, "", 0), at_most)


def fits(value, rule):
    """Whether a value is valid by a part of the system document's schema."""
    return next(found(value, rule, document_schema(), "", 0), None) is None


def resolved(rule):
    """The part of the system document's schema that a reference names; any other part as it is."""
    while "$ref" in rule:
        rule = referred(rule["$ref"], document_schema())
    return rule


def referred(reference, root):
    return root["$defs"][reference[len(REFERENCE) :]]


def found(value, schema, root, pointer, depth):
    if schema is False or depth > MAX_DEPTH:
        yield pointer, "is nested too deeply" if schema else "is not allowed here"
        return
    for keyword, wanted in schema.items() if schema is not True else ():
        if keyword in CHECKS:
            type_name, is_wrong, words = CHECKS[keyword]
            if TYPES[type_name](value) and is_wrong(value, wanted):
                yield pointer, words.format(value=quote_value(value), wanted=wanted)
        elif keyword in DESCENTS:
            type_name, children = DESCENTS[keyword]
            for name, child, subschema in children(value, wanted, schema) if TYPES[type_name](value) else ():
                yield from found(child, subschema, root, below(pointer, name), depth + 1)
        elif keyword == "required":
            for name in wanted if isinstance(value, dict) else ():
                if name not in value:
                    yield pointer, name + " is missing"
        elif keyword == "$ref":
            yield from found(value, referred(wanted, root), root, pointer, depth + 1)
        elif keyword == "anyOf":
            if all(any(True for _ in found(value, option, root, pointer, depth + 1)) for option in wanted):
                yield pointer, quote_value(value) + " is none of the things that are allowed here"
        elif keyword not in REMARKS:
            raise ValueError("the schema has the keyword " + keyword)


def below(pointer, name):
    return pointer + "/" + str(name).replace("~", "~0").replace("/", "~1")


def quote_value(value):
    """A value as a message may show it: short, on one line."""
    if isinstance(value, (list, dict)):
        return {list: "a list", dict: "an object"}[type(value)]
    text = ascii(value[: SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_time(text):
    """A time of RFC 3339 on a day that the calendar has."""
    match = TIME.match(text)
    try:
        return bool(match and datetime.date(*map(int, match.groups()[:3])))
    except ValueError:
        return False


def equal(one, other):
    """Equality of JSON: 1 is 1.0 but not true, at any depth."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def is_one_of(value, wanted):
    return any(equal(value, one) for one in wanted)


def has_type(value, wanted):
    return any(TYPES[name](value) for name in ([wanted] if isinstance(wanted, str) else wanted))


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
    "type": ("anything", lambda value, wanted: not has_type(value, wanted), "{value} is not of type {wanted}"),
    "const": ("anything", lambda value, wanted: not equal(value, wanted), "{value} is not {wanted}"),
    "enum": ("anything", lambda value, wanted: not is_one_of(value, wanted), "{value} is not in {wanted}"),
    "pattern": ("string", lambda value, wanted: not re.search(wanted, value), "{value} is not like {wanted}"),
    "format": ("string", lambda value, wanted: wanted == "date-time" and not is_time(value), "{value} is no {wanted}"),
    "maxLength": ("string", lambda value, wanted: len(value) > wanted, "is longer than {wanted} characters"),
    "minimum": ("number", lambda value, wanted: value < wanted, "{value} is less than {wanted}"),
    "maximum": ("number", lambda value, wanted: value > wanted, "{value} is more than {wanted}"),
    "minItems": ("array", lambda value, wanted: len(value) < wanted, "has fewer items than {wanted}"),
}
# keyword: the type of value it is about, and (name, value, its schema) of each value that it leads to.
DESCENTS = {
    "properties": ("object", lambda value, wanted, _: [(n, value[n], wanted[n]) for n in wanted if n in value]),
    "additionalProperties": (
        "object",
        lambda value, wanted, schema: [(n, value[n], wanted) for n in value if n not in schema.get("properties", ())],
    ),
    "propertyNames": ("object", lambda value, wanted, _: [(n, n, wanted) for n in value]),
    "items": ("array", lambda value, wanted, _: [(n, item, wanted) for n, item in enumerate(value)]),
}
