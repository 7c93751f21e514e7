"""Forms in which programs write users, hosts, addresses and identifiers: each the words before, and the word itself.

A form is tried on lines with one of its hints, in lower case. Its first group stays, its second is the word. What a
form that `teaches` has found is taken up as a name, so that it is recognised wherever else it stands.
"""

import re
from functools import lru_cache

_NAME = r"[A-Za-z][\w.-]{0,62}"
_PERSON = r"[A-Za-z_][\w.@-]{0,62}"
_BRACKETS = r"(?:\[[\d,-]{1,400}\][\w.-]{0,62})?"
_HOSTS = _NAME + _BRACKETS + "(?:," + _NAME + _BRACKETS + ")*"
_NUMBERED = r"[A-Za-z][A-Za-z_-]{0,62}[\d\[][\w.,\[\]-]{0,400}"
_RIGHTS = r"^\s{0,8}[bcdlps-](?:[r-][w-][xsStT-]){3}[.+@]?\s{1,6}\d{1,7}\s{1,6}"
_IS = r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
_OCTETS = r"(?:\d{1,3}|\[[\d,-]{1,40}\])"
_JOB = r"(?:#(?:SBATCH|PBS|BSUB|FLUX)|(?<![A-Za-z])(?:sbatch|salloc|qsub|bsub)(?![A-Za-z]))"

NO_HOST = frozenset(
    "warn warning notice trace fatal stdout stderr posix ufs nfs file path mpiio romio begin end".split()
)
"""Words that stand where a host may stand."""


class Form:
    """One way to write a name: the code of the rule that takes it out, and what it is recognised by."""

    def __init__(self, code, hints, pattern, teaches=False, flags=0):
        self.code = code
        self.hints = tuple(hints.split("|"))
        self.pattern = re.compile(pattern, re.ASCII | flags)
        self.teaches = teaches


