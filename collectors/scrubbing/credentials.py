"""Keys, tokens, passwords and dumps of the environment in a text: the rules that take them out."""

import re

_KEY = "(?<![A-Za-z0-9])"
_TOKEN = re.compile(
    _KEY + r"(?:(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|gl(?:pat|rt|dt)-[A-Za-z0-9_-]{16,}|glsa_\w{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|hw_[0-9a-f]{32,}"
    r"|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|dckr_pat_[A-Za-z0-9_-]{20,}"
    r"|(?<![_-])sk[-_](?:live_|proj-|ant-)?[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}"
    r"|hvs\.[A-Za-z0-9_-]{20,}|(?<![_-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"
    r"|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}|MUNGE:[A-Za-z0-9+/=]{20,}|AQ[A-Za-z0-9+/]{20,50}==(?![A-Za-z0-9+/=])"
    r"|\$(?:[1256y]|2[aby]|argon2id?)\$[A-Za-z0-9./$=,+]{20,}"
    r"|(?<![_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    r"|ssh-(?:rsa|ed25519) AAAA[A-Za-z0-9+/=]{20,})"
)
_TOKEN_HINTS = """AKIA ASIA gh github_pat_ gl xox hw_ AIza ya29. GOCSPX dckr_ sk- sk_ npm_ pypi- hf_ hvs. SG. AGE-
    slack MUNGE AQ $ eyJ ssh-""".split()
_NAME = (
    r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]*(?:password|passwd|passphrase|secret|token|jwt|credentials?|api[-_]?key"
    r"|access[-_]?key(?:[-_]id)?|private[-_.]?key[-_]?id|session[-_]?id"
    r"|(?:secret|private|preshared|encryption|signing|master|account|storage|luks|s3)[-_.]?key)"
    r"\\?[\"']?\s{0,4}[=:]\s{0,4}"
)
# A value is a secret from its first character, which is no variable's and no placeholder's.
_VALUE = r"[^\s\"'$`<>,;\\][^\s\"'`<>,;\\]{3,}"
_SECRET_QUOTED = re.compile("(" + _NAME + r")(\\?[\"'])(?![$<`])(?:(?!\2).){4,}?(?=\2)", re.IGNORECASE)
_SECRET_ASSIGNED = re.compile("(" + _NAME + r"\\?[\"']?)" + _VALUE, re.IGNORECASE)
_SHORT_ASSIGNED = re.compile(
    r"((?<![A-Za-z0-9])(?:pass|pwd|pw)=[\"']?)(?=[^\s\"',;]{0,64}[A-Za-z])(?=[^\s\"',;]{0,64}[0-9])[^\s\"'$`<>,;/][^\s\"'`<>,;]{3,}",
    re.IGNORECASE,
)
_SIGNED_URL = re.compile(r"([?&](?:sig|(?:X-Amz-|X-Goog-)?Signature)=)[A-Za-z0-9%+/=_-]{10,}")
_SECRET_OPTION = re.compile(
    r"((?<!\S)--?(?:[A-Za-z0-9]{1,20}-)?"
    r"(?:password|passwd|passphrase|token|s3secret|secret|(?:s3|access|secret|api)[-_]?key)[ ]{1,4})"
    r"[^\s\"'$`<>-][^\s\"'`<>]{3,}"
)
# Programs that take a password behind a single letter.
_CALLED = re.compile(r"(?:ipmitool|ipmi-[a-z]{2,20}|sshpass|racadm|ilorest|smbclient)(?![A-Za-z0-9])")
_LETTER_OPTION = re.compile(r"((?<!\S)-[pP] ?[\"']?)[^\s\"'$`<-][^\s\"'`<]*")
_USER_OPTION = re.compile(r"((?<!\S)(?:-u|-U|--user)[ =][\"']?[A-Za-z_][\w.-]{0,63}[:%])[^\s\"'$`<][^\s\"'`<]{2,}")
_LOGIN = re.compile(r"((?<!\S)login\s{1,4}\S{1,64}\s{1,4}password\s{1,4})[^\s$<]\S*")
_AUTHENTICATION = re.compile(r"(\"auth\\?\"\s{0,4}:\s{0,4}\\?\")[A-Za-z0-9+/]{8,}={0,2}")
_SECRET_HINTS = ("pass", "secret", "token", "key", "jwt", "credential", "session", "pwd", "pw=")
_BEARER = re.compile(
    r"((?<![A-Za-z])(?:Bearer|Authorization:\s{0,4}\w{1,20})\s{1,4})[A-Za-z0-9._~+/=-]{12,}", re.IGNORECASE
)
_COOKIE = re.compile(r"((?<![A-Za-z])(?:set-)?cookie:\s{1,4})[^\s<].*", re.IGNORECASE)
_URL_SECRET = re.compile(r"(://)[^\s/:@]{0,256}:[^\s/@]{1,256}(?=@)")

