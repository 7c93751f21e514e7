"""One system document from several: the clients', and those that an administrator made on the servers."""

import copy

from collectors.document import assemble as documents
from collectors.document import parameters
from collectors.errors import BundleError
from collectors.privacy import profiles
from collectors.probe_results import Item

APPENDED = ("captures", "node_classes", "fabric", "layouts")
SYSTEMS = "storage_systems"
# What has a name in each list: no two may have the same.
NAMED_BY = {"node_classes": ("class_id", "name")}


def merged(document, others):
    """The document with what the others say of other nodes; raises BundleError `collector.with` where names collide.

    `others` are (path, document) pairs. Nothing of the first document changes.
    """
    whole = dict(document)
    for path, other in others:
        require_no_collision(whole, path, other)
        for part in APPENDED:
            if other.get(part):
                whole[part] = list(whole.get(part, [])) + renamed(part, other[part], whole.get(part, []))
        if other.get(SYSTEMS):
            whole[SYSTEMS] = joined(whole.get(SYSTEMS, []), other[SYSTEMS])
    return whole


def joined(systems, others):
    """The storage systems of both. Clients and servers tell different things of it; what agrees is one."""
    whole = [dict(system) for system in systems]
    for system in others:
        documents.add_item(whole, Item(SYSTEMS, system))
    return whole


def renamed(part, items, known):
    """Captures are told apart by their id only here: a second `static` becomes `static-2`."""
    if part != "captures":
        return items
    taken = {capture["id"] for capture in known}
    return [dict(capture, id=free_id(capture["id"], taken)) for capture in items]


def free_id(wanted, taken):
    free, number = wanted, 1
    while free in taken:
        number += 1
        free = "%s-%d" % (wanted[:100], number)
    taken.add(free)
    return free


def require_no_collision(whole, path, other):
    for part, keys in NAMED_BY.items():
        for key in keys:
            both = names(whole, part, key) & names(other, part, key)
            if both:
                raise collision(path, "%s %s" % (key, sorted(both)[0]))
    both = members(whole) & members(other)
    if both:
        raise collision(path, "member %s" % sorted(both)[0])


def names(document, part, key):
    return {item[key] for item in document.get(part, []) if item.get(key)}


def members(document):
    return {member for node_class in document["node_classes"] for member in node_class.get("members", [])}


def collision(path, what):
    return BundleError(
        "collector.with",
        "%s describes what is described already: %s." % (path, what),
        "Give each document once, and make each with the role of its nodes: collect --role oss.",
    )


def for_profile(document, profile):
    """The document as the profile lets it out: `strict` tells how many nodes there are, not which, and less of them."""
    if profile != "strict":
        return document
    document = copy.deepcopy(document)
    profiles.make_strict(document, parameters.registry())
    strict = {name: value for name, value in document.items() if name not in ("site", "system")}
    strict["collector"] = dict(document["collector"], redaction_profile="strict")
    strict["node_classes"] = [without_members(node_class) for node_class in document["node_classes"]]
    strict["captures"] = [
        dict(capture, nodes_failed=numbered(capture["nodes_failed"])) if "nodes_failed" in capture else capture
        for capture in document["captures"]
    ]
    return strict


def without_members(node_class):
    told = {name: value for name, value in node_class.items() if name != "members"}
    if "outliers" in told:
        told["outliers"] = numbered(told["outliers"])
    return told


def numbered(entries):
    """Entries whose members are numbers only, the same number for the same member."""
    order = list(dict.fromkeys(entry["member"] for entry in entries))
    return [dict(entry, member="node-%d" % (order.index(entry["member"]) + 1)) for entry in entries]
