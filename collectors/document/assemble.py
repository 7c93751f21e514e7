"""The system document: what the probes said, counted, completed, made to fit the schema."""

import math
import platform
from collections import Counter, OrderedDict, namedtuple

from collectors import VERSION
from collectors.document import compare, parameters, schema_fit
from collectors.privacy import leak_filter, profiles
from collectors.probe_results import Fact, Item, Missing, Section

SCHEMA_VERSION = "1"
MAX_TEXT_CHARACTERS = 512
# More different values than this of one parameter are no distribution that anybody reads.
MAX_VALUES = 100
NO_CLASS = "0" * 16
MAX_INTEGER = 2**63 - 1
# What the registry writes where a value has none, or where each entry has its own.
NO_UNIT = ("none", "mixed")
# Parts of the whole document; everything else is of the node class.
OF_THE_DOCUMENT = ("job", "layouts", "storage_systems", "fabric")
# The schema of these list items has `count`: equal ones become one.
COUNTED = ("network", "block", "hardware/accelerators", "mounts")
# Several probes tell of one of these: what adds to an item without contradicting it is the same one.
MERGED = ("storage_systems",)

Capture = namedtuple("Capture", "phase role started launcher member")
Capture.__new__.__defaults__ = ("local", None)
Capture.__doc__ = """One look at the nodes: phase (pre, post, static, imported), role (client, oss, mds), launcher.

`started` is RFC 3339 in UTC; `member` the pseudonym of the node.
"""


def assemble(pieces, capture, redactor, duration_s, registry):
    """The document of one node from everything that was said of it; always valid. `registry`: rows by parameter id."""
    pieces = leak_filter.filter_leaks(pieces)
    facts, gaps = publishable_facts(pieces, registry, redactor)
    node = OrderedDict(role=[capture.role], count=1, source="collected", hardware={"cpu": {}, "memory": {}}, os={})
    node["os"]["kernel"] = None
    document = OrderedDict(schema_version=SCHEMA_VERSION, collector=collector(redactor))
    document["captures"] = [capture_entry(capture, duration_s)]
    document["node_classes"] = [node]
    for piece in pieces:
        holder = document if root_of(piece) in OF_THE_DOCUMENT else node
        if isinstance(piece, Section):
            part_of(holder, piece.path, {}).update(piece.values)
        elif isinstance(piece, Item):
            add_item(part_of(holder, piece.path, []), piece)
    node["parameters"] = distributions(facts, registry)
    node["missing"] = missing_reasons(gaps, facts, registry, capture.role)
    if redactor.profile == "strict":
        profiles.make_strict(document, registry)
    # Until it fits the schema, nobody can say what the class is.
    node["class_id"] = NO_CLASS
    if capture.member is not None:
        node["members"] = [capture.member]
    document = schema_fit.fit_to_schema(document, parameters.document_schema())
    for node in document["node_classes"]:
        node["class_id"] = compare.class_id_of(node, registry)
    return document


def collector(redactor):
    return {
        "name": "highwater",
        "version": VERSION,
        "redaction_profile": redactor.profile,
        "python": platform.python_version(),
        "registry_sha256": parameters.registry_sha256(),
    }


def capture_entry(capture, duration_s):
    return {
        "id": capture.phase,
        "phase": capture.phase,
        "started": capture.started,
        "duration_s": duration_s,
        "launcher": capture.launcher,
        "nodes_expected": 1,
        "nodes_reported": 1,
    }


def publishable_facts(pieces, registry, redactor):
    """The facts that may leave and are sound, and the gaps: those said, and those made here."""
    facts, gaps = [], [piece for piece in pieces if isinstance(piece, Missing)]
    for piece in pieces:
        if isinstance(piece, Fact):
            let_out = redactor.parameter(registry[piece.id], piece)
            if isinstance(let_out, Fact) and not is_sound(let_out.value):
                let_out = Missing(piece.id, "parse_error", "not a value that can be kept", piece.key)
            (facts if isinstance(let_out, Fact) else gaps).append(let_out)
    return facts, gaps


