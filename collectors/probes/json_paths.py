"""Reading JSON that a command printed: nothing is taken for granted about its shape."""

from collectors.outputs import jsontext

MAX_COUNT = 2**63


def json_object(text, *needed):
    """The object that a text holds, which has the needed fields. Raises ValueError for other texts."""
    document = jsontext.document(text)
    if not isinstance(document, dict) or not set(needed) <= set(document):
        raise ValueError("not an object with " + ", ".join(needed) if needed else "not an object")
    return document


def at(document, *way):
    """What lies at a way of names through nested objects, or None."""
    for name in way:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def count_at(document, *way):
    """The whole number from 0 on that lies there, or None."""
    value = at(document, *way)
    return value if type(value) is int and 0 <= value < MAX_COUNT else None


def word_at(document, words, *way):
    """The text that lies there if it is one of the expected, or None."""
    value = at(document, *way)
    return value if isinstance(value, str) and value in words else None


def objects_at(document, *way):
    """The objects of the list that lies there."""
    value = at(document, *way)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def without_none(values):
    """The entries that are not None."""
    return {name: value for name, value in values.items() if value is not None}
