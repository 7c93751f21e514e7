"""What in a line of text tells who ran a benchmark, from where, or with which key: rules that take it out.

The site applies them before a bundle leaves (collectors/bundle/redaction.py), the registry once more before others see
it (submissions/bundles/scrubbing.py). Rules are pure: text in, text out, and how often each applied. They change words,
never the number of lines, so that a finding's file and line hold for the scrubbed copy too. Figures, dates, versions
and phases are left alone. docs/scrubbed-copies.md lists the rules.
"""

import ipaddress
import re

from .credentials import secrets, without_environment, without_keys
from .names import (
    ACCOUNT,
    COMPONENT,
    FULL_NAME,
    GPFS_STANZA,
    HOME,
    HOST_ASSIGNED,
    HOST_LINE,
    HOST_WORD,
    LAUNCHED_ON,
    MACHINE,
    PERSON,
    PROMPT,
    ROLES,
    Names,
    gpfs_patterns,
    is_figures,
    may_name_hosts,
    names_hosts,
)

__all__ = ["CODES", "Names", "scrub_line", "scrub_lines", "scrub_path"]

_E_MAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.ASCII)
_IPV4 = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)", re.ASCII)
_VERSION_BEFORE = re.compile(r"(?<![A-Za-z])(?:version|ver\.?|release|rev\.?|v)[\s:=\"']{0,3}$", re.IGNORECASE)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{3,39}(?![\w:])", re.ASCII)
_HARDWARE = re.compile(
    r"(?<![\w:.-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2}|(?::[0-9A-Fa-f]{2}){14})?(?![\w:])",
    re.ASCII,
)
_UUID = re.compile(r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])", re.ASCII)
_GUID = re.compile(r"(?<![\w:])(?:0x[0-9A-Fa-f]{16}|[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3})(?![\w:])", re.ASCII)
_SERIAL = re.compile(
    r"((?<![A-Za-z])(?:serial[ _-]?(?:number|no)|asset[ _-]?tag|service[ _-]?tag)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
    r"([A-Za-z0-9][^\s\"',<]*)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[\w.-]+", re.ASCII)
_NUMBERED_NID = re.compile(r"(?<![\w.])[1-9]\d{0,9}(?=@(?:kfi|gni|o2ib|tcp)\d{0,4}(?!\w))", re.ASCII)
_CRAY_NODE = re.compile(r"(?<![\w.-])nid(?:\d{4,6}|\[[\d,-]{3,400}\])(?![\w-])", re.ASCII)
_SUBMITTER = re.compile(
    r"(?<![A-Za-z0-9_])((?:[A-Za-z0-9_]*submitter|contact_?(?:person|name|e?-?mail)|author_?e?-?mail)[\"']?\s{0,4}[=:]\s{0,4})(\S.*)",
    re.IGNORECASE,
)
_SUBMITTER_HINTS = ("submitter", "contact", "author")

_STANDS_ALREADY = re.compile(r"[\"',]*(?:(?:m-[0-9a-f]{8}|<[a-z-]+>)(?::\d+)?[\"',]*)+$")
"""What a scrubbing before left; scrubbing again changes nothing."""
_PLACEHOLDER = re.compile(r"<([a-z-]+)>")
_OF_PATHS = ("secret", "address", "user", "e-mail", "host", "guid")


def scrub_lines(path, lines, names, counts, rules=None):
    """Yield the lines of one file, as many as came, without what tells who or where; `counts` by rule goes up."""
    of_hosts = names_hosts(path) and rules is None
    for line in without_keys(without_environment(lines, counts), counts):
        listed = HOST_LINE.match(line) if of_hosts else None
        if listed:
            counts["host"] += 1
            line = listed.group(1) + names.stand_in("host", listed.group(2)) + listed.group(3)
        yield scrub_line(line, names, counts, rules)


def scrub_line(line, names, counts, rules=None):
    """The line after each of the rules (code, function), by default all of them."""
    if is_figures(line):
        return line
    for code, apply in RULES if rules is None else rules:
        line, found = apply(line, names)
        if found:
            counts[code] += found
    return line


def scrub_path(path, names, counts):
    """The name of a file in the bundle without users, addresses and hosts; brackets are not for file names."""
    line = "/" + path
    for code, apply in RULES:
        if code in _OF_PATHS:
            line, found = apply(line, names)
            counts[code] += found
    return _PLACEHOLDER.sub(r"\1", line[1:])


def stand_ins(code, pattern, line, names, is_one=None):
    """Put a stand-in for each word that the pattern finds and `is_one` (match, line) confirms; (line, how many).

    The word is the second group of a pattern that has groups, else all that it matches.
    """
    total = 0

    def stand_in(found):
        nonlocal total
        if is_one is not None and not is_one(found, line):
            return found.group(0)
        before, word = found.groups() if found.lastindex else ("", found.group(0))
        if _STANDS_ALREADY.match(word):
            return found.group(0)
        total += 1
        return before + names.stand_in(code, word)

    return pattern.sub(stand_in, line), total


def _submitter(line, names):
    if not any(hint in line.lower() for hint in _SUBMITTER_HINTS):
        return line, 0
    match = _SUBMITTER.search(line)
    value = match.group(2).rstrip() if match else ""
    bare = value.strip("\"',")
    if not bare or bare.isdigit() or value.startswith(("$", "<")):
        return line, 0
    quote = value[0] if value[0] in "\"'" else ""
    comma = "," if value.endswith(",") else ""
    return f"{line[: match.start(2)]}{quote}<submitter>{quote}{comma}{match.group(2)[len(value) :]}", 1