FORMS = (
    # Users, and what belongs to them
    Form("user", "userid=|groupid=", r"((?<![A-Za-z0-9_])(?:UserId|GroupId)=)(" + _PERSON + r")(?=\()", True),
    Form(
        "user",
        "account=|jobname=|wckey=|reservation=",
        r"((?<![A-Za-z0-9_-])(?:[Aa]ccounts?|JobName|WCKey|Reservation)=)([A-Za-z0-9][\w.@-]{0,200})",
    ),
    Form(
        "user", "sbatch|pbs|bsub|flux|salloc|qsub", r"(" + _JOB + r"(?:\s.{0,200})?\s-(?:A ?|P ))([A-Za-z][\w.-]{1,62})"
    ),
    Form("user", "pbs|qsub|bsub", r"((?:#PBS|#BSUB|qsub|bsub)(?:\s.{0,200})?\s-[NJ] )([A-Za-z][\w.-]{1,62})"),
    Form(
        "user",
        "sbatch|pbs|bsub|flux|salloc|srun|qsub",
        r"((?<!\S)--(?:partition|qos|uid|gid|mail-user)[= ])([A-Za-z][\w.@-]{1,62})",
    ),
    Form("user", "sbatch|pbs|bsub|salloc|qsub", r"(" + _JOB + r"(?:\s.{0,200})?\s-[pq] )([A-Za-z][\w.-]{1,62})"),
    Form(
        "user",
        "user=|uid=|owner=|logname",
        r"((?<![A-Za-z0-9_])(?:--?)?(?:(?:(?:[a-z0-9]{1,10}_)?user|uid|owner|logname)=|logname\s{0,4}:\s{1,4})[\"']?)"
        r"([A-Za-z_][\w.@-]{2,62})(?![\w(%])",
        True,
        re.IGNORECASE,
    ),
    Form(
        "user",
        "srun",
        r"((?<![A-Za-z])srun(?: --?[\w=.,:-]{1,60}(?: \d[\w:,-]{0,20})?){0,6} -A ?)([A-Za-z][\w.-]{1,62})",
    ),
    Form(
        "user",
        "cn = |cn= |cn =",
        r"((?<![A-Za-z0-9])CN ?= ?)([^\s,/\"=<](?:[^,/\"=<]{0,80}[^\s,/\"=<])?)(?![^,/\"]{0,80}=)",
    ),
    Form("user", "rw|r-", r"(" + _RIGHTS + r")([A-Za-z_][\w.-]{0,62})(?=\s)", True),
    Form("user", "rw|r-", r"(" + _RIGHTS + r"\S{1,63}\s{1,10})([A-Za-z_][\w.-]{0,62})(?=\s{1,16}\d)", True),
    Form(
        "user",
        "sudo|runuser|ssh|su ",
        r"((?<![A-Za-z0-9])(?:sudo(?: -[A-Za-z]{1,4}){0,2} -u|runuser(?: -l)? -u|"
        r"ssh(?: -[A-Za-z]{1,4}){0,2} -l|su(?: -l| -)?) )"
        r"([a-z_][\w.-]{2,31})(?![\w=])",
        True,
    ),
    Form("user", "chown", r"((?<![A-Za-z0-9])chown(?: -[A-Za-z-]{1,20}){0,2} )([a-z_][\w.-]{0,31})(?=[:. ])", True),
    Form(
        "user",
        "?|pts/|tty",
        r"(^)([a-z_][\w-]{1,31})(?=\+?\s{1,12}\d{1,8}\s{1,8}\d{1,4}\.\d\s{1,6}\d{1,3}\.\d\s{1,8}\d{1,12}\s{1,8}\d"
        r"|\+?\s{1,12}\d{1,8}\s{1,8}\d{1,8}\s{1,6}\d{1,4}\s{1,6}\S{3,8}\s{1,4}(?:\?|pts/\d{1,4}|tty\S{1,6})"
        r"\s{1,8}\d)",
        True,
    ),
    Form("user", "\\users", r"([A-Za-z]:(?:\\{1,4})Users\\{1,4})([\w.@-]{1,62})", True, re.IGNORECASE),
    # Hosts
    Form(
        "host",
        "host|node|server|machine|computer",
        r"((?<![A-Za-z0-9_-])[\"']?(?:host|hosts|hostname|host_?list|nodes?_?name|node_?list|server_?name|"
        r"machine_?name|computer_?name"
        r"|(?:batch|submit|login|head|alloc|exec|req_?|exc_?|sched_?)(?:_?host|_?node|_?nodelist)|"
        r"nodehostname|nodeaddr)" + _IS + r")(" + _HOSTS + r")(?![\w(/]|:[A-Za-z])",
        True,
        re.IGNORECASE,
    ),
    Form(
        "host", "node", r"((?<![A-Za-z0-9_-])[\"']?(?:nodes?|on)" + _IS + r")(" + _NUMBERED + r")", True, re.IGNORECASE
    ),
    Form("host", "node", r"((?<![A-Za-z])Nodes? )([A-Za-z][A-Za-z_-]{0,62}\[[\d,-]{1,400}\][\w.-]{0,62})", True),
    Form("host", " on ", r"((?<![A-Za-z])on (?:host|node|machine|server)s?:? )(" + _NAME + r"[\w]|[A-Za-z]\w)", True),
    Form(
        "host",
        " on ",
        r"((?<![A-Za-z])(?:running|ran|executing|started|launched|JOB \d{1,10}|STEP \S{1,20}|rank \d{1,8}:?|"
        r"[Pp]rocess \d{1,8}) (?:is )?(?:on|ON) )(" + _NUMBERED + r")",
        True,
        re.IGNORECASE,
    ),
    Form("host", " on ", r"((?<![A-Za-z])(?:Process|rank) \d{1,8} (?:is |of \d{1,8} )?on )(" + _NAME + r")", True),
    Form("host", "rank", r"((?<![A-Za-z])rank \d{1,8}: )(" + _NUMBERED + r")$", True),
    Form("host", "error: ", r"((?<![A-Za-z])(?:srun|slurmstepd|salloc|sbatch): error: )(" + _NAME + r")(?=: )", True),
    Form(
        "host",
        "] ",
        r"(^\s{0,4}\[)("
        + _NAME
        + r")(?=:\d{2,8}\] (?:\*\*\*|mca|MCW|PMIX|pml|btl|\[|\d{1,6} more process|Signal|orte|prte|select|"
        r"common_ucx))",
        True,
    ),
    Form(
        "host",
        "]: | kernel:",
        r"(^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30}) )("
        + _NAME
        + r")(?= [\w./-]{1,60}(?:\[\d{1,8}\])?:)",
        True,
    ),
    Form(
        "host", "linux ", r"((?<![A-Za-z])Linux )(" + _NAME + r")(?= \d{1,3}\.\d{1,3}\.\d{1,5}[\w.+-]{0,60} #\d)", True
    ),
    Form(
        "host",
        "mount|scp|rsync|nfs|showmount",
        r"((?<![\w./@:%+=-]))(" + _NAME + r")(?=:/[^/\s])",
        True,
    ),
    Form("host", "scp|rsync", r"((?<![\w./@:%+=-]))([A-Za-z][\w.-]{1,62})(?=:[\w.~-])"),
    Form(
        "host",
        "@tcp|@o2ib|@kfi|@gni|@ptlf",
        r"((?<![\w.@<>-]))([A-Za-z][A-Za-z_-]{0,40}\d[\w-]{0,30}|[A-Za-z][\w-]{1,62}(?=@[a-z0-9]{2,8}:/))"
        r"(?=@(?:tcp|o2ib|kfi|gni|ptlf)\d{0,4}(?!\w))",
        True,
    ),
    Form("host", "cifs|smb", r"((?<![:\w/])//)(" + _NAME + r")(?=/)", True),
    Form("host", "\\\\", r"((?<![\w\\:])\\\\)(" + _NAME + r")(?=\\\w)", True),
    Form(
        "host",
        "ssh |ping |telnet |mosh |sftp ",
        r"((?:^|[;&|]|[$#>] |(?<![A-Za-z0-9.])(?:sudo|time|exec) )\s{0,4}(?:ssh|ping|telnet|mosh|sftp)"
        r"(?: -[A-Za-z0-9]{1,4}| -[opicFJ] \S{1,80}){0,4} )([A-Za-z][\w.-]{2,62})(?![\w@:])",
        True,
    ),
    Form(
        "host",
        "elbencho|fio|warp|clush|sbatch|srun|salloc",
        r"((?<!\S)(?:--hosts|--client|--exclude|--host|-[a-z]?[wx])[= ])(" + _HOSTS + r")(?![\w=/])",
        True,
    ),
    Form("host", "ip-", r"((?<![\w-]))(ip-\d{1,3}(?:-\d{1,3}){3})(?![\w-])"),
    # Addresses
    Form(
        "address",
        ".[|].",
        r"((?<![\w.]))((?=[\d.,-]{0,60}\[)\d{1,3}\." + _OCTETS + r"\." + _OCTETS + r"\." + _OCTETS + r")(?![\w.])",
    ),
    Form(
        "address",
        "mac|hwaddr|ether|lladdr",
        r"((?<![A-Za-z])(?:mac|hwaddr|ether|lladdr)(?:[-_ ]?addr(?:ess)?)?"
        + r"[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)([0-9a-f]{12}|[0-9a-f]{40})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "address",
        "mac|addr|dynamic|vlan",
        r"((?<![\w:.-]))((?=[\da-f-]{0,14}[a-f])[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4})(?![\w:.-])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "address",
        "lid",
        r"((?<![A-Za-z])(?:base|sm)[ _]lid[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)(0x[0-9a-f]{1,4}|[1-9]\d{0,4})(?!\w)",
        False,
        re.IGNORECASE,
    ),
    # Identifiers
    Form(
        "guid",
        "guid|mt4|hca|switch|port 0x|-0x",
        r"((?<![A-Za-z0-9])(?:[SHRhsr]-(?:0x)?|\w{0,20}guid[\"']?\s{0,4}[:=]?\s{0,4}[\"']?(?:0x)?|port 0x))"
        r"([0-9a-f]{16})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "guid",
        "nguid|eui64|logical unit id|sas|device id|wwn|_name",
        r"((?<![A-Za-z0-9])(?:nguid|eui64|logical unit id|sas[ _]addr(?:ess)?|wwn device id|port_name|"
        r"node_name)[\"']?\s{0,8}[:=]?\s{0,8}[\"']?(?:0x)?)"
        r"([0-9a-f]{16}(?:[0-9a-f]{16})?|5 [0-9a-f]{6} [0-9a-f]{9})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form("guid", "36", r"((?<![0-9A-Za-z]))(36[0-9a-f]{31})(?![0-9A-Za-z])"),
    Form("guid", "s-1-5-21-", r"((?<![\w-]))(S-1-5-21(?:-\d{1,10}){1,5})(?![\w-])"),
    Form(
        "guid",
        "machine|boot|product|system",
        r"((?<![A-Za-z])(?:machine|boot|product|system)[-_ ]?(?:id|uuid)[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)"
        r"([0-9a-f]{32})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form("guid", "uuid=", r"((?<![A-Za-z])UUID=\"?)([0-9A-F]{4}-[0-9A-F]{4})(?![\w-])"),
    Form(
        "guid",
        "serial|s/n|sn ",
        r"((?<![A-Za-z])(?:(?:[a-z]{1,20}[ _])?(?:id_)?serial(?:[ _-]?(?:number|num|no|short|id))?|s/n|sn)"
        r"[\"']?(?:\s{0,4}[:=,]\s{0,4}|\s)[\"']?)"
        r"(?=[a-z_-]{0,20}\d)([a-z0-9][a-z0-9_-]{5,60})(?![\w.])",
        False,
        re.IGNORECASE,
    ),
    # Mail
    Form(
        "e-mail",
        "(at)|[at]|{at}| at ",
        r"((?<![\w.+-]))([\w.+-]{2,64}\s?(?:\(at\)|\[at\]|\{at\})\s?[\w-]{1,63}(?:(?:\.|\s?(?:\(dot\)|\[dot\]|"
        r"\{dot\})\s?)[\w-]{1,63}){1,6}"
        r"|[\w.+-]{2,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,6})",
        False,
        re.IGNORECASE,
    ),
    Form(
        "e-mail", 'mailto:|"@', r"(mailto:|(?<!\S)(?=\"))([\w.+-]{1,64}@[\w.-]{1,100}|\"[\w.+ -]{1,64}\"@[\w.-]{1,100})"
    ),
)

_FORMS_BY_HINT = tuple(
    (hint, frozenset(form for form in FORMS if hint in form.hints))
    for hint in sorted({hint for form in FORMS for hint in form.hints})
)


@lru_cache(maxsize=16)
def _hinted(line):
    """The forms of all rules that have a hint in a line: the rules of a line ask one after the other."""
    lower = line.lower()
    hinted = set()
    for hint, forms in _FORMS_BY_HINT:
        if hint in lower:
            hinted |= forms
    return tuple(form for form in FORMS if form in hinted) if hinted else ()


def forms_of(code, line):
    """The forms of a rule that may find something in a line."""
    return [form for form in _hinted(line) if form.code == code]
