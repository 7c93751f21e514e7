"""Putting settings that were read elsewhere into a system document."""

from collectors.document import assemble, bios, compare, parameters
from collectors.errors import NothingCollected, UsageError
from collectors.privacy.profiles import Redactor
from collectors.probe_results import Fact

PHASE = "imported"


def fragment(settings, source):
    """What the settings add to a node class: the object `bios`, and entries of parameters."""
    facts = list(bios.facts(settings))
    return {
        "hardware": {"bios": {"attributes": settings, "attributes_source": source}},
        "parameters": assemble.distributions(facts, parameters.registry()),
    }


def put_into(document, class_id, settings, source, started):
    """Put the settings into one node class of a document, which is changed; `started` is the time of the import.

    What was observed on the node stays; what was missing is filled. Raises UsageError where the class is not clear,
    NothingCollected where the document's profile lets no setting out.
    """
    node = node_class(document["node_classes"], class_id)
    settings = apply_profile(settings, document["collector"]["redaction_profile"])
    added = fragment(settings, source)
    bios_of_node = node["hardware"].setdefault("bios", {})
    forget_settings(node, bios_of_node.get("attributes", {}))
    bios_of_node.update(added["hardware"]["bios"])
    merge_parameters(node, added["parameters"])
    document["captures"] = [capture for capture in document["captures"] if capture["phase"] != PHASE]
    document["captures"].append({"id": PHASE, "phase": PHASE, "started": started})
    rename_class(document, node)


def node_class(classes, class_id):
    """The class with this id, or the only one. Raises UsageError where there is none, or one must be chosen."""
    matching_classes = [node for node in classes if class_id in (None, node["class_id"])]
    if len(matching_classes) == 1:
        return matching_classes[0]
    choices = ", ".join("%s (%d nodes)" % (node["class_id"], node["count"]) for node in classes)
    raise UsageError("collector.class", "Which nodes have these settings?", "Give --class, one of: " + choices)


def apply_profile(settings, profile):
    """The settings that a redaction profile lets out. Raises NothingCollected where that is none."""
    redactor, entry = Redactor(profile, None), parameters.registry()["bios.profile"]
    allowed_settings = {
        name: value
        for name, value in settings.items()
        if isinstance(redactor.parameter(entry, Fact("bios.profile", value, "file", name)), Fact)
    }
    if not allowed_settings:
        raise NothingCollected(
            "collector.import.profile",
            "The document was made with the profile %s, which lets no BIOS setting out." % profile,
            "Collect with the profile default.",
        )
    return allowed_settings


def forget_settings(node, attributes):
    """Drop the entries of an earlier import, which the new one replaces as a whole."""
    node["parameters"] = [
        entry
        for entry in node.get("parameters", ())
        if entry["id"] != "bios.profile" or entry.get("key") not in attributes
    ]


def merge_parameters(node, added):
    """Add entries; of the same parameter and key, what was observed on the node stays."""
    entries = {(entry["id"], entry.get("key", "")): entry for entry in node["parameters"]}
    for entry in added:
        name = (entry["id"], entry.get("key", ""))
        entries.setdefault(name, entry)
    node["parameters"] = [entries[name] for name in sorted(entries)]
    added_ids = {entry["id"] for entry in added}
    node["missing"] = [gap for gap in node.get("missing", ()) if gap["id"] not in added_ids or gap_stays(gap, entries)]


def gap_stays(gap, entries):
    """A gap of one entry of a map stays while that entry is not there."""
    return "key" in gap and (gap["id"], gap["key"]) not in entries


def rename_class(document, node):
    """Give the changed class the id that its content has now, wherever the document names it."""
    old = node["class_id"]
    node["class_id"] = compare.class_id_of(node, parameters.registry())
    for change in document.get("drift", ()):
        if change.get("class_id") == old:
            change["class_id"] = node["class_id"]
    for system in document.get("storage_systems", ()):
        if "server_classes" in system:
            system["server_classes"] = [node["class_id"] if name == old else name for name in system["server_classes"]]
