"""A node document in parts, and the rules of the schema for each of them."""

import marshal
from collections import namedtuple
from itertools import compress

from collectors.document import schema
from collectors.document.parameters import document_schema

# What is no part: captures and members belong to one node alone, and class_id follows from the facts.
NOT_OF_DOCUMENT = ("captures", "node_classes")
NOT_OF_NODE = ("members", "class_id", "parameters")
# Later formats also tell how a value is kept in memory, which differs between equal ones.
MARSHAL_FORMAT = 2
SIZE = {"$ref": "#/$defs/count"}
PARAMETER = {"$ref": "#/$defs/parameter"}

# `parameters` is how many there are that say the same from moment to moment.
Labels = namedtuple("Labels", "document node parameters")
Labels.__doc__ = "The names of a document's parts, in order: sections of the document, of its node, and a number."


class NodeParts:
    """The parts of a document of one node; sizes of memory and volatile parameters are none.

    Raises one of fold.BAD_DOCUMENT for what has another shape.
    """

    def __init__(self, document, volatile):
        """`volatile` are the ids of parameters that differ from moment to moment."""
        (node_class,), (self.capture,) = document["node_classes"], document["captures"]
        hardware, self.sizes = split_sizes(node_class["hardware"])
        self.node = dict(node_class, hardware=hardware)
        parameters = node_class.get("parameters", ())
        # The parameter says the total of the memory once more.
        apart = volatile | {"mem.total"} if self.sizes else volatile
        self.is_apart = [entry["id"] in apart for entry in parameters]
        self.apart = list(compress(parameters, self.is_apart))
        stable = [entry for entry, is_apart in zip(parameters, self.is_apart) if not is_apart]
        if "parameters" in node_class:
            self.node["parameters"] = stable
        of_document = [name for name in document if name not in NOT_OF_DOCUMENT]
        of_node = [name for name in self.node if name not in NOT_OF_NODE]
        self.labels = Labels(tuple(of_document), tuple(of_node), len(stable))
        self.values = [document[name] for name in of_document] + [self.node[name] for name in of_node] + stable


class PartsSchema:
    """The rules of the schema for each part of a document, made into functions once."""

    def __init__(self):
        node_rules = document_schema()["$defs"]["node_class"]["properties"]
        self.is_document = schema.compile_part(document_schema())
        self.is_parameter = schema.compile_part(PARAMETER)
        self.is_size = schema.compile_part(SIZE)
        self.of_document = {name: schema.compile_part(rule) for name, rule in document_schema()["properties"].items()}
        self.of_node = {name: schema.compile_part(rule) for name, rule in node_rules.items()}

    def is_valid(self, position, value, labels):
        """Whether a value is valid as the part at a position; its label is a name that the schema has."""
        of_document, of_node, _parameters = labels
        if position < len(of_document):
            return self.of_document[of_document[position]](value)
        if position < len(of_document) + len(of_node):
            return self.of_node[of_node[position - len(of_document)]](value)
        return self.is_parameter(value)


def split_sizes(hardware):
    """The hardware without its sizes of memory, and these by pointer: no two nodes have quite the same.

    Raises ValueError where two NUMA nodes have one name.
    """
    hardware, places = with_places_of_sizes(hardware)
    sizes = {pointer: place.pop("total_bytes") for pointer, place in places if place.get("total_bytes") is not None}
    if len({pointer for pointer, _place in places}) < len(places):
        raise ValueError("two NUMA nodes of one name")
    return hardware, sizes


def join_sizes(hardware, sizes):
    """What `split_sizes` took apart."""
    hardware, places = with_places_of_sizes(hardware)
    for pointer, place in places:
        if pointer in sizes:
            place["total_bytes"] = sizes[pointer]
    return hardware


def with_places_of_sizes(hardware):
    """A copy of the hardware, and [(pointer, object)] of what has a size of memory in it."""
    hardware = dict(hardware, memory=dict(hardware["memory"]))
    places = [("/hardware/memory/total_bytes", hardware["memory"])]
    if "numa" in hardware:
        hardware["numa"] = [dict(numa) for numa in hardware["numa"]]
        named = [numa for numa in hardware["numa"] if "node" in numa]
        places += [("/hardware/numa/%s/total_bytes" % numa["node"], numa) for numa in named]
    return hardware, places


def to_bytes(value):
    """The bytes of a value of JSON: the same bytes are the same value."""
    return marshal.dumps(value, MARSHAL_FORMAT)
