"""How Lustre lays out what a benchmark writes: the striping of its test directory, whose path stays behind."""

import re

from collectors.node.node_access import Input
from collectors.probe_results import Fact, Item
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as

LAYOUT = "lustre.layout."
MAX_COMPONENTS = 64
MAX_BYTES = 2**63 - 1

# One field of `lfs getstripe`, on a line of its own or beside others: `lmm_stripe_count:  4`, `stripe_size: 1048576`.
FIELD = re.compile(r"\b(?:(lcm|lcme|lmm)_)?([a-z][a-z_]*(?:\.e_(?:start|end))?):[ \t]+([^\s{\[][^\s]*)")

# Numbers that lfs printed for patterns before it had words for them.
PATTERNS = {"0": "raid0", "1": "raid0", "100": "mdt"}


class Layout(Probe):
    id = "lustre.layout"
    provides = tuple(
        LAYOUT + name
        for name in (
            "stripe_count",
            "stripe_size",
            "overstripe",
            "pfl",
            "dom",
            "dir_stripe",
            "compression",
            "mirror_ec",
        )
    )
    reads = ("lfs getstripe -d DIRECTORY", "lfs getdirstripe DIRECTORY")

    def applies(self, door):
        return door.exists("/sys/fs/lustre") or door.exists("/proc/fs/lustre")

    def read(self, door):
        if not door.test_directory:
            return dict.fromkeys(("files", "directory"), Input(None, "not_applicable", "no --directory was named"))
        return {
            "files": door.command(["lfs", "getstripe", "-d", door.test_directory]),
            "directory": door.command(["lfs", "getdirstripe", door.test_directory]),
        }

    def parse(self, raw):
        item = {"phase": "test directory"}
        yield from of_files(raw["files"], item)
        yield from of_directory(raw["directory"], item)
        if len(item) > 1:
            yield Item("layouts", item)


def of_files(layout_input, item):
    """Facts of the layout that new files get; `item` is completed."""
    ids = [name for name in Layout.provides if name != LAYOUT + "dir_stripe"]
    reading = read_as(stripes, layout_input)
    if reading.reason:
        return [gap(name, reading) for name in ids]
    layout = reading.value
    item.update(layout)
    values = (
        ("stripe_count", layout.get("stripe_count")),
        ("stripe_size", layout.get("stripe_size_bytes")),
        ("overstripe", layout["overstriped"]),
        ("dom", layout["dom_bytes"]),
        ("compression", layout["compression"]),
        ("mirror_ec", layout["mirror_count"]),
    )
    facts = [Fact(LAYOUT + name, value, "command") for name, value in values if value is not None]
    facts.append(Fact(LAYOUT + "pfl", len(layout["components"]), "command", "components"))
    for number, extent in enumerate(map(extent_of, layout["components"]), 1):
        facts.append(Fact(LAYOUT + "pfl", extent, "command", "component_%d" % number))
    return facts


def of_directory(stripe_input, item):
    """Facts of how the directory itself is spread over the metadata targets."""
    reading = read_as(dir_stripe, stripe_input)
    if reading.reason:
        return [gap(LAYOUT + "dir_stripe", reading)]
    stripe = reading.value
    item["dir_stripe_count"] = stripe["count"]
    return [Fact(LAYOUT + "dir_stripe", stripe[key], "command", key) for key in sorted(stripe)]


def dir_stripe(text):
    """`lfs getdirstripe` as {"count", "hash_type"}; 0 is a directory that is not striped.

    Raises ValueError for other texts.
    """
    count = re.search(r"\blmv_stripe_count:\s*(-?\d{1,9})\b", text)
    if not count:
        raise ValueError("no lmv_stripe_count")
    stripe = {"count": int(count.group(1))}
    kind = re.search(r"\blmv_hash_type:\s*([a-z0-9_]{1,40}(?:,[a-z_]{1,20})*)", text)
    if kind:
        stripe["hash_type"] = kind.group(1)
    return stripe


