"""Keys, tokens, passwords and dumps of the environment in a text: the rules that take them out."""

import re

_KEY = "(?<![A-Za-z0-9_-])"
_TOKEN = re.compile(
    _KEY + r"(?:(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|gl(?:pat|rt|dt)-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hw_[0-9a-f]{32,}|AIza[A-Za-z0-9_-]{35}"
    r"|sk[-_](?:live_|proj-|ant-)?[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}"
    r"|hvs\.[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|ssh-(?:rsa|ed25519) AAAA[A-Za-z0-9+/=]{20,})"
)
_TOKEN_HINTS = "AKIA ASIA gh github_pat_ gl xox hw_ AIza sk- sk_ npm_ pypi- hf_ hvs. SG. eyJ ssh-".split()
_SECRET_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]*(?:password|passwd|passphrase|secret|token|jwt|credentials?|api[-_]?key"
    r"|access[-_]?key(?:[-_]id)?|(?:secret|private|encryption|signing|master|account|storage|luks|s3)[-_.]?key)"
    r"[\"']?\s{0,4}[=:]\s{0,4}[\"']?)([^\s\"'$`<>,;]{4,})",
    re.IGNORECASE,
)
_SECRET_OPTION = re.compile(
    r"(?<!\S)(--?(?:password|passwd|passphrase|token|secret)[ ]{1,4})([^\s\"'$`<>-][^\s\"'$`<>]{3,})"
)
_SECRET_HINTS = ("passw", "passphrase", "secret", "token", "key", "jwt", "credential")
_BEARER = re.compile(r"(?<![A-Za-z])((?:Bearer|Authorization:\s{0,4}\w{1,20})\s{1,4})([A-Za-z0-9._~+/=-]{12,})")
_URL_SECRET = re.compile(r"(://)[^\s/:@]{1,256}:[^\s/@]{1,256}(?=@)")

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
    tokens = bearers = addresses = assigned = options = 0
    if any(hint in line for hint in _TOKEN_HINTS):
        line, tokens = _TOKEN.subn("<secret>", line)
    if "earer" in line or "uthorization" in line:
        line, bearers = _BEARER.subn(r"\1<secret>", line)
    if "://" in line and "@" in line:
        line, addresses = _URL_SECRET.subn(r"\1<secret>", line)
    lower = line.lower()
    if any(hint in lower for hint in _SECRET_HINTS):
        line, assigned = _SECRET_ASSIGNED.subn(r"\1<secret>", line)
        line, options = _SECRET_OPTION.subn(r"\1<secret>", line)
    return line, tokens + bearers + addresses + assigned + options


def without_keys(lines, counts):
    """Private keys go from their first line to their last, or to the end."""
    inside = False
    for line in lines:
        if "PRIVATE KEY" not in line and not inside:
            yield line
            continue
        begins, ends = "-----BEGIN " in line, "-----END " in line
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
