"""What changed while the benchmark ran: the capture before against the capture after, node by node."""

from collections import namedtuple

from collectors.document import compare
from collectors.document.canonical_json import canonical

INVALIDATING, WARNING, INFO = "invalidating", "warning", "info"
SEVERITIES = (INVALIDATING, WARNING, INFO)

# Gaps that say that a value could not be read this time, not that it has gone.
NOT_READ = ("permission_denied", "timeout", "output_limit", "parse_error", "redacted", "disabled")

# That caches were dropped between phases is seen in the kernel's count of drops.
EVIDENCE = frozenset(["bench.cache_drop"])

# (start of a pointer, end of it, severity): a part that came, went or stopped makes the result one of another system.
# What a person or a daemon may tune while it runs is a warning, and so is a link that trained down. First match wins.
RULES = (
    ("/hardware/cpu/governor", "", WARNING),
    ("/hardware/cpu/boost", "", WARNING),
    ("/hardware/cpu/", "_hz", WARNING),
    # A hypervisor's balloon moves memory between nodes while it runs. What came or went shows in the total.
    ("/hardware/numa/", "/total_bytes", INFO),
    ("/hardware/", "", INVALIDATING),
    ("/os/kernel", "", INVALIDATING),
    ("/os/", "", WARNING),
    ("/network/", "/state", INVALIDATING),
    ("/network/", "/ports_active", INVALIDATING),
    ("/network/", "/kind", INVALIDATING),
    ("/network/", "/count", INVALIDATING),
    ("/block/", "/count", INVALIDATING),
    ("/block/", "/md_level", INVALIDATING),
    ("/mounts/", "/count", INVALIDATING),
)

Node = namedtuple("Node", "member class_id role facts gaps")
Node.__doc__ = "One node of a document: its facts by pointer, and the parameters that could not be read there."


def drift(before, after, registry):
    """The drift of a document: a list of {class_id, pointer, pre, post, members, severity}, the gravest first.

    `before` and `after` are documents of the same nodes; `registry` says of each parameter whether it is `volatile`,
    and what severity a change of it has (`run_critical`). Nodes without names (strict profile) are paired class by
    class.
    """
    volatile = compare.volatile_of(registry) - evidence(before, after)
    counted = {}
    for old, new, members in pairs(nodes(before, volatile), nodes(after, volatile)):
        for difference in compare.differences(old.facts, new.facts):
            key = (old.class_id, difference.pointer, difference.before, difference.after)
            severity = severity_of(difference, old, new, registry)
            # 1, 1.0 and true are one key of a dict, and three values.
            entry = counted.setdefault((canonical(key), severity), [key, 0])
            entry[1] += members
    entries = [entry_of(key, members, severity) for (_text, severity), (key, members) in counted.items()]
    return sorted(entries, key=gravest_first)


def evidence(before, after):
    """Counters whose change says what the run did. Of many nodes a class keeps those of one, which prove nothing."""
    alone = all(node_class["count"] == 1 for document in (before, after) for node_class in document["node_classes"])
    return EVIDENCE if alone else frozenset()


def entry_of(key, members, severity):
    class_id, pointer, before, after = key
    return {
        "class_id": class_id,
        "pointer": pointer,
        "pre": compare.limit_length(before),
        "post": compare.limit_length(after),
        "members": members,
        "severity": severity,
    }


def gravest_first(entry):
    return SEVERITIES.index(entry["severity"]), entry["pointer"], entry["class_id"], canonical(entry["post"])


def nodes(document, volatile):
    """The nodes of a document as [Node, count]. Members that are no outliers share one set of facts."""
    for node_class in document["node_classes"]:
        facts = compare.node_facts(node_class, volatile)
        gaps = {entry["id"] for entry in node_class.get("missing", ()) if entry["reason"] in NOT_READ}
        shared = Node(None, node_class["class_id"], tuple(node_class["role"]), facts, gaps)
        members, own = node_class.get("members", ()), overrides(node_class.get("outliers", ()))
        for member in members:
            yield [shared._replace(member=member, facts=apply_overrides(facts, own.get(member))), 1]
        unnamed = [changed for member, changed in own.items() if member not in members]
        for changed in unnamed:
            yield [shared._replace(facts=apply_overrides(facts, changed)), 1]
        yield [shared, node_class["count"] - len(members) - len(unnamed)]


def overrides(outliers):
    """{member: {pointer: value}} of a class's outliers."""
    values_by_member = {}
    for outlier in outliers:
        values_by_member.setdefault(outlier["member"], {})[outlier["pointer"]] = outlier.get("value")
    return values_by_member


def apply_overrides(facts, own):
    if not own:
        return facts
    changed = dict(facts)
    changed.update(own)
    return {pointer: value for pointer, value in changed.items() if value is not None}


def pairs(before, after):
    """(old, new, members): nodes of one name, alike ones counted together; the nameless by class and role."""
    old_nodes, new_nodes = list(before), list(after)
    named = {node.member: node for node, _count in new_nodes if node.member is not None}
    alike = {}
    for node, _count in old_nodes:
        if node.member in named:
            other = named[node.member]
            entry = alike.setdefault((id(node.facts), id(other.facts)), [node, other, 0])
            entry[2] += 1
    named_pairs = [tuple(entry) for entry in alike.values()]
    return named_pairs + nameless_pairs(select_nameless(old_nodes), select_nameless(new_nodes))


def select_nameless(counted):
    return [entry for entry in counted if entry[0].member is None and entry[1] > 0]


def nameless_pairs(old_nodes, new_nodes):
    """Each nameless class with the nearest of its role, as many members as both still have."""
    paired_nodes = []
    for old in old_nodes:
        candidates = [new for new in new_nodes if new[0].role == old[0].role and new[1]]
        for new in sorted(candidates, key=lambda new: compare.distance(old[0].facts, new[0].facts)):
            members = min(old[1], new[1])
            if members:
                paired_nodes.append((old[0], new[0], members))
                old[1] -= members
                new[1] -= members
    return paired_nodes


def severity_of(difference, old, new, registry):
    """How much a difference means for the result. A value that was not read on one side is told, no more."""
    parameter = compare.parameter_of(difference.pointer)
    if parameter is not None:
        if parameter in (new.gaps if difference.after is None else old.gaps if difference.before is None else ()):
            return INFO
        return severity_of_parameter(parameter, registry)
    for start, end, severity in RULES:
        if difference.pointer.startswith(start) and difference.pointer.endswith(end):
            return severity
    return WARNING


def severity_of_parameter(name, registry):
    """Of a parameter as the registry says; of a group (the number of its instances) the gravest of its parameters."""
    if name in registry:
        return registry[name]["run_critical"]
    severities = [
        entry["run_critical"] for parameter_id, entry in registry.items() if parameter_id.rpartition(".")[0] == name
    ]
    return min(severities, key=SEVERITIES.index) if severities else WARNING


def sentence(entry):
    """One line that says what changed, for people."""
    nodes_text = "1 node" if entry["members"] == 1 else "%d nodes" % entry["members"]
    return "%-12s %s: %s before, %s after (%s)" % (
        entry["severity"],
        entry["pointer"],
        compare.format_value(entry["pre"]),
        compare.format_value(entry["post"]),
        nodes_text,
    )
