"""What in a line of text tells who ran a benchmark, from where, or with which key: rules that take it out.

The site applies them before a bundle leaves (collectors/bundle/redaction.py), the registry once more before others see
it (submissions/bundles/scrubbing.py). Rules are pure: text in, text out, and how often each applied. They change words,
never the number of lines, so that a finding's file and line hold for the scrubbed copy too. Figures, dates, versions
and phases are left alone. docs/scrubbed-copies.md lists the rules.
"""

import ipaddress
import re

from .credentials import secrets, without_environment, without_keys, without_split_secrets, without_vaults
from .name_forms import forms_of
from .names import (
    ACCOUNT,
    COMPONENT,
    FULL_NAME,
    GPFS_STANZA,
    HOME,
    HOST_ASSIGNED,
    HOST_LINE,
    HOST_WORD,
    JOB_WORD,
    LAUNCHED_ON,
    MACHINE,
    PERSON,
    PROMPT,
    REMOTE,
    ROLES,
    SCHEDULER,
    Names,
    at_hosts,
    gpfs_patterns,
    is_a_name,
    is_figures,
    may_be_a_host,
    may_be_a_person,
    may_name_hosts,
    names_hosts,
    user_patterns,
)

__all__ = ["CODES", "Names", "scrub_line", "scrub_lines", "scrub_path"]

