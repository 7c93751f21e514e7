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


def compile_part(rule, root=None):
    """A function that tells whether a value is valid by a part of a schema, quicker than `errors` for many values.

    `root` is the schema that the part is of, the system document's where none is given. Raises ValueError for a keyword
    that is not known here, and for a part that leads back to itself.
    """
    return compile_rule(rule, document_schema() if root is None else root, {})


def compile_rule(rule, root, by_reference):
    """`compile_part` with the functions of references that are made already; None stands for one that is being made.

    Raises ValueError as `compile_part`.
    """
    if not isinstance(rule, dict):
        return lambda value: bool(rule)
    tests, value_rules = [], {name: rule[name] for name in OF_OBJECTS if name in rule}
    for keyword, keyword_value in rule.items():
        if keyword in CHECKS:
            tests.append(compile_check(keyword, keyword_value))
        elif keyword == "items":
            tests.append(compile_items(compile_rule(keyword_value, root, by_reference)))
        elif keyword == "$ref":
            tests.append(compile_reference(keyword_value, root, by_reference))
        elif keyword == "anyOf":
            tests.append(compile_any([compile_rule(option, root, by_reference) for option in keyword_value]))
        elif keyword not in value_rules and keyword not in REMARKS:
            raise ValueError("the schema has the keyword " + keyword)
    if value_rules:
        tests.append(compile_object(value_rules, root, by_reference))
    return join_tests(tests)


def join_tests(tests):
    """One function that tells whether a value passes all tests."""
    if not tests:
        return lambda value: True
    if len(tests) == 1:
        return tests[0]
    first, rest = tests[0], join_tests(tests[1:])
    return lambda value: first(value) and rest(value)


def compile_check(keyword, keyword_value):
    type_name, is_wrong, _words = CHECKS[keyword]
    is_about = TYPES[type_name]
    if keyword == "type" and isinstance(keyword_value, str):
        return TYPES[keyword_value]
    if keyword == "pattern":
        search = re.compile(keyword_value).search
        return lambda value: not isinstance(value, str) or search(value) is not None
    return lambda value: not (is_about(value) and is_wrong(value, keyword_value))


def compile_items(item_test):
    return lambda value: not isinstance(value, list) or all(item_test(item) for item in value)


def compile_any(options):
    return lambda value: any(option(value) for option in options)


def compile_reference(reference, root, by_reference):
    """The function of what a reference names. Raises ValueError where that leads back to itself."""
    if reference not in by_reference:
        by_reference[reference] = None
        by_reference[reference] = compile_rule(referred(reference, root), root, by_reference)
    if by_reference[reference] is None:
        raise ValueError("the schema leads back to " + reference)
    return by_reference[reference]


def compile_object(rules, root, by_reference):
    """What a schema says of the names of an object and of their values, in one go."""
    required = rules.get("required", ())
    by_name = {name: compile_rule(rule, root, by_reference) for name, rule in rules.get("properties", {}).items()}
    other = compile_rule(rules.get("additionalProperties", True), root, by_reference)
    is_name = compile_rule(rules["propertyNames"], root, by_reference) if "propertyNames" in rules else None

    def is_valid_object(value):
        if not isinstance(value, dict):
            return True
        for name in required:
            if name not in value:
                return False
        for name, inner in value.items():
            if not by_name.get(name, other)(inner) or (is_name and not is_name(name)):
                return False
        return True

    return is_valid_object


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
# The keywords about objects, which are compiled together.
OF_OBJECTS = ("properties", "additionalProperties", "propertyNames", "required")
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
