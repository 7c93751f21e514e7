"""`explain`: what a parameter is, where it is read, by whom, what leaves the site, and its default by release."""

import difflib
import fnmatch
import sys

from collectors import report
from collectors.document import parameters
from collectors.errors import OK, UsageError

ABOUT = "show what a parameter means, where it is read and what of it leaves the site"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s lustre-client
  %(prog)s lustre.client.osc.max_rpcs_in_flight
  %(prog)s read_ahead
  %(prog)s /sys/block/sda/queue/scheduler --json

Give a group, an id, a part of an id, or a path on the node. Without an argument it lists the groups.
"""

SUGGESTIONS = 3
# Units that say no more than the type of the value does.
WITHOUT_WORD = ("none", "mixed", "bool", "count")
LEAVES = {
    "keep": "as it is",
    "allowlist": "known entries only",
    "basename": "without folders",
    "pseudonym": "under a pseudonym",
    "drop": "without what identifies",
    "attachment": "only if you attach it",
    "never": "never, it is not read",
}
ON_CHANGE = {
    "invalidating": "makes the run incomparable",
    "warning": "is a warning",
    "info": "is noted",
}
PRIVILEGE = {
    "none": "everybody",
    "root": "root",
    "group": "members of a group",
    "bmc": "the management controller",
    "admin": "an administrator",
}


def define(verb):
    verb.add_argument("parameter", metavar="PARAMETER", nargs="?", help="a group, an id or a part of it, or a path")
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def run(options, progress):
    matches = list(parameters.registry().values()) if options.parameter is None else matching(options.parameter)
    if options.json:
        report.print_json({"parameters": [with_defaults(parameter) for parameter in matches]})
    elif options.parameter is None:
        print_groups(sys.stdout)
    elif len(matches) == 1:
        print_parameter(matches[0], sys.stdout)
    else:
        print_list(matches, sys.stdout)
    return OK


def matching(query):
    """The parameters of a group, with an id, with a path, or with a part of an id; never none.

    Raises UsageError where there is none.
    """
    query = query.strip().lower().replace(".*.", ".")
    registry = parameters.registry()
    if query in registry:
        return [registry[query]]
    matches = [
        parameter
        for parameter in registry.values()
        if parameter["group"] == query or (query and query in parameter["id"])
    ]
    if query.startswith("/"):
        matches = [
            parameter
            for parameter in registry.values()
            if any(fits(query, place["path"]) for place in parameter["paths"])
        ]
    if not matches:
        raise UsageError("collector.parameter", "no parameter is called like that", hint(query, registry))
    return matches


def fits(path, pattern):
    """A path of the node, or the pattern itself; * stands for one name."""
    same_depth = path.count("/") == pattern.count("/")
    return same_depth and fnmatch.fnmatchcase(path, pattern.lower())


def hint(query, registry):
    last_parts = {name.rsplit(".", 1)[-1]: name for name in registry}
    near = difflib.get_close_matches(query[:100], list(registry) + list(last_parts), SUGGESTIONS, cutoff=0.6)
    if near:
        suggestions = {last_parts.get(name, name): None for name in near}
        return "did you mean " + " or ".join(suggestions) + "?"
    return "explain without a name lists the groups"


def with_defaults(parameter):
    return dict(parameter, lustre_defaults=parameters.lustre_defaults(parameter["id"]))


def print_groups(stream):
    members = [parameter["group"] for parameter in parameters.registry().values()]
    for group, title in parameters.groups().items():
        report.print_line(f"{group:<15}{members.count(group):>4}  {title}", stream)


def print_list(matches, stream):
    width = max(len(parameter["id"]) for parameter in matches)
    for parameter in matches:
        report.print_line("{:<{}}  {}".format(parameter["id"], width, parameter["meaning"]), stream)


def print_parameter(parameter, stream):
    report.print_line(parameter["id"], stream)
    report.print_line("  " + parameter["meaning"], stream)
    for name, lines in fields(parameter):
        for line in lines:
            report.print_line(f"  {name:<12}{line}", stream)
            name = ""


def fields(parameter):
    """(name, lines) of what is known of a parameter; a field without lines is not shown."""
    unit = "" if parameter["unit"] in WITHOUT_WORD else " in " + parameter["unit"]
    return [
        ("value", [parameter["value_type"] + unit + (", by key" if parameter["kind"] == "map" else "")]),
        ("found on", [", ".join(parameter["roles"]) or parameter["scope"]]),
        ("read from", read_from(parameter)),
        ("readable by", [with_note(PRIVILEGE[parameter["privilege"]], parameter["privilege_note"])]),
        ("leaves", [leaves(parameter)]),
        (
            "a change",
            [with_note(ON_CHANGE[parameter["run_critical"]], "changes by itself" if parameter["volatile"] else "")],
        ),
        ("default", [default_line(entry, parameter["unit"]) for entry in parameters.lustre_defaults(parameter["id"])]),
        ("note", filled(parameter["note"])),
    ]


def read_from(parameter):
    places = [place_line(place) for place in parameter["paths"]]
    return places + filled(parameter["command"]) + filled(parameter["reason"])


def leaves(parameter):
    """What of it leaves the site; the note says more than the class, but for what leaves as it is."""
    words, note = LEAVES[parameter["redaction"]], parameter["redaction_note"]
    return words + "; " + note if note and parameter["redaction"] == "keep" else note or words


def filled(text):
    return [text] if text else []


def with_note(words, note):
    return f"{words} ({note})" if note else words


def place_line(place):
    return place["path"] + in_releases(place.get("from_release"), place.get("to_release"))


def default_line(entry, unit):
    return (entry.get("words") or format_value(entry["value"], unit)) + in_releases(entry["first"], entry["last"])


def format_value(value, unit):
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if unit in WITHOUT_WORD else f"{value} {unit}"


def in_releases(first, last):
    """ "  (Lustre 2.12 to 2.16)", or nothing for every release."""
    if first and last:
        return "  (Lustre {})".format(first if first == last else first + " to " + last)
    if first or last:
        return "  (Lustre from {} on)".format(first) if first else f"  (Lustre up to {last})"
    return ""
