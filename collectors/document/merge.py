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


def merge_documents(document, others):
    """The document with what the others say of other nodes; raises BundleError `collector.with` where names collide.

    `others` are (path, document) pairs. Nothing of the first document changes.
    """
    combined = dict(document)
    for path, other in others:
        require_no_collision(combined, path, other)
        for part in APPENDED:
            if other.get(part):
                combined[part] = list(combined.get(part, [])) + rename_captures(
                    part, other[part], combined.get(part, [])
                )
        if other.get(SYSTEMS):
            combined[SYSTEMS] = join_systems(combined.get(SYSTEMS, []), other[SYSTEMS])
    return combined


def join_systems(systems, others):
    """The storage systems of both. Clients and servers tell different things of it; what agrees is one."""
    combined = [dict(system) for system in systems]
    for system in others:
        documents.add_item(combined, Item(SYSTEMS, system))
    return combined


def rename_captures(part, items, existing_items):
    """Captures are told apart by their id only here: a second `static` becomes `static-2`."""
    if part != "captures":
        return items
    taken = {capture["id"] for capture in existing_items}
    return [dict(capture, id=free_id(capture["id"], taken)) for capture in items]


def free_id(preferred_id, taken):
    free, number = preferred_id, 1
    while free in taken:
        number += 1
        free = "%s-%d" % (preferred_id[:100], number)
    taken.add(free)
    return free


def require_no_collision(document, path, other):
    """Raises BundleError where both documents hold the same name or the same member."""
    for part, keys in NAMED_BY.items():
        for key in keys:
            both = names(document, part, key) & names(other, part, key)
            if both:
                raise collision(path, "%s %s" % (key, sorted(both)[0]))
    both = members(document) & members(other)
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
    if "run" in document:
        strict["run"] = {
            name: value for name, value in document["run"].items() if name not in profiles.NOT_STRICT_OF_RUN
        }
    strict["captures"] = [
        dict(capture, nodes_failed=number_members(capture["nodes_failed"])) if "nodes_failed" in capture else capture
        for capture in document["captures"]
    ]
    return strict


def without_members(node_class):
    fields = {name: value for name, value in node_class.items() if name != "members"}
    if "outliers" in fields:
        fields["outliers"] = number_members(fields["outliers"])
    return fields


def number_members(entries):
    """Entries whose members are numbers only, the same number for the same member."""
    order = list(dict.fromkeys(entry["member"] for entry in entries))
    return [dict(entry, member="node-%d" % (order.index(entry["member"]) + 1)) for entry in entries]