def stripes(text):
    """The first layout of an `lfs getstripe` output as an object of the document's `layouts`, without its phase.

    The stripe count and size of a composite layout are those of the last component of objects, which large files end
    in. Lines with a path are not looked at. Raises ValueError if there is no layout.
    """
    header, components = parts(text)
    if not components:
        raise ValueError("no stripe count")
    component_layouts = [component(fields) for fields in components]
    objects = [layout for layout in component_layouts if layout["pattern"] != "mdt"]
    last = (objects or component_layouts)[-1]
    return {
        "stripe_count": last["stripe_count"],
        "stripe_size_bytes": last["stripe_size_bytes"],
        "pattern": last["pattern"],
        "overstriped": any(layout["overstriped"] for layout in component_layouts),
        "dom_bytes": max(
            [layout["end_bytes"] or 0 for layout in component_layouts if layout["pattern"] == "mdt"] or [0]
        ),
        "mirror_count": read_integer(header.get("mirror_count", "1")),
        "compression": next((layout["compression"] for layout in component_layouts if layout["compression"]), "none"),
        "components": component_layouts if "entry_count" in header else [],
    }


def parts(text):
    """The fields of the whole layout, and those of each component (one for a plain layout); the first file only."""
    header, components = {}, []
    lines = [line for line in text.splitlines() if not re.search(r"(?:^|\s)/", line)]
    for prefix, name, value in FIELD.findall("\n".join(lines)):
        if prefix == "lcm":
            if name in header and name == "layout_gen":
                break
            header[name] = value
        elif prefix == "lcme" and name == "id":
            components.append({"id": value})
        elif prefix == "lcme" and components:
            components[-1].setdefault(name, value)
        elif prefix != "lcme":
            if not components and "entry_count" not in header:
                components.append({})
            if components:
                components[-1].setdefault(name, value)
    return header, [fields for fields in components if "stripe_count" in fields][:MAX_COMPONENTS]


def component(fields):
    """Return one component of a layout as the document has it; sizes and places in bytes, None for the file's end."""
    pattern = pattern_of(fields.get("pattern", "raid0"))
    flags = fields.get("flags", "").split(",")
    return {
        "start_bytes": read_integer(fields.get("extent.e_start", "0")),
        "end_bytes": None if fields.get("extent.e_end", "EOF") == "EOF" else read_integer(fields["extent.e_end"]),
        "stripe_count": stripe_count(fields["stripe_count"]),
        "stripe_size_bytes": read_integer(fields.get("stripe_size", "0")),
        "pattern": pattern,
        "overstriped": "overstriped" in pattern,
        "mirror_id": read_integer(fields["mirror_id"]) if fields.get("mirror_id", "").isdigit() else None,
        "compression": compression(fields, "compress" in pattern or "compress" in flags),
        "extension_bytes": read_integer(fields["extension_size"]) if "extension_size" in fields else None,
    }


def pattern_of(word):
    """Return a pattern in the document's words. Raises ValueError for what is no list of words."""
    word = PATTERNS.get(word, word)
    if not re.match(r"^[a-z0-9]{1,20}(?:,[a-z0-9]{1,20}){0,4}$", word):
        raise ValueError("no pattern: not words")
    return word


def stripe_count(word):
    """-1 is every target; some releases print it unsigned. Raises ValueError for what is no number."""
    if not re.match(r"^-?\d{1,10}$", word):
        raise ValueError("no stripe count")
    return -1 if int(word) in (-1, 65535, 4294967295) else int(word)


def read_integer(word):
    """Read a number of bytes. Raises ValueError for anything else, or if it is above MAX_BYTES."""
    if not re.match(r"^\d{1,19}$", word) or int(word) > MAX_BYTES:
        raise ValueError("not a number of bytes")
    return int(word)


def compression(fields, is_compressed):
    """Algorithm and level such as zstd:3, or None."""
    kind = fields.get("compr_type", "unknown" if is_compressed else "none")
    if kind == "none" or not re.match(r"^[a-z0-9]{1,20}$", kind):
        return None
    return kind + ":" + fields["compr_lvl"] if re.match(r"^\d{1,3}$", fields.get("compr_lvl", "")) else kind


def extent_of(component_layout):
    """A component in words: `0-1048576 mdt` or `1048576-EOF 4x1048576 raid0`, in bytes."""
    end = "EOF" if component_layout["end_bytes"] is None else str(component_layout["end_bytes"])
    size = (
        ""
        if component_layout["pattern"] == "mdt"
        else "%dx%d " % (component_layout["stripe_count"], component_layout["stripe_size_bytes"])
    )
    return "%d-%s %s%s" % (component_layout["start_bytes"], end, size, component_layout["pattern"])


PROBES = (Layout(),)
