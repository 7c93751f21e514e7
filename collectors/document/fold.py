"""Many nodes, few classes: documents of single nodes folded into one, where who differs stands beside the class.

Nodes that say the same (compare.node_facts) are one class. The largest class of a role is the record; a small one that
differs from it in little is told as outliers of it, any other stands for itself.
"""

from collections import Counter, namedtuple

from collectors.document import compare, schema
from collectors.document.node_groups import NodeGroup, Reference
from collectors.document.node_parts import NodeParts, PartsSchema
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
# Documents that a new one is held against; nodes of more kinds than that are kept whole.
MOST_REFERENCES = 8

Failure = namedtuple("Failure", "member reason")
Failure.__doc__ = "A node that gave no document: its pseudonym, and a reason of the schema's nodes_failed."

TIMEOUT, UNREACHABLE, CRASHED = "timeout", "unreachable", "crashed"
PYTHON_MISSING, TRUNCATED, INVALID_OUTPUT = "python_missing", "truncated", "invalid_output"


class Fold:
    """Takes node documents one by one and keeps one of each kind, so that many nodes need no more memory than few."""

    def __init__(self, registry):
        """`registry` tells which parameters are volatile."""
        self.volatile = compare.volatile_of(registry)
        self.schema = PartsSchema()
        self.is_capture = schema.compile_part(CAPTURE)
        self.is_member_list = schema.compile_part(MEMBERS)
        self.references = {}
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

        What was valid in a reference is not held against the schema again; nothing is kept but what was.
        Raises one of BAD_DOCUMENT for what has another shape.
        """
        (node_class,), (capture,) = document["node_classes"], document["captures"]
        members = node_class.get("members", [])
        if members and sender is not None and (named or self.seen & set(members)):
            members = node_class["members"] = [sender]
        if node_class["count"] != 1 or len(members) > 1 or self.seen & set(members):
            return False
        if not self.is_member_list(members) or not self.is_capture(capture):
            return False
        parts = NodeParts(document, self.volatile)
        if not all(map(self.schema.is_size, parts.sizes.values())):
            return False
        kind = self.group_of(document, parts)
        if kind is None:
            return False
        kind.members += members
        kind.count += 1
        self.seen.update(members)
        self.reported += 1
        self.started.append(capture["started"])
        self.duration_s = max(self.duration_s, capture.get("duration_s", 0))
        return True

    def group_of(self, document, parts):
        """The NodeGroup that a document belongs to, a new one if need be; None where the document is not valid."""
        near = self.references.setdefault((parts.labels, tuple(parts.node["role"])), [])
        for reference in near[:MOST_REFERENCES]:
            kind = reference.group_of(parts)
            if kind is not None:
                return kind
        if not self.schema.is_document(document):
            return None
        reference = Reference(document, parts, self.volatile, self.schema)
        twin = next((other for other in near[MOST_REFERENCES:] if other.number == reference.number), None)
        if twin is None:
            near.append(reference)
        return (twin or reference).group_of(parts)

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
        kinds = [kind for near in self.references.values() for reference in near for kind in reference.all_groups()]
        largest = min(kinds, key=NodeGroup.order)
        document = largest.document
        folded = dict(document)
        expected = self.reported + len(self.failures) if nodes_expected is None else nodes_expected
        folded["captures"] = [self.capture(document["captures"][0], launcher, expected)]
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


def join_sections(kinds):
    """What the documents say beside their nodes: the lists joined, the job as the largest kind of node saw it."""
    joined = {}
    for kind in sorted(kinds, key=NodeGroup.order):
        document = kind.document if kind.has_own_sections else kind.reference.document
        for name in compare.DOCUMENT_SECTIONS:
            section = document.get(name)
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
        candidates = joined.setdefault((kind.role, kind.number), [])
        alike = next((other for other in candidates if not other.differences_from(kind)), None)
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
        nearest = min(records, key=lambda record: record.kind.distance_from(kind))
        if not nearest.takes(kind):
            own.append(NodeClass(kind))
    return [record.as_json() for record in records + own]


class NodeClass:
    """A node class: its record, and the outliers that were taken into it."""

    def __init__(self, kind):
        self.kind = kind
        self.members = list(kind.members)
        self.count = kind.count
        self.outliers = []

    def takes(self, kind):
        """Whether a kind differs in so little that its nodes are outliers of this class; if so, they are now."""
        differences = self.kind.differences_from(kind)
        if len(differences) > MAX_OUTLIER_POINTERS:
            return False
        unnamed = ["unnamed-%d" % (self.count + number) for number in range(1, kind.count + 1 - len(kind.members))]
        for member in kind.members + unnamed:
            self.outliers += [outlier(member, difference) for difference in differences]
        self.members += kind.members
        self.count += kind.count
        return True

    def as_json(self):
        (node_class,) = self.kind.document["node_classes"]
        class_entry = dict(node_class, class_id=compare.class_id(self.kind.facts), count=self.count)
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
