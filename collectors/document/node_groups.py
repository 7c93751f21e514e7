"""Groups of nodes that say the same. Of a thousand nodes that are nearly alike, only what differs is checked and kept.

The first node of its kind is a Reference: its whole document is held against the schema and turned into facts. Of each
further node, the parts that differ from a reference are checked, turned into facts, and packed.
"""

import hashlib
import marshal
import zlib
from itertools import chain, compress

from collectors.document import compare
from collectors.document.canonical_json import canonical
from collectors.document.node_parts import join_sizes, to_bytes

# A node that differs in more is a reference of its own.
MOST_DIFFERENT_PARTS = 64
# So many groups of a reference are kept as they are; those of larger systems are compressed, which takes longer.
MOST_UNCOMPRESSED = 1000


class Reference:
    """A node that is valid by the whole schema, and the groups of nodes that differ from it in little or nothing."""

    def __init__(self, document, parts, volatile, parts_schema):
        """`volatile` are the ids of parameters that differ from moment to moment.

        Raises ValueError for numbers that JSON does not have.
        """
        canonical(document)
        self.document = document
        self.parts = parts
        self.schema = parts_schema
        stable_facts = compare.node_facts(parts.node, volatile)
        self.repeated = compare.repeated_parameters(stable_facts)
        self.facts = dict(stable_facts, **parts.sizes)
        self.number = sum_of_facts(self.facts.items())
        parameters = parts.node.get("parameters", ())
        self.has_each_parameter_once = len({parameter_name(entry) for entry in parameters}) == len(parameters)
        # To Python, true is 1 and false is 0: where the schema allows either, equal is not enough.
        self.exact = [
            (position, to_bytes(value))
            for position, value in enumerate(parts.values)
            if any(parts_schema.is_valid(position, other, parts.labels) for other in with_numbers_for_booleans(value))
        ]
        self.facts_by_position = {}
        self.groups = {}

    def all_groups(self):
        return list(chain.from_iterable(self.groups.values()))

    def group_of(self, parts):
        """The NodeGroup that a node belongs to, a new one if need be; None where it is too different.

        Raises ValueError where a part that differs is not valid.
        """
        positions = self.differing_positions(parts)
        if positions is None:
            return None
        differing = [[position, parts.values[position]] for position in positions]
        alike = self.groups.setdefault(hashlib.sha256(to_bytes(differing)).digest(), [])
        kind = next((kind for kind in alike if kind.has(parts.sizes)), None)
        if kind is None:
            self.check_parts(parts, positions)
            changes = self.changed_facts(parts, positions)
            if changes is None:
                return None
            kind = NodeGroup(self, changes, self.pack_parts(parts, differing))
            kind.has_own_sections = any(position < len(parts.labels.document) for position in positions)
            alike.append(kind)
        return kind

    def differing_positions(self, parts):
        """The positions of the parts that differ; None where they are too many, or the parts are not the same ones."""
        if parts.labels != self.parts.labels:
            return None
        pairs = zip(parts.values, self.parts.values)
        positions = {position for position, (value, own) in enumerate(pairs) if value != own}
        positions.update(position for position, exact in self.exact if to_bytes(parts.values[position]) != exact)
        return sorted(positions) if len(positions) <= MOST_DIFFERENT_PARTS else None

    def check_parts(self, parts, positions):
        """Raises ValueError where one of these parts is not valid."""
        canonical([parts.values[position] for position in positions])
        if not all(self.schema.is_valid(position, parts.values[position], parts.labels) for position in positions):
            raise ValueError("a part is not valid")

    def changed_facts(self, parts, positions):
        """{pointer: value} of the facts that differ, None for one that is gone; None where all facts must be made anew.

        That is where a part decides on facts of other parts, too.
        """
        changes = {}
        labels = parts.labels
        sections = len(labels.document) + len(labels.node)
        for position in positions:
            before, after = self.parts.values[position], parts.values[position]
            if position >= sections:
                if not self.has_each_parameter_once or shape_of_parameter(before) != shape_of_parameter(after):
                    return None
                if after["id"] not in self.repeated:
                    changes[compare.parameter_pointer(after)] = compare.format_counted_values(after["values"])
            elif position >= len(labels.document):
                name = labels.node[position - len(labels.document)]
                facts_before, facts_after = self.facts_at(position, name), compare.section_facts(name, after)
                if facts_before.keys() != facts_after.keys() and (
                    compare.repeated_parameters(facts_before) != compare.repeated_parameters(facts_after)
                ):
                    return None
                changes.update(dict.fromkeys(facts_before), **facts_after)
        changes.update(dict.fromkeys(self.parts.sizes), **parts.sizes)
        return {pointer: value for pointer, value in changes.items() if is_other_value(value, self.facts.get(pointer))}

    def facts_at(self, position, name):
        """{pointer: value} of a section of the reference."""
        if position not in self.facts_by_position:
            self.facts_by_position[position] = compare.section_facts(name, self.parts.values[position])
        return self.facts_by_position[position]

    def pack_parts(self, parts, differing):
        """What a node has otherwise, as bytes."""
        content = [differing, parts.capture, parts.sizes, parts.is_apart, parts.apart]
        return zlib.compress(to_bytes(content), 0 if len(self.groups) <= MOST_UNCOMPRESSED else 1)

    def document_of(self, packed):
        """The document of another node again, without the volatile parameters that are not valid."""
        serialised = zlib.decompress(packed)
        differing, capture, sizes, is_apart, apart = marshal.loads(serialised)  # noqa: S302 - `pack_parts` made it, in memory
        values = list(self.parts.values)
        for position, value in differing:
            values[position] = value
        labels = self.parts.labels
        of_document, of_node = len(labels.document), len(labels.document) + len(labels.node)
        node_class = dict(self.parts.node, **dict(zip(labels.node, values[of_document:of_node])))
        node_class["hardware"] = join_sizes(node_class["hardware"], sizes)
        if "parameters" in node_class:
            stable, others = iter(values[of_node:]), iter(apart)
            entries = [next(others if other else stable) for other in is_apart]
            node_class["parameters"] = list(compress(entries, map(self.schema.is_parameter, entries)))
        document = dict(self.document, **dict(zip(labels.document, values)))
        return dict(document, captures=[capture], node_classes=[node_class])


