"""Many nodes, few classes: documents of single nodes folded into one, where who differs stands beside the class.

Nodes that say the same (compare.node_facts) are one class. The largest class of a role is the record; a small one that
differs from it in little is told as outliers of it, any other stands for itself.
"""

import hashlib
from collections import Counter, namedtuple

from collectors.document import compare, schema
from collectors.document.canonical_json import canonical
from collectors.document.parameters import document_schema
from collectors.errors import NothingCollected, UsageError

# A class of no more than this share of its role's nodes is a deviation and not a kind of node,
SMALL_SHARE = 0.1
# provided that it differs in no more pointers than people read: a node with another board is another kind of node.
MAX_OUTLIER_POINTERS = 12
MAX_NODES = 100000
# What a value of another shape raises when it is taken for a node document.
BAD_DOCUMENT = (TypeError, KeyError, ValueError, AttributeError, RecursionError)

# Parts of the system document's schema.
CAPTURE = {"$ref": "#/$defs/capture"}
MEMBERS = {"type": "array", "items": {"$ref": "#/$defs/word"}}
SIZE = {"$ref": "#/$defs/count"}

Failure = namedtuple("Failure", "member reason")
Failure.__doc__ = "A node that gave no document: its pseudonym, and a reason of the schema's nodes_failed."

TIMEOUT, UNREACHABLE, CRASHED = "timeout", "unreachable", "crashed"
PYTHON_MISSING, TRUNCATED, INVALID_OUTPUT = "python_missing", "truncated", "invalid_output"


class NodeGroup:
    """Nodes that say the same: the document of the first, and who they are."""

    def __init__(self, document, facts, sizes):
        self.document = document
        self.facts = dict(facts, **sizes)
        self.members = []
        self.count = 0

    @property
    def node_class(self):
        return self.document["node_classes"][0]

    @property
    def role(self):
        return tuple(sorted(self.node_class["role"]))

    def has(self, sizes):
        """Whether these sizes of memory are those of this kind, or as near as identical nodes are."""
        return all(compare.is_same_value(pointer, self.facts.get(pointer), size) for pointer, size in sizes.items())

    def order(self):
        """The largest first."""
        return -self.count, compare.class_id(self.facts)


