"""Keys, tokens, passwords and dumps of the environment in a text: the rules that take them out.

Their forms are data, credential-forms.1.json, which the gate that refuses bundles (validators/bundle/secret_scan.py)
reads too: what is refused there is always taken out here.
"""

import json
import pkgutil
import re

from .hints import Hints
from .late_patterns import LatePattern

STAND_IN = "<secret>"
# Not __package__: importing from a zip sets that only later in Python before 3.10.
FORMS = json.loads(pkgutil.get_data(__name__.rpartition(".")[0], "credential-forms.1.json").decode("utf-8"))
TOKENS, CONTEXTS = FORMS["tokens"], FORMS["contexts"]
_BEFORE = "(?<![A-Za-z0-9])"


def with_fragments(pattern):
    """The pattern of a context, what it shares with others written out."""
    for name, fragment in FORMS["fragments"].items():
        pattern = pattern.replace("@" + name + "@", "(?:" + fragment + ")")
    return pattern


class Context(LatePattern):
    """A form of secret that is known by what stands before it."""

    def __init__(self, row):
        super().__init__(with_fragments(row["pattern"]), re.IGNORECASE if row.get("ignore_case") else 0)
        self.hints = tuple(
            hint for word in row["hints"] for hint in (FORMS["name_hints"] if word == "@name@" else [word])
        )
        self.called = re.compile(_BEFORE + "(?:" + row["called"] + ")") if "called" in row else None
        self.stand_in = row.get("to", r"\1" + STAND_IN)

    def is_called_in(self, line):
        """Whether the program that the form is of stands in the line, where it is of one."""
        return self.called is None or self.called.search(line) is not None


_TOKEN = LatePattern(_BEFORE + "(?:" + "|".join(row["pattern"] for row in TOKENS) + ")")
_TOKEN_HINTS = Hints((hint, "token") for row in TOKENS for hint in row["hints"])
_CONTEXTS = tuple(Context(row) for row in CONTEXTS)
_CONTEXT_HINTS = Hints((hint, number) for number, form in enumerate(_CONTEXTS) for hint in form.hints)

# Colours and characters of no width, which may stand within a word.
_UNSEEN = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

_KEY_HINTS = ("PRIVATE KEY", "PuTTY-User-Key", "Static key", "PGP MESSAGE", "AGE ENCRYPTED")
_KEY_NAME = r"(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1|PGP MESSAGE|AGE ENCRYPTED FILE"
_WHOLE_KEY = re.compile(
    "-{4,5} ?BEGIN (?:" + _KEY_NAME + ")(?:(?!-{4,5} ?BEGIN ).){0,20000}?-{4,5} ?END [A-Za-z0-9 ]{1,80}-{0,5}"
)
_KEY_BEGINS = re.compile("-{4,5} ?BEGIN |PuTTY-User-Key-File")
_KEY_ENDS = re.compile("-{4,5} ?END |^Private-MAC:")
_VAULT_LINE = re.compile(r"\s{0,80}[0-9a-f]{2,160}\s*$")
_SPLIT_BEFORE = LatePattern(with_fragments(FORMS["split"]["before"]), re.IGNORECASE)
_SPLIT_AFTER = re.compile("^" + FORMS["split"]["after"])
_SPLIT_ENDS = frozenset("=:,|>-\\\"'")
_SPLIT_HINTS = ("pass", "secret", "token", "key", "jwt", "cred", "auth", "pw", "session")

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
            bare, replaced = secrets(bare, names)
            return (bare, replaced) if replaced else (line, 0)
    total = 0
    for pattern, stand_in in patterns_for(line):
        line, replaced = pattern.subn(stand_in, line)
        total += replaced
    return line, total


def patterns_for(line):
    """The patterns that may find something in a line, with what stands in: for most lines none."""
    if _TOKEN_HINTS.list_meanings(line):
        yield _TOKEN.compiled_pattern, STAND_IN
    for number in sorted(_CONTEXT_HINTS.list_meanings(line.lower())):
        form = _CONTEXTS[number]
        if form.is_called_in(line):
            yield form.compiled_pattern, form.stand_in


def without_keys(lines, counts):
    """Private keys go from their first line to their last, or to the end."""
    inside = False
    for line in lines:
        if not inside and not any(hint in line for hint in _KEY_HINTS):
            yield line
            continue
        line, replaced = _WHOLE_KEY.subn(STAND_IN, line)
        counts["secret"] += replaced
        begins = _KEY_BEGINS.search(line) is not None
        ends = _KEY_ENDS.search(line) is not None
        counts["secret"] += begins and not inside
        yield "<secret>" if inside or begins else line
        inside = (inside or begins) and not ends


def without_vaults(lines, counts):
    """The figures of a vault of Ansible go, in lines of which nothing else is in."""
    inside = False
    for line in lines:
        inside = "$ANSIBLE_VAULT;" in line or (inside and _VAULT_LINE.match(line) is not None)
        if inside and _VAULT_LINE.match(line):
            counts["secret"] += 1
            line = STAND_IN
        yield line


def without_split_secrets(lines, counts):
    """What stands alone on a line goes, where the line before ends with the name of a secret."""
    is_named = False
    for line in lines:
        if is_named:
            line, replaced = _SPLIT_AFTER.subn(r"\1" + STAND_IN, line, 1)
            counts["secret"] += replaced
        is_named = may_name_a_secret(line) and _SPLIT_BEFORE.compiled_pattern.search(line) is not None
        yield line


def may_name_a_secret(line):
    """A cheap look at the end of a line."""
    lower = line[-200:].lower()
    if line.rstrip()[-1:] not in _SPLIT_ENDS and "-" not in line and "name" not in lower:
        return False
    return any(hint in lower for hint in _SPLIT_HINTS)


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