class NodeGroup:
    """Nodes that say the same: how they differ from a reference, and who they are."""

    __slots__ = ("reference", "changes", "packed", "has_own_sections", "members", "count", "_number")

    def __init__(self, reference, changes, packed):
        """`changes` are the facts that the reference has otherwise, `packed` is what it takes to make the document."""
        self.reference = reference
        self.changes = changes
        self.packed = packed
        # Whether what the document says beside its node differs, too.
        self.has_own_sections = False
        self.members = []
        self.count = 0
        self._number = None

    @property
    def document(self):
        return self.reference.document_of(self.packed)

    @property
    def role(self):
        return tuple(sorted(self.reference.parts.node["role"]))

    @property
    def facts(self):
        facts = dict(self.reference.facts, **self.changes)
        return {pointer: value for pointer, value in facts.items() if value is not None}

    @property
    def number(self):
        """The same for groups whose facts are the same, but for nearly equal ones."""
        if self._number is None:
            before = [(pointer, self.reference.facts.get(pointer)) for pointer in self.changes]
            self._number = self.reference.number - sum_of_facts(before) + sum_of_facts(self.changes.items())
        return self._number

    def value_at(self, pointer):
        return self.changes[pointer] if pointer in self.changes else self.reference.facts.get(pointer)

    def has(self, sizes):
        """Whether these sizes of memory are those of this kind, or as near as identical nodes are."""
        return all(compare.is_same_value(pointer, self.value_at(pointer), size) for pointer, size in sizes.items())

    def order(self):
        """The largest first."""
        return -self.count, self.number

    def facts_beside(self, other):
        """The facts of both that may differ, as two objects: {pointer: value}."""
        if self.reference is not other.reference:
            return self.facts, other.facts
        pointers = set(self.changes) | set(other.changes)
        of_both = [{pointer: group.value_at(pointer) for pointer in pointers} for group in (self, other)]
        return tuple({pointer: value for pointer, value in facts.items() if value is not None} for facts in of_both)

    def differences_from(self, other):
        return compare.differences(*self.facts_beside(other))

    def distance_from(self, other):
        return compare.distance(*self.facts_beside(other))


def sum_of_facts(items):
    """A number from (pointer, value) pairs in any order: the same for the same facts, nearly equal ones left out.

    It is a sum, so that the number of a node follows from that of its reference and from what differs.
    """
    return sum(
        int.from_bytes(hashlib.sha256(canonical([pointer, value]).encode("ascii")).digest(), "big")
        for pointer, value in items
        if value is not None and not compare.NEARLY_EQUAL.match(pointer)
    )


def is_other_value(value, other):
    return value != other or isinstance(value, bool) != isinstance(other, bool)


def parameter_name(entry):
    return entry["id"], entry.get("key")


def shape_of_parameter(entry):
    """What the facts of other parameters depend on: its name, and how many instances there are."""
    return parameter_name(entry), sum(value["instances"] for value in entry["values"])


def with_numbers_for_booleans(value):
    """Yield copies of a value of JSON in each of which one boolean is a number, or a 0 or 1 a boolean."""
    if isinstance(value, bool):
        yield int(value)
    elif isinstance(value, (int, float)) and value in (0, 1):
        yield bool(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            for other in with_numbers_for_booleans(inner):
                yield dict(value, **{name: other})
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            for other in with_numbers_for_booleans(inner):
                yield value[:position] + [other] + value[position + 1 :]