class Fold:
    """Takes node documents one by one and keeps one of each kind, so that many nodes need no more memory than few."""

    def __init__(self, registry):
        """`registry` tells which parameters are volatile."""
        self.volatile = compare.volatile_of(registry)
        self.by_rest = {}
        self.seen = set()
        self.failures = []
        self.started = []
        self.duration_s = 0
        self.reported = 0

    def add(self, document, sender=None, named=False):
        """Take one document; what is no document of one new node becomes a failure of `sender`, a pseudonym.

        Two senders are two nodes, though both may be called localhost: the second goes by its sender's name, and all
        of them do where `named` says so.
        """
        try:
            taken = self.takes(document, sender, named)
        except BAD_DOCUMENT:
            taken = False
        if not taken:
            self.fail(sender, INVALID_OUTPUT)

    def takes(self, document, sender, named):
        """Whether something is the document of a node that is not known yet; if so, it is now.

        Only the first of each kind is held against the whole schema; of the others nothing is kept but what is looked
        at here. Raises one of BAD_DOCUMENT for what has another shape.
        """
        (node_class,), (capture,) = document["node_classes"], document["captures"]
        members = node_class.get("members", [])
        if members and sender is not None and (named or self.seen & set(members)):
            members = node_class["members"] = [sender]
        if node_class["count"] != 1 or len(members) > 1 or self.seen & set(members):
            return False
        if not schema.fits(members, MEMBERS) or not schema.fits(capture, CAPTURE):
            return False
        rest, sizes = without_sizes(node_class)
        alike = self.by_rest.setdefault(digest(document, rest, self.volatile), [])
        if not alike and not schema.fits(document, document_schema()):
            return False
        kind = next((kind for kind in alike if kind.has(sizes)), None)
        if kind is None:
            kind = NodeGroup(document, compare.node_facts(rest, self.volatile), sizes)
            alike.append(kind)
        kind.members += members
        kind.count += 1
        self.seen.update(members)
        self.reported += 1
        self.started.append(capture["started"])
        self.duration_s = max(self.duration_s, capture.get("duration_s", 0))
        return True

    def fail(self, member, reason):
        """Note why a node has no document. Raises UsageError where there would be more than MAX_NODES."""
        if self.reported + len(self.failures) >= MAX_NODES:
            raise UsageError(
                "collector.nodes",
                "More than %d nodes, or lines that are no documents." % MAX_NODES,
                "Give what `collect --emit` printed, and nothing else.",
            )
        self.failures.append(Failure(member or "node-%d" % (self.reported + len(self.failures) + 1), reason))

    def document(self, launcher="manual", nodes_expected=None):
        """The folded document. Raises NothingCollected where no node reported."""
        if not self.reported:
            raise NothingCollected(
                "collector.no-nodes",
                "No node reported: %s." % (format_failures(self.failures) or "there was no document at all"),
                "Give what `collect --emit` printed; run it on one node to see what it says.",
            )
        kinds = [kind for alike in self.by_rest.values() for kind in alike]
        largest = min(kinds, key=NodeGroup.order)
        folded = dict(largest.document)
        expected = self.reported + len(self.failures) if nodes_expected is None else nodes_expected
        folded["captures"] = [self.capture(largest.document["captures"][0], launcher, expected)]
        folded["node_classes"] = classes(kinds)
        folded.update(join_sections(kinds))
        return folded

    def capture(self, of_one, launcher, expected):
        return dict(
            of_one,
            started=min(self.started),
            duration_s=self.duration_s,
            launcher=launcher,
            nodes_expected=expected,
            nodes_reported=self.reported,
            nodes_failed=[{"member": failure.member, "reason": failure.reason} for failure in self.failures],
        )


def without_sizes(node_class):
    """A node class without its sizes of memory, and these by pointer: no two nodes have quite the same.

    Raises ValueError where one of them is no size.
    """
    hardware = dict(node_class["hardware"], memory=dict(node_class["hardware"]["memory"]))
    hardware["numa"] = [dict(numa) for numa in hardware.get("numa", ())]
    places = [("/hardware/memory/total_bytes", hardware["memory"])]
    places += [("/hardware/numa/%s/total_bytes" % numa["node"], numa) for numa in hardware["numa"] if "node" in numa]
    taken = [(pointer, place.pop("total_bytes", None)) for pointer, place in places]
    sizes = {pointer: size for pointer, size in taken if size is not None}
    if not all(schema.fits(size, SIZE) for size in sizes.values()):
        raise ValueError("a size of memory that is none")
    # The parameter says the total once more.
    remaining_parameters = [
        entry for entry in node_class.get("parameters", ()) if entry["id"] != "mem.total" or not sizes
    ]
    return dict(node_class, hardware=hardware, parameters=remaining_parameters), sizes


def digest(document, node_class, volatile):
    """The same for nodes that surely say the same; cheaper than their facts, and than asking the schema of each."""
    content = {name: value for name, value in document.items() if name not in ("captures", "node_classes")}
    content["node_class"] = {name: value for name, value in node_class.items() if name not in ("members", "class_id")}
    content["node_class"]["parameters"] = [entry for entry in node_class["parameters"] if entry["id"] not in volatile]
    return hashlib.sha256(canonical(content).encode("ascii")).digest()


def join_sections(kinds):
    """What the documents say beside their nodes: the lists joined, the job as the largest kind of node saw it."""
    joined = {}
    for kind in sorted(kinds, key=NodeGroup.order):
        for name in compare.DOCUMENT_SECTIONS:
            section = kind.document.get(name)
            if isinstance(section, list):
                joined_list = joined.setdefault(name, [])
                joined_list += [item for item in section if item not in joined_list]
            elif section is not None:
                joined.setdefault(name, section)
    return joined