# Colours and characters of no width, which may stand within a word.
_UNSEEN = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

_DUMPED = re.compile(
    r"^\s{0,16}(?:export |declare -x |setenv )?(BASH_FUNC_[^=\s]{1,200}|[A-Za-z_][A-Za-z0-9_.]{0,200})="
)
_TELLTALES = frozenset(
    """PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL HOSTNAME LS_COLORS TERM MAIL SSH_CLIENT SSH_CONNECTION LESSOPEN
    XDG_SESSION_ID XDG_RUNTIME_DIR MODULEPATH LOADEDMODULES MANPATH HISTSIZE _""".split()
)
_ENVIRONMENT_KEPT = re.compile(
    r"(?:SLURM_(?:NNODES|JOB_NUM_NODES|NTASKS\w*|NPROCS|TASKS_PER_NODE|CPUS_\w+|MEM_\w+|DISTRIBUTION)|PBS_NUM_\w+"
    r"|(?:OMP|KMP|GOMP|OMPI|UCX|MPICH|I_MPI|MV2|FI|DAOS|D_LOG|LUSTRE|ROMIO|IOR|IO500|io500|GOTO|NUMA|RDMAV|HUGETLB)_\w+"
    r"|CRT_\w+|LANG|LC_\w+|TZ|MALLOC_\w+)$"
)
_DUMP_LINES = 5
_DUMP_TELLTALES = 3


def secrets(line, names):
    """The line without tokens, passwords and the like, and how many there were."""
    if not line.isprintable():
        bare = _UNSEEN.sub("", line)
        if bare != line:
            bare, found = secrets(bare, names)
            return (bare, found) if found else (line, 0)
    total = 0
    for pattern, stand_in in patterns_for(line):
        line, found = pattern.subn(stand_in, line)
        total += found
    return line, total


def patterns_for(line):
    """The patterns that may find something in a line, with what stands in: for most lines none."""
    lower = line.lower()
    if any(hint in line for hint in _TOKEN_HINTS):
        yield _TOKEN, "<secret>"
    if "earer" in lower or "uthorization" in lower:
        yield _BEARER, r"\1<secret>"
    if "cookie:" in lower:
        yield _COOKIE, r"\1<secret>"
    if "://" in line:
        yield _URL_SECRET, r"\1<secret>"
        yield _SIGNED_URL, r"\1<secret>"
    if any(hint in lower for hint in _SECRET_HINTS):
        yield _SECRET_QUOTED, r"\1\2<secret>"
        yield _SECRET_ASSIGNED, r"\1<secret>"
        yield _SHORT_ASSIGNED, r"\1<secret>"
        yield _SECRET_OPTION, r"\1<secret>"
        yield _LOGIN, r"\1<secret>"
    if _CALLED.search(line):
        yield _LETTER_OPTION, r"\1<secret>"
    if "-u" in lower:
        yield _USER_OPTION, r"\1<secret>"
    if '"auth' in line:
        yield _AUTHENTICATION, r"\1<secret>"


def without_keys(lines, counts):
    """Private keys go from their first line to their last, or to the end."""
    inside = False
    for line in lines:
        if "PRIVATE KEY" not in line and "PuTTY-User-Key" not in line and not inside:
            yield line
            continue
        begins = "-----BEGIN " in line or "PuTTY-User-Key-File" in line
        ends = "-----END " in line or line.startswith("Private-MAC:")
        counts["secret"] += begins and not inside
        yield "<secret>" if inside or begins else line
        inside = (inside or begins) and not ends


def without_environment(lines, counts):
    """A dump of the environment keeps the variables that matter to a benchmark."""
    run = []
    for line in lines:
        name = name_in_dump(line, run)
        if name is None:
            yield from environment(run, counts)
            run = []
            yield line
        else:
            run.append((name, line))
    yield from environment(run, counts)


def name_in_dump(line, run):
    """The variable that a line belongs to: a function in the environment has several lines, up to its brace."""
    variable = _DUMPED.match(line) if "=" in line else None
    if variable:
        return variable.group(1)
    if run and run[-1][0].startswith("BASH_FUNC_") and run[-1][1].rstrip() != "}":
        return run[-1][0]
    return None


def environment(run, counts):
    names = {name for name, _ in run}
    dumped = len(run) >= _DUMP_LINES and len(names & _TELLTALES) >= _DUMP_TELLTALES
    for name, line in run:
        if dumped and not _ENVIRONMENT_KEPT.match(name):
            counts["environment"] += 1
            yield "<removed>"
        else:
            yield line
