"""Probes that a site or vendor declares in JSON files: no code of theirs runs, they say where to look and for what."""

import json
import os
import pkgutil
import re

from collectors import files
from collectors.document import schema
from collectors.errors import UsageError
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, safe_regex
from collectors.probes.input_parsing import gap

SITE_FOLDER = "/etc/highwater/probes.d"
MAX_BYTES = 64 * 1024
MAX_PROBES = 100
MAX_PARAMETERS = 100
MAX_FILES = 64

# Whatever a file of probes says: no secrets, no identity, no clients' statistics.
NEVER_READ = re.compile(
    r"shadow|passwd|environ|keytab|secret|token|private|password|/ssh|_key|\.key|\.pem|cmdline|serial|uuid|wwid|guid"
    r"|machine-id|asset|hostname|nid|job_stats|exports|mb_groups|changelog|dump_page_cache|/maps|/mem$|/kcore|/fd/"
)
# Words of a menu and versions; nothing in which a name, an address or a path would fit.
TEXT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.,()%+-]{0,63}")
TRUE, FALSE = ("1", "on", "yes", "true", "enabled", "y"), ("0", "off", "no", "false", "disabled", "n")


class SiteProbe(Probe):
    """One declared probe; `entries` are what stands in for its rows in the parameter registry."""

    def __init__(self, declared):
        self.id = declared["id"]
        self.about = declared["about"]
        self.roles = tuple(declared.get("roles", Probe.roles))
        self.parameters = declared["parameters"]
        self.provides = tuple(parameter["id"] for parameter in self.parameters)
        self.reads = tuple(parameter["path"] for parameter in self.parameters)
        self.patterns = {
            parameter["id"]: pattern_of(parameter) for parameter in self.parameters if "pattern" in parameter
        }
        self.entries = {parameter["id"]: entry(parameter) for parameter in self.parameters}

    def applies(self, door):
        return any(door.matching(path) for path in self.reads)

    def read(self, door):
        raw = {}
        for parameter in self.parameters:
            paths = [path for path in door.matching(parameter["path"]) if not is_never_read(door, path)]
            raw[parameter["id"]] = {path: door.file(path) for path in paths[:MAX_FILES]}
        return raw

    def parse(self, raw):
        for parameter in self.parameters:
            name = parameter["id"]
            facts, gaps = [], []
            for file_input in raw[name].values():
                piece = self.fact_of_file(parameter, file_input)
                (facts if isinstance(piece, Fact) else gaps).append(piece)
            yield from facts or [gap(name, *gaps)]

    def fact_of_file(self, parameter, file_input):
        """The Fact of one file, or the Missing that says why there is none."""
        name = parameter["id"]
        if file_input.text is None:
            return Missing(name, file_input.reason, file_input.detail)
        try:
            values = (
                safe_regex.find_matches(self.patterns[name], file_input.text)
                if name in self.patterns
                else [file_input.text.strip()]
            )
            return Fact(name, value_of(values[0], parameter["type"]), file_input.source)
        except safe_regex.TooMuchWork as error:
            return Missing(name, "output_limit", str(error))
        except IndexError:
            return Missing(name, "not_applicable", "no line is like the pattern")
        except ValueError as error:
            return Missing(name, "parse_error", str(error))


def pattern_of(parameter):
    """Compile a parameter's pattern. Raises ValueError for one that is no safe expression."""
    try:
        return safe_regex.compiled(parameter["pattern"])
    except ValueError as error:
        raise ValueError("the pattern of %s: %s" % (parameter["id"], error))


def is_never_read(door, path):
    """Whether a path, or where it really lies, is one that no probe may read."""
    return bool(NEVER_READ.search(path) or NEVER_READ.search(door.link(path) or ""))


def value_of(text, kind):
    """The value of a type. Raises ValueError for a text of another type."""
    if kind == "string":
        if not TEXT.fullmatch(text):
            raise ValueError("not a short plain text")
        return text
    if kind == "boolean":
        if text.lower() not in TRUE + FALSE:
            raise ValueError("neither on nor off")
        return text.lower() in TRUE
    if not re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,9})?", text) or (kind == "integer" and "." in text):
        raise ValueError("not a number of this type")
    return int(text) if kind == "integer" else float(text)


def entry(parameter):
    """A row such as the registry has; the strict profile keeps what a site added at the site."""
    return {
        "id": parameter["id"],
        "meaning": parameter["meaning"],
        "unit": parameter.get("unit", "none"),
        "volatile": False,
        "redaction": "allowlist",
    }


def of_folder(folder):
    """The probes of a folder's *.json files. Raises UsageError that names the file and what is wrong with it."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError as error:
        raise UsageError("collector.probes", "%s cannot be listed: %s" % (folder, error.strerror))
    if len(names) > MAX_PROBES:
        raise probe_error(folder, "more than %d probes" % MAX_PROBES)
    probes, declared_ids = [], set()
    for name in names:
        path = os.path.join(folder, name)
        probe = of_file(path)
        for twice in declared_ids.intersection(probe.provides):
            raise probe_error(path, "%s is declared twice" % twice)
        declared_ids.update(probe.provides)
        probes.append(probe)
    return probes


def of_file(path):
    """The probe of one file. Raises UsageError if it cannot be read, is too large or describes no probe."""
    try:
        return declared_probe(json.loads(files.read_at_most(path, MAX_BYTES).decode("utf-8")))
    except OSError as error:
        raise probe_error(path, error.strerror or "cannot be read")
    except files.TooLarge:
        raise probe_error(path, "larger than 64 KiB")
    except (ValueError, RecursionError) as error:
        raise probe_error(path, str(error))


def declared_probe(declared):
    """The SiteProbe of a declaration. Raises ValueError that says what is wrong with it."""
    for pointer, message in schema.errors(declared, probe_schema(), at_most=1):
        raise ValueError("%s %s" % (pointer or "/", message))
    parameters = declared["parameters"]
    if len(parameters) > MAX_PARAMETERS:
        raise ValueError("more than %d parameters" % MAX_PARAMETERS)
    if len({parameter["id"] for parameter in parameters}) < len(parameters):
        raise ValueError("a parameter is declared twice")
    for parameter in parameters:
        if not parameter["id"].startswith(declared["id"] + "."):
            raise ValueError("%s does not begin with %s." % (parameter["id"], declared["id"]))
        if NEVER_READ.search(parameter["path"]) or ".." in parameter["path"].split("/"):
            raise ValueError("%s is never read" % parameter["path"])
    return SiteProbe(declared)


def probe_schema():
    return json.loads(pkgutil.get_data("collectors", "data/site-probe.1.json").decode("utf-8"))


def probe_error(path, reason):
    return UsageError("collector.probes", "%s: %s." % (path, reason), "docs/probes.md shows what a probe looks like.")


def define(verb):
    """The option of every verb that knows a site's probes."""
    verb.add_argument("--probes", metavar="DIR", help="folder with the site's own probes (%s)" % SITE_FOLDER)


def of_site(folder, note):
    """The probes of --probes, else of /etc/highwater/probes.d, where a broken file is noted and left out.

    `folder` is None where none was given; `note` takes a line for the user.
    """
    if folder is not None:
        return of_folder(folder)
    if not os.path.isdir(SITE_FOLDER):
        return []
    try:
        return of_folder(SITE_FOLDER)
    except UsageError as error:
        note("probes of the site are left out: " + error.message)
        return []