def classes(kinds):
    """The node classes of the folded document, by role, the largest first."""
    by_role = {}
    for kind in join_near_kinds(kinds):
        by_role.setdefault(kind.role, []).append(kind)
    return [node_class for role in sorted(by_role) for node_class in classes_of_role(by_role[role])]


def join_near_kinds(kinds):
    """Kinds joined that differ only where identical nodes do (compare.NEARLY_EQUAL), the largest first."""
    joined = {}
    for kind in sorted(kinds, key=NodeGroup.order):
        exact = {name: value for name, value in kind.facts.items() if not compare.NEARLY_EQUAL.match(name)}
        candidates = joined.setdefault((kind.role, canonical(exact)), [])
        alike = next((other for other in candidates if not compare.differences(other.facts, kind.facts)), None)
        if alike is None:
            candidates.append(kind)
        else:
            alike.members = alike.members + kind.members
            alike.count += kind.count
    return sorted((kind for candidates in joined.values() for kind in candidates), key=NodeGroup.order)


def classes_of_role(kinds):
    """The node classes of one role: small kinds become outliers of the nearest class where they differ in little."""
    nodes = sum(kind.count for kind in kinds)
    records, small = [NodeClass(kinds[0])], []
    for kind in kinds[1:]:
        if kind.count <= SMALL_SHARE * nodes:
            small.append(kind)
        else:
            records.append(NodeClass(kind))
    own = []
    for kind in small:
        nearest = min(records, key=lambda record: compare.distance(record.facts, kind.facts))
        if not nearest.takes(kind):
            own.append(NodeClass(kind))
    return [record.as_json() for record in records + own]


class NodeClass:
    """A node class: its record, and the outliers that were taken into it."""

    def __init__(self, kind):
        self.kind = kind
        self.facts = kind.facts
        self.members = list(kind.members)
        self.count = kind.count
        self.outliers = []

    def takes(self, kind):
        """Whether a kind differs in so little that its nodes are outliers of this class; if so, they are now."""
        differences = compare.differences(self.facts, kind.facts)
        if len(differences) > MAX_OUTLIER_POINTERS:
            return False
        unnamed = ["unnamed-%d" % (self.count + number) for number in range(1, kind.count + 1 - len(kind.members))]
        for member in kind.members + unnamed:
            self.outliers += [outlier(member, difference) for difference in differences]
        self.members += kind.members
        self.count += kind.count
        return True

    def as_json(self):
        class_entry = dict(self.kind.node_class, class_id=compare.class_id(self.facts), count=self.count)
        if self.members:
            class_entry["members"] = sorted(self.members)
        if self.outliers:
            class_entry["outliers"] = sorted(self.outliers, key=lambda entry: (entry["pointer"], entry["member"]))
        return class_entry


def outlier(member, difference):
    return {
        "member": member,
        "pointer": difference.pointer,
        "value": compare.limit_length(difference.after),
        "majority": compare.limit_length(difference.before),
    }


def summary(document):
    """`64 nodes in 2 classes, 3 outliers; 2 failed: 1 timeout, 1 crashed`."""
    capture, classes_there = document["captures"][0], document["node_classes"]
    outliers = sum(len(node_class.get("outliers", ())) for node_class in classes_there)
    line = "%s in %s, %s" % (
        format_count(capture["nodes_reported"], "node"),
        format_count(len(classes_there), "class"),
        format_count(outliers, "outlier"),
    )
    failed = [Failure(entry["member"], entry["reason"]) for entry in capture.get("nodes_failed", ())]
    return line + ("; %d failed: %s" % (len(failed), format_failures(failed)) if failed else "")


def format_count(number, word):
    return "1 " + word if number == 1 else "%d %s" % (number, word + ("es" if word.endswith("s") else "s"))


def format_failures(failures):
    """`3 timeout, 1 crashed`: how many nodes failed for which reason."""
    counts = Counter(failure.reason for failure in failures)
    return ", ".join("%d %s" % (count, reason) for reason, count in sorted(counts.items()))