def _addresses(line, names):
    hardware = ipv6 = ipv4 = nids = 0
    if line.count(".") > 2:
        line, ipv4 = stand_ins("address", _IPV4, line, names, _is_ipv4)
    if line.count(":") > 1:
        line, hardware = stand_ins("address", _HARDWARE, line, names)
        line, ipv6 = stand_ins("address", _IPV6, line, names, _is_ipv6)
    if "@" in line:
        line, nids = stand_ins("address", _NUMBERED_NID, line, names)
    return line, ipv4 + hardware + ipv6 + nids


def _is_ipv4(found, line):
    """An address, not a version: 4.1.0.1 after a word for it, in a package's name or as a folder's name."""
    octets = [int(octet) for octet in found.group(0).split(".")]
    if max(octets) > 255 or octets[0] in (0, 127) or octets[0] == 255:
        return False
    before, after = line[max(0, found.start() - 16) : found.start()], line[found.end() : found.end() + 1]
    if "ersion" in line and octets[0] not in (10, 172, 192):
        return False
    is_folder = before.endswith("/") and not before.endswith("//") and after == "/"
    return not is_folder and not _VERSION_BEFORE.search(before)


def _is_ipv6(found, line):
    """An address, not a time (12:00:00), a list of processors (0:1:2:3:4:5:6:7) or a C++ name (a::b)."""
    text = found.group(0)
    groups = [group for group in text.split(":") if group]
    if "::" in text and len(groups) < 3 and len(text.partition(":")[0]) < 4:
        return False
    if not ("::" in text or re.search(r"[A-Fa-f]|\d{4}", text)):
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _guids(line, names):
    """Universal identifiers and serial numbers; InfiniBand's look like any number: only where the line says so."""
    total = found = serials = 0
    lower = line.lower()
    if line.count("-") > 3:
        line, total = stand_ins("guid", _UUID, line, names)
    if "guid" in lower:
        line, found = stand_ins("guid", _GUID, line, names)
    if "serial" in lower or "tag" in lower:
        line, serials = stand_ins("guid", _SERIAL, line, names)
    return line, total + found + serials


def _e_mails(line, names):
    return stand_ins("e-mail", _E_MAIL, line, names) if "@" in line else (line, 0)


def _hosts(line, names):
    machines = assigned = launched = gpfs = cray = known = given = full = 0
    if "Machine" in line:
        line, machines = stand_ins("host", MACHINE, line, names)
    if "HOST" in line or "NODE" in line or "PBS_" in line or "COBALT" in line or "SSH_" in line:
        line, assigned = stand_ins("host", HOST_ASSIGNED, line, names)
    if may_name_hosts(line):
        line, launched = stand_ins("host", LAUNCHED_ON, line, names)
    for pattern in gpfs_patterns(line):
        line, found = stand_ins("host", pattern, line, names)
        gpfs += found
    if names.gpfs_nodes and GPFS_STANZA.match(line):
        line, stanza = stand_ins("host", _ITEM, line, names, lambda found, _line: found.group(0) in names.gpfs_nodes)
        gpfs += stanza
    if line.count(".") > 1:
        line, full = stand_ins("host", FULL_NAME, line, names)
    if "nid" in line:
        line, cray = stand_ins("host", _CRAY_NODE, line, names)
    if names.given is not None:
        line, given = stand_ins(
            "host", names.given, line, names, lambda found, _line: not names.is_user(found.group(0))
        )
    if names.hosts or names.host_shapes or names.domains:
        line, known = stand_ins("host", HOST_WORD, line, names, lambda found, _line: names.is_host(found.group(0)))
    return line, machines + assigned + launched + gpfs + cray + given + known + full


def _users(line, names):
    homes = folders = assigned = accounts = prompts = 0
    if "/" in line:
        line, homes = _home_folders(line, names)
        if names.users:
            line, folders = stand_ins(
                "user", COMPONENT, line, names, lambda found, _line: found.group(0) in names.users
            )
    if "=" in line:
        line, assigned = stand_ins("user", PERSON, line, names)
    if "account" in line.lower():
        line, accounts = stand_ins("user", ACCOUNT, line, names)
    if "[" in line and "@" in line:
        line, prompts = PROMPT.subn(
            lambda found: (
                found.group(1) + names.stand_in("user", found.group(2)) + "@" + names.stand_in("host", found.group(3))
            ),
            line,
        )
    return line, homes + folders + assigned + accounts + prompts


def _home_folders(line, names):
    """/home/alice, and /home/group/account: a folder that names no person stays."""
    total = 0

    def home(found):
        nonlocal total
        before, first, account = found.groups()
        names_nobody = first.lower() in ROLES
        if names_nobody and not account:
            return found.group(0)
        total += 1
        first = first if names_nobody else names.stand_in("user", first)
        return before + first + ("/" + names.stand_in("user", account[1:]) if account else "")

    return HOME.sub(home, line), total


def _given_users(line, names):
    if names.given is None:
        return line, 0
    return stand_ins("user", names.given, line, names, lambda found, _line: names.is_user(found.group(0)))


RULES = (
    ("secret", secrets),
    ("submitter", _submitter),
    ("guid", _guids),
    ("address", _addresses),
    ("user", _users),
    ("e-mail", _e_mails),
    ("host", _hosts),
    ("user", _given_users),
)
CODES = ("environment",) + tuple(dict.fromkeys(code for code, _apply in RULES))