def is_sound(value):
    """Whether JSON can hold a value everywhere: no NaN, no infinity, no integer beyond 64 bits, no empty text."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) and value != ""


def root_of(piece):
    return piece.path.split("/")[0] if isinstance(piece, (Section, Item)) else None


def part_of(parent, path, new):
    """The part of an object that a path such as hardware/cpu names; made, as `new`, where it is not there yet."""
    *way, last = path.split("/")
    for name in way:
        parent = parent.setdefault(name, {})
    return parent.setdefault(last, new)


def add_item(items, piece):
    counted, new = piece.path in COUNTED, piece.value
    is_alike = agree if piece.path in MERGED else are_equal
    alike = next((item for item in items if is_alike(item, new)), None)
    if alike is None:
        items.append(dict(new, count=new.get("count", 1)) if counted else dict(new))
    elif counted:
        alike["count"] += new.get("count", 1)
    else:
        alike.update(new)


def agree(item, other):
    """Whether two items have the same name and differ in nothing that both tell."""
    return "name" in item and all(item[name] == other[name] for name in set(item) & set(other))


def are_equal(item, other):
    return without_count(item) == without_count(other)


def without_count(item):
    return {name: value for name, value in item.items() if name != "count"}


def distributions(facts, registry):
    """One entry per parameter and key: each value with the number of instances that have it, most frequent first."""
    counts, sources = OrderedDict(), {}
    for fact in facts:
        name = (fact.id, fact.key or "")
        value = fact.value[:MAX_TEXT_CHARACTERS] if isinstance(fact.value, str) else fact.value
        # The type is part of what is counted: to Python, 1 and True are one key.
        counts.setdefault(name, Counter())[(type(value).__name__, value)] += fact.instances
        sources.setdefault(name, fact.source)
    return [entry(name, counts[name], sources[name], registry) for name in sorted(counts)]


def entry(name, counter, source, registry):
    parameter_id, key = name
    ordered = sorted(counter.items(), key=lambda counted: (-counted[1], str(counted[0])))
    parameter_entry = OrderedDict(id=parameter_id)
    if key:
        parameter_entry["key"] = key
    parameter_entry["values"] = [{"value": value, "instances": count} for (_, value), count in ordered[:MAX_VALUES]]
    unit = registry[parameter_id]["unit"]
    if unit not in NO_UNIT:
        parameter_entry["unit"] = unit
    parameter_entry["source"] = source
    return parameter_entry


def missing_reasons(gaps, facts, registry, role):
    """Every registered parameter that has no fact, with its reason; the first true reason wins over not_applicable."""
    fact_ids = {fact.id for fact in facts}
    found_entries = {(fact.id, fact.key) for fact in facts}
    reasons = {}
    for gap in gaps:
        name = (gap.id, gap.key)
        if name in found_entries or (gap.key is None and gap.id in fact_ids):
            continue
        if name not in reasons or reasons[name].reason == "not_applicable":
            reasons[name] = gap
    named = fact_ids | {name for name, _ in reasons}
    for name in registry:
        if name not in named:
            reasons[name, None] = not_probed_reason(name, registry[name], role)
    return [gap_entry(reasons[name]) for name in sorted(reasons, key=lambda pair: (pair[0], pair[1] or ""))]


def not_probed_reason(name, parameter, role):
    """Why no probe was asked: what no node can or may tell has its reason in the registry."""
    if parameter.get("reason") and role in (parameter["roles"] or [role]):
        return Missing(name, "disabled", parameter["reason"])
    return Missing(name, "not_applicable", "no probe for " + role)


def gap_entry(gap):
    missing_entry = OrderedDict(id=gap.id, reason=gap.reason)
    if gap.key:
        missing_entry["key"] = gap.key
    if gap.detail:
        missing_entry["detail"] = gap.detail
    return missing_entry