_E_MAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]+@(?:[^\W_]|-)+(?:\.(?:[^\W_]|-)+){0,9}\.[^\W\d_](?:[^\W_]|-)*")
_IPV4 = re.compile(r"(?<![A-Za-z0-9.])(?<![A-Za-z]-)\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9]|\.\d)", re.ASCII)
_PRIVATE_NETS = (10, 172, 192)
"""First figures of addresses that sites use inside: no version begins so as far as we saw."""
_VERSION_BEFORE = re.compile(r"(?<![A-Za-z])(?:version|ver\.?|release|rev\.?|v)[\s:=\"']{0,3}$", re.IGNORECASE)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{3,39}(?![\w:])", re.ASCII)
_HARDWARE = re.compile(
    r"(?<![\w:.-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2}|(?::[0-9A-Fa-f]{2}){14})?(?![\w:])",
    re.ASCII,
)
_UUID = re.compile(r"(?<![A-Za-z0-9])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![A-Za-z0-9])", re.ASCII)
_GUID = re.compile(r"(?<![\w:])(?:0x[0-9A-Fa-f]{16}|[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3})(?![\w:])", re.ASCII)
_SERIAL = re.compile(
    r"((?<![A-Za-z])(?:serial[ _-]?(?:number|no)|(?:asset|service)[ _-]?tag|asset|express service code|"
    r"system handle|ppid|chip id)[\"']?\s{0,40}[:=]\s{0,4}[\"']?)"
    r"([A-Za-z0-9][^\s\"',<]*)",
    re.IGNORECASE,
)
_DOTTED_HARDWARE = re.compile(
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}(?![\w:.-])|"
    r"(?<![\w:.-])[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}(?:(?:-[0-9A-Fa-f]{2}){2})?(?![\w:.-])",
    re.ASCII,
)
"""Hardware addresses as switches (3cec.efab.cd12) and other systems (3c-ec-ef-ab-cd-12) write them."""
_WORLD_WIDE = re.compile(
    r"((?<![A-Za-z0-9])(?:wwn-0x|naa\.|eui\.|nvme-eui\.|scsi-|dm-uuid-mpath-|uuid\.)|(?<![A-Za-z0-9])ww(?:p?n|nn|"
    r"id)s?[\"']?"
    r"(?:\s{1,4}|\s{0,4}[:=]\s{0,4})[\"']?(?:0x|naa\.|eui\.|"
    r"t10\.)?)([0-9A-Fa-f][0-9A-Fa-f:]{10,62}[0-9A-Fa-f])(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
_QUALIFIED = re.compile(
    r"(?<![\w.-])(?:iqn|nqn)\.\d{4}[-.]\d{2}\.[A-Za-z0-9][^\s\"'`,;<>()]{1,220}", re.IGNORECASE | re.ASCII
)
"""Names of initiators and targets of iSCSI and of NVMe over fabrics."""
_SERIAL_WORD = re.compile(
    r"((?<![A-Za-z])(?:serial(?:[ _-]?(?:number|num|no|id)\.?)?|s/n|sn)[\"']?\s{0,8}[:=]?\s{0,8}[\"']?)"
    r"(?=[A-Z0-9-]{0,40}[0-9])(?=[A-Z0-9-]{0,40}[A-Z])([A-Z0-9][A-Z0-9-]{5,40})(?![A-Za-z0-9])"
)
"""A serial number without a colon; in capitals, or with one in small letters before it."""
_PRINCIPAL = re.compile(
    r"((?<![A-Za-z])principal(?: name)?[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([A-Za-z0-9_][^\s\"',<>]*)", re.IGNORECASE
)
_KERBEROS = re.compile(
    r"(?<![\w.@/%+-])[A-Za-z_][\w.-]{0,63}(?:/[\w.-]{1,128})?@[A-Z][A-Z0-9-]{0,63}(?:\.[A-Z0-9-]{1,63}){1,6}(?![\w.-])"
)
"""alice@SITE.EXAMPLE, alice/admin@SITE.EXAMPLE, host/node17.site.example@SITE.EXAMPLE."""
_DIRECTORY = re.compile(
    r"(?<![A-Za-z0-9])(?:uid|cn|ou|dc|o|sn|mail|samaccountname|emailaddress)=[^,=\s\"'/]{1,100}"
    r"(?: [^,=\s\"'/]{1,60}){0,6}"
    r"(?:\s?,\s?(?:uid|cn|ou|dc|o|l|st|c|emailaddress)=[^,=\"'/\n]{1,100}){1,12}"
    r"|(?<![A-Za-z0-9/])(?:/(?:C|ST|L|O|OU|DC|CN|UID|emailAddress)=[^/=\"'\n]{1,100}){2,14}",
    re.IGNORECASE,
)
"""Names in a directory, with commas (LDAP) or slashes (certificates)."""
_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*(?![A-Za-z0-9])", re.ASCII)
_COMPOUND = re.compile(r"(?<![\w.+-])[A-Za-z]\w*(?:[._+-]\w+){1,4}(?![\w+-])", re.ASCII)
_DOTTED = re.compile(r"(?<![A-Za-z0-9.+-])[A-Za-z][A-Za-z0-9]*(?:[.+-][A-Za-z0-9]+){1,4}(?![A-Za-z0-9+-])", re.ASCII)
_ITEM = re.compile(r"[\w.-]+", re.ASCII)
_NUMBERED_NID = re.compile(r"(?<![\w.])[1-9]\d{0,9}(?=@(?:kfi|gni|o2ib|tcp)\d{0,4}(?!\w))", re.ASCII)
_CRAY_NODE = re.compile(r"(?<![\w.-])nid(?:\d{4,6}|\[[\d,-]{3,400}\])(?![\w-])", re.ASCII)
_SUBMITTER = re.compile(
    r"(?<![A-Za-z0-9_])((?:[A-Za-z0-9_]*submitter|contact_?(?:person|name|e?-?mail)|"
    r"author_?e?-?mail)[\"']?\s{0,4}[=:]\s{0,4})(\S.*)",
    re.IGNORECASE,
)
_WIDE_HINTS = ("wwn", "wwp", "wwid", "naa.", "eui.", "scsi-", "mpath-", "uuid.")
_SERIAL_HINTS = ("serial", "tag", "asset", "service code", "system handle", "ppid", "chip id")
_SUBMITTER_HINTS = ("submitter", "contact", "author")

_STANDS_ALREADY = re.compile(r"[\"',]*(?:(?:m-[0-9a-f]{8}|<[a-z-]+>)(?::\d+)?[\"',]*)+$")
"""What a scrubbing before left; scrubbing again changes nothing."""
_ASKED_FOR = {
    "hostname": "host",
    "uname -n": "host",
    "whoami": "user",
    "id -un": "user",
    "logname": "user",
    "hostid": "guid",
    "/etc/machine-id": "guid",
    "/etc/hostname": "host",
}
_ASKING_ENDS = (*_ASKED_FOR, "hostname -f", "hostname -s")
_ASKING = re.compile(r"(?:^|[$#>+] {0,2}|cat )(" + "|".join(map(re.escape, _ASKED_FOR)) + r")(?: -[fs])?$")
"""A command in a transcript (`$ hostname`, `+ whoami`) whose answer is a name."""
_ANSWER = re.compile(r"(\s{0,8})(?=[\w.-]{0,127}[A-Za-z])([A-Za-z0-9][\w.-]{0,127})(\s{0,8})$")
_PLACEHOLDER = re.compile(r"<([a-z-]+)>")
_OF_PATHS = ("secret", "address", "user", "e-mail", "host", "guid")


def scrub_lines(path, lines, names, counts, rules=None):
    """Yield the lines of one file, as many as came, without what tells who or where; `counts` by rule goes up."""
    of_hosts = names_hosts(path) and rules is None
    for rule in (without_environment, without_keys, without_vaults, without_split_secrets):
        lines = rule(lines, counts)
    for line in without_answers(lines, names, counts):
        listed = HOST_LINE.match(line) if of_hosts else None
        if listed:
            counts["host"] += 1
            line = listed.group(1) + names.stand_in("host", listed.group(2)) + listed.group(3)
        yield scrub_line(line, names, counts, rules)


def without_answers(lines, names, counts):
    """What a command answers that asks who or where goes, where it stands alone on the next line."""
    code = ""
    for line in lines:
        answer = _ANSWER.match(line) if code else None
        if answer:
            counts[code] += 1
            line = answer.group(1) + names.stand_in(code, answer.group(2)) + answer.group(3)
        command = _ASKING.search(line) if line.endswith(_ASKING_ENDS) else None
        code = _ASKED_FOR[command.group(1)] if command else ""
        yield line


def scrub_line(line, names, counts, rules=None):
    """The line after each of the rules (code, function), by default all of them."""
    if is_figures(line):
        return line
    for code, apply in RULES if rules is None else rules:
        line, replaced = apply(line, names)
        if replaced:
            counts[code] += replaced
    return line


def scrub_path(path, names, counts):
    """The name of a file in the bundle without users, addresses and hosts; brackets are not for file names."""
    line = "/" + path
    for code, apply in RULES:
        if code in _OF_PATHS:
            line, replaced = apply(line, names)
            counts[code] += replaced
    return _PLACEHOLDER.sub(r"\1", line[1:])


def stand_ins(code, pattern, line, names, is_one=None):
    """Put a stand-in for each word that the pattern finds and `is_one` (match, line) confirms; (line, how many).

    The word is the second group of a pattern that has groups, else all that it matches.
    """
    total = 0

    def stand_in(match):
        nonlocal total
        if is_one is not None and not is_one(match, line):
            return match.group(0)
        before, word = match.groups() if match.lastindex else ("", match.group(0))
        if _STANDS_ALREADY.match(word):
            return match.group(0)
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
    hardware = ipv6 = ipv4 = nids = dotted = 0
    if line.count(".") > 2:
        line, ipv4 = stand_ins("address", _IPV4, line, names, _is_ipv4)
    if line.count(":") > 1:
        line, hardware = stand_ins("address", _HARDWARE, line, names)
        line, ipv6 = stand_ins("address", _IPV6, line, names, _is_ipv6)
    if "@" in line:
        line, nids = stand_ins("address", _NUMBERED_NID, line, names)
    if line.count(".") > 1 or line.count("-") > 4:
        line, dotted = stand_ins("address", _DOTTED_HARDWARE, line, names, _is_hardware)
    return line, ipv4 + hardware + ipv6 + nids + dotted


def _is_hardware(match, line):
    """An address, not a number of a version or a date: with a letter in it, or a word for it before."""
    before = line[max(0, match.start() - 24) : match.start()].lower()
    return bool(re.search(r"[A-Fa-f]", match.group(0))) or "mac" in before or "ether" in before or "hwaddr" in before


def _is_ipv4(match, line):
    """An address, not a version: 4.1.0.1 after a word for it, in a package's name or as a folder's name."""
    octets = [int(octet) for octet in match.group(0).split(".")]
    if max(octets) > 255 or octets[0] in (0, 127) or octets[0] == 255:
        return False
    before, after = line[max(0, match.start() - 16) : match.start()], line[match.end() : match.end() + 1]
    if ("ersion" in line or before.endswith("_") or after == "_") and octets[0] not in _PRIVATE_NETS:
        return False
    is_folder = before.endswith("/") and not before.endswith("//") and after == "/"
    return not is_folder and not _VERSION_BEFORE.search(before)


def _is_ipv6(match, line):
    """An address, not a time (12:00:00), a list of processors (0:1:2:3:4:5:6:7) or a C++ name (a::b)."""
    text = match.group(0)
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
    total = guids = serials = words = wide = qualified = 0
    lower = line.lower()
    if line.count("-") > 3:
        line, total = stand_ins("guid", _UUID, line, names)
    if "guid" in lower:
        line, guids = stand_ins("guid", _GUID, line, names)
    if any(hint in lower for hint in _SERIAL_HINTS):
        line, serials = stand_ins("guid", _SERIAL, line, names)
    if "serial" in lower or "sn" in lower or "s/n" in lower:
        line, words = stand_ins("guid", _SERIAL_WORD, line, names)
    if any(hint in lower for hint in _WIDE_HINTS):
        line, wide = stand_ins("guid", _WORLD_WIDE, line, names)
    if "qn." in lower:
        line, qualified = stand_ins("guid", _QUALIFIED, line, names)
    return line, total + guids + serials + words + wide + qualified


def _e_mails(line, names):
    return stand_ins("e-mail", _E_MAIL, line, names) if "@" in line else (line, 0)


def _directory_names(line, names):
    """Who somebody is in a directory or in Kerberos."""
    directory = principals = kerberos = 0
    if "=" in line and ("," in line or "/" in line):
        line, directory = stand_ins("user", _DIRECTORY, line, names)
    if "@" in line:
        line, kerberos = stand_ins("user", _KERBEROS, line, names)
    if "rincipal" in line:
        line, principals = stand_ins("user", _PRINCIPAL, line, names)
    return line, directory + principals + kerberos


def _at_hosts(line, names):
    """alice@login3, where a path, a command or what is known of her says that it is one."""
    if "@" not in line:
        return line, 0
    spans = {match.span(): match for match in at_hosts(line)}
    spans.update((match.span(), match) for match in REMOTE.finditer(line) if match.group(1) in names.users)
    done, pieces, total = 0, [], 0
    for (begin, end), match in sorted(spans.items()):
        if begin < done or match.group(1) in ROLES | {"user"} and not names.is_host(match.group(2)):
            continue
        user = match.group(1) if match.group(1) in ROLES else names.stand_in("user", match.group(1))
        pieces += [line[done:begin], user, "@", names.stand_in("host", match.group(2))]
        done, total = end, total + 1
    return "".join(pieces) + line[done:] if total else line, total


def _hosts(line, names):
    machines = assigned = launched = gpfs = cray = recognised = supplied = full = bare = 0
    if "Machine" in line:
        line, machines = stand_ins("host", MACHINE, line, names)
    if "HOST" in line or "NODE" in line or "ADDR" in line or "PBS_" in line or "COBALT" in line or "SSH_" in line:
        line, assigned = stand_ins("host", HOST_ASSIGNED, line, names)
    if may_name_hosts(line):
        line, launched = stand_ins("host", LAUNCHED_ON, line, names)
    for pattern in gpfs_patterns(line):
        line, replaced = stand_ins("host", pattern, line, names)
        gpfs += replaced
    if names.gpfs_nodes and GPFS_STANZA.match(line):
        line, stanza = stand_ins("host", _ITEM, line, names, lambda match, _line: match.group(0) in names.gpfs_nodes)
        gpfs += stanza
    if line.count(".") > 1:
        line, full = stand_ins("host", FULL_NAME, line, names)
    if "nid" in line:
        line, cray = stand_ins("host", _CRAY_NODE, line, names)
    if names.given is not None:
        line, supplied = stand_ins(
            "host", names.given, line, names, lambda match, _line: not names.is_user(match.group(0))
        )
    if names.hosts or names.host_shapes or names.domains:
        line, recognised = stand_ins("host", HOST_WORD, line, names, lambda match, _line: names.is_host(match.group(0)))
    if names.host_words:
        line, bare = stand_ins("host", _WORD, line, names, lambda match, _line: names.is_host_word(match.group(0)))
    return line, machines + assigned + launched + gpfs + cray + supplied + recognised + full + bare


def _users(line, names):
    homes = folders = assigned = accounts = prompts = fields = words = jobs = 0
    if "/" in line or "%2" in line:
        line, homes = _home_folders(line, names)
        if names.users:
            line, folders = stand_ins(
                "user", COMPONENT, line, names, lambda match, _line: match.group(0) in names.users
            )
    if "=" in line:
        line, assigned = stand_ins("user", PERSON, line, names)
    if "account" in line.lower():
        line, accounts = stand_ins("user", ACCOUNT, line, names)
    if "[" in line and "@" in line:
        line, prompts = PROMPT.subn(
            lambda match: (
                match.group(1) + names.stand_in("user", match.group(2)) + "@" + names.stand_in("host", match.group(3))
            ),
            line,
        )
    for pattern in user_patterns(line):
        line, count = stand_ins("user", pattern, line, names, _is_person)
        fields += count
    if "-" in line and SCHEDULER.search(line):
        line, jobs = stand_ins("user", JOB_WORD, line, names, lambda match, _line: is_a_name(match.group(2)))
    if names.users:
        for pattern in (_COMPOUND, _DOTTED, _WORD):
            line, count = stand_ins(
                "user", pattern, line, names, lambda match, _line: names.is_user_word(match.group(0))
            )
            words += count
    return line, homes + folders + assigned + accounts + prompts + fields + words + jobs


def _is_person(match, line):
    return match.group(2).lower() not in ROLES


def _home_folders(line, names):
    """/home/alice, and /home/group/account: a folder that names no person stays."""
    total = 0

    def home(match):
        nonlocal total
        before, first, account = match.groups()
        names_nobody = first.lower() in ROLES
        if names_nobody and not account:
            return match.group(0)
        total += 1
        first = first if names_nobody else names.stand_in("user", first)
        return before + first + ("/" + names.stand_in("user", account[1:]) if account else "")

    return HOME.sub(home, line), total


def _supplied_users(line, names):
    if names.given is None:
        return line, 0
    return stand_ins("user", names.given, line, names, lambda match, _line: names.is_user(match.group(0)))


def _by_form(code):
    """The rule of all forms in which programs write words of one kind."""
    confirms = {
        "user": lambda match, _line: may_be_a_person(match.group(2)),
        "host": lambda match, _line: may_be_a_host(match.group(2)),
    }.get(code)

    def apply(line, names):
        total = 0
        for form in forms_of(code, line):
            line, count = stand_ins(code, form.compiled_pattern, line, names, confirms)
            total += count
        return line, total

    return apply


RULES = (
    ("secret", secrets),
    ("submitter", _submitter),
    ("guid", _guids),
    ("guid", _by_form("guid")),
    ("address", _addresses),
    ("address", _by_form("address")),
    ("user", _directory_names),
    ("e-mail", _e_mails),
    ("e-mail", _by_form("e-mail")),
    ("user", _users),
    ("user", _by_form("user")),
    ("user", _at_hosts),
    ("host", _hosts),
    ("host", _by_form("host")),
    ("user", _supplied_users),
)
CODES = ("environment",) + tuple(dict.fromkeys(code for code, _apply in RULES))
