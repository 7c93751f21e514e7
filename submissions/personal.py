"""What in a line of text tells who ran a benchmark, from where, or with which key: rules that blank it out.

Rules are pure: text in, text out, and how often each applied. They change words, never the number of lines, so that a
finding's file and line hold for the scrubbed copy too. Figures, dates, versions and phases are left alone.

Every pattern begins with a look behind for its own characters, so that a long run of them is tried once: the time is
linear in the length of the line, whatever stands in it. docs/scrubbed-copies.md lists the rules.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

NAMES_KEPT = 10_000
"""User and host names remembered per bundle; a submission of 288 nodes names about 300."""

_ROLES = frozenset(
    """root admin administrator user users home data work scratch tmp temp test tests share shared public common
    project projects bench benchmark benchmarks results lustre gpfs beegfs weka ceph daos daos_server daos_agent nvme
    io500 ior mdtest mpich openmpi mpi appli apps opt local lib bin src centos rocky ubuntu debian opc vpcuser nobody
    slurm""".split()  # noqa: SIM905  # a list of words reads better as words
)
"""Folders and accounts below /home that name no person."""

_NOT_HOSTS = frozenset({"localhost", "localdomain", "node", "host", "none", "null", "linux", "total", "auto"})
_NOT_HOST_SHAPES = frozenset(
    """io sc isc ior mdtest md rank task tasks phase test nvme sd ost mdt oss mds numa cpu gpu dev eth ib ens mlx ec
    iter lustre daos el rhel python gcc version rnd procs nodes np ppn seg""".split()  # noqa: SIM905
)
"""Letters of words with figures that are no node's name: nvme0, sc25, mlx5."""

_USER = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_HOME = re.compile(
    rf"(/(?:[A-Za-z]?home\d*|[Uu]sers?|u)/(?:users/|\d{{4,}}/)?)({_USER})(/[a-z][a-z0-9]{{0,4}}\d{{4,8}}(?![\w.-]))?",
    re.ASCII,
)
"""/home/alice, /home1/06758/alice, and where the first is a group and the second an account: /home/site/k202079."""
_COMPONENT = re.compile(r"(?<=/)[^/\s\"'=:,;()<>]+")
_PERSON = re.compile(
    r"(?<![A-Za-z0-9_])((?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME)=[\"']?)(\w[\w.-]*)"
)
_PROMPT = re.compile(r"(\[)([a-z_][\w.-]*)@([A-Za-z][\w.-]*)(?=[ :\]])", re.ASCII)

_HOST_NAMES = (
    "HOSTNAME|HOST|SLURM_(?:JOB_|STEP_)?NODELIST|SLURMD_NODENAME|SLURM_(?:SUBMIT|LAUNCH)_HOST|SLURM_TOPOLOGY_ADDR"
    "|PBS_O_HOST|LSB_(?:HOSTS|MCPU_HOSTS|SUB_HOST)|COBALT_PARTNAME|SSH_(?:CLIENT|CONNECTION)"
)
_HOST_ASSIGNED = re.compile(rf"(?<![A-Za-z0-9_])((?:{_HOST_NAMES})=)(\"[^\"]*\"|'[^']*'|[^\s\"'$`]+)")
_MACHINE = re.compile(r"^([\s#]*Machine\s*:\s*\w+\s+)(\S+)")
_LAUNCHED_ON = re.compile(r"((?<!\S)(?:--?hosts?|-H|--nodelist|-w)[ =])([A-Za-z<][^\s$`\"']*)")
_LAUNCHER = re.compile(r"(?:mpirun|mpiexec|orterun|srun|sbatch|salloc|pdsh|clush|SBATCH)")
_HOST_WORD = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z][A-Za-z-]*[0-9.][A-Za-z0-9.-]*", re.ASCII)
"""A word with a figure or a dot: no other is ever known as a host."""
_LIST_ITEM = re.compile(r"([A-Za-z][A-Za-z0-9.-]*)(\[)?", re.ASCII)
_DIGITS = re.compile(r"[0-9]+")
_HOST_FILE = re.compile(r"(?:host|node|machine)s?[-_.]?(?:file|list)|^hosts?[-_.]\S*$|^hosts?$", re.IGNORECASE)
_HOST_LINE = re.compile(
    r"^(\s*)([A-Za-z][A-Za-z0-9.-]*)((?::\d+|\s+(?:slots|max_slots|max-slots)=\d+.*|\s+\d+)?\s*)$", re.ASCII
)

_E_MAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.ASCII)
_IPV4 = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)", re.ASCII)
_VERSION_BEFORE = re.compile(r"(?<![A-Za-z])(?:version|ver\.?|release|rev\.?|v)[\s:=\"']{0,3}$", re.IGNORECASE)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{3,39}(?![\w:])", re.ASCII)
_HARDWARE = re.compile(
    r"(?<![\w:.-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2}|(?::[0-9A-Fa-f]{2}){14})?(?![\w:])",
    re.ASCII,
)

_KEY = "(?<![A-Za-z0-9_-])"
_TOKEN = re.compile(
    rf"{_KEY}(?:(?:AKIA|ASIA)[0-9A-Z]{{16}}(?![0-9A-Z])|gh[pousr]_[A-Za-z0-9]{{20,}}|github_pat_\w{{20,}}"
    r"|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hw_[0-9a-f]{32,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|ssh-(?:rsa|ed25519) AAAA[A-Za-z0-9+/=]{20,})"
)
_TOKEN_HINTS = ("AKIA", "ASIA", "gh", "glpat-", "xox", "hw_", "eyJ", "ssh-")
_SECRET_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9_-])([A-Za-z0-9_-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key"
    r"|secret[-_]?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?)([^\s\"'$`<>,;]{4,})",
    re.IGNORECASE,
)
_SECRET_HINTS = ("passw", "passphrase", "secret", "token", "key")
_BEARER = re.compile(r"(?<![A-Za-z])((?:Bearer|Authorization:\s{0,4}\w{1,20})\s{1,4})([A-Za-z0-9._~+/=-]{12,})")
_URL_SECRET = re.compile(r"(://)[^\s/:@]{1,256}:[^\s/@]{1,256}(?=@)")
_SUBMITTER = re.compile(
    r"(?<![A-Za-z0-9_])((?:[A-Za-z0-9_]*submitter|contact_?(?:person|name|e?-?mail)|author_?e?-?mail)[\"']?\s{0,4}[=:]\s{0,4})(\S.*)",
    re.IGNORECASE,
)
_SUBMITTER_HINTS = ("submitter", "contact", "author")

_DUMPED = re.compile(
    r"^\s{0,16}(?:export |declare -x |setenv )?(BASH_FUNC_[^=\s]{1,200}|[A-Za-z_][A-Za-z0-9_.]{0,200})="
)
_TELLTALES = frozenset(
    """PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL HOSTNAME LS_COLORS TERM MAIL SSH_CLIENT SSH_CONNECTION LESSOPEN
    XDG_SESSION_ID XDG_RUNTIME_DIR MODULEPATH LOADEDMODULES MANPATH HISTSIZE _""".split()  # noqa: SIM905
)
_ENVIRONMENT_KEPT = re.compile(
    r"(?:SLURM_(?:NNODES|JOB_NUM_NODES|NTASKS\w*|NPROCS|TASKS_PER_NODE|CPUS_\w+|MEM_\w+|DISTRIBUTION)|PBS_NUM_\w+"
    r"|(?:OMP|KMP|GOMP|OMPI|UCX|MPICH|I_MPI|MV2|FI|DAOS|D_LOG|LUSTRE|ROMIO|IOR|IO500|io500|GOTO|NUMA|RDMAV|HUGETLB)_\w+"
    r"|CRT_\w+|LANG|LC_\w+|TZ|MALLOC_\w+)$"
)
_DUMP_LINES = 5
_DUMP_TELLTALES = 3

_PLACEHOLDER = re.compile(r"<(address|user|e-mail|host)>")
_FIGURES_ONLY = re.compile(r"[\d\s.,;eE+\-]*")
_DOTTED = re.compile(r"\d\.\d*\.\d")


@dataclass(slots=True)
class Names:
    """Names that a bundle gave away somewhere, so that they are recognised everywhere in it."""

    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    host_shapes: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    _judged: dict[str, bool] = field(default_factory=dict)

    def learn(self, path: str, lines: Iterable[str]) -> None:
        """Take up the names that a file gives away."""
        of_hosts = names_hosts(path)
        for line in lines:
            if _is_figures(line):
                continue
            self._learn_users(line)
            self._learn_hosts(line)
            if of_hosts and (listed := _HOST_LINE.match(line)):
                self._host(listed[2])

    def _learn_users(self, line: str) -> None:
        if "/" in line:
            for found in _HOME.finditer(line):
                self._user(found[2])
                self._user((found[3] or "")[1:])
        if "=" in line:
            for found in _PERSON.finditer(line):
                self._user(found[2])
        if "[" in line and "@" in line and (prompt := _PROMPT.search(line)):
            self._user(prompt[2])
            self._host(prompt[3])

    def _learn_hosts(self, line: str) -> None:
        if "Machine" in line and (machine := _MACHINE.match(line)):
            self._host(machine[2])
        if "HOST" in line or "NODE" in line:
            for found in _HOST_ASSIGNED.finditer(line):
                self._host_list(found[2])
        if _may_name_hosts(line):
            for found in _LAUNCHED_ON.finditer(line):
                self._host_list(found[2])

    def _host_list(self, text: str) -> None:
        """node01,node[02-09]: with brackets only the shape is known."""
        for name, bracket in _LIST_ITEM.findall(text):
            if bracket:
                self._shape(name + "#")
            else:
                self._host(name)

    def _user(self, name: str) -> None:
        if name and name.lower() not in _ROLES and len(self.users) < NAMES_KEPT:
            self.users.add(name)

    def _host(self, name: str) -> None:
        short, _, domain = name.strip(".").partition(".")
        if len(self.hosts) >= NAMES_KEPT or short.lower() in _NOT_HOSTS or not re.search(r"[.\d]", name):
            return
        self.hosts.add(short)
        if "." in domain:
            self.domains.add(domain.lower())
        self._shape(_DIGITS.sub("#", short))

    def _shape(self, shape: str) -> None:
        """Nodes of one kind differ in their figures: of node17-ib0 follows every node#-ib#."""
        letters = re.sub(r"[^a-z]", "", shape.lower())
        if "#" in shape and len(letters) > 1 and letters not in _NOT_HOST_SHAPES:
            self.host_shapes.add(shape)

    def is_host(self, word: str) -> bool:
        """Is the word a host that was given away, one of its kind, or in its domain?"""
        known = self._judged.get(word)
        if known is None:
            known = self._judge(word)
            if len(self._judged) < NAMES_KEPT and len(word) < 256:
                self._judged[word] = known
        return known

    def _judge(self, word: str) -> bool:
        short, _, domain = word.partition(".")
        if domain and self._is_known_domain(domain):
            return True
        if len(short) > 63 or short.lower() in _ROLES or (domain and not domain[0].isalpha()):
            return False
        shape = _DIGITS.sub("#", short)
        return shape != short and (short in self.hosts or shape in self.host_shapes)

    def _is_known_domain(self, domain: str) -> bool:
        parts = domain[-255:].lower().split(".")[-8:]
        return any(".".join(parts[begun:]) in self.domains for begun in range(len(parts)))


Replacement = Callable[[str, Names], tuple[str, int]]


def scrub_lines(path: str, lines: Iterable[str], names: Names, counts: Counter[str]) -> Iterator[str]:
    """The lines of one file, as many as came, without what tells who or where; `counts` by rule goes up."""
    of_hosts = names_hosts(path)
    for line in _without_keys(_without_environment(lines, counts), counts):
        if of_hosts and (listed := _HOST_LINE.match(line)):
            counts["host"] += 1
            line = f"{listed[1]}<host>{listed[3]}"
        yield scrub_line(line, names, counts)


def scrub_line(line: str, names: Names, counts: Counter[str]) -> str:
    if _is_figures(line):
        return line
    for code, apply in RULES:
        line, found = apply(line, names)
        if found:
            counts[code] += found
    return line


def scrub_path(path: str, names: Names, counts: Counter[str]) -> str:
    """The name of a file in the bundle without users, addresses and hosts; brackets are not for file names."""
    line = "/" + path
    for code, apply in RULES:
        if code in ("address", "user", "e-mail", "host"):
            line, found = apply(line, names)
            counts[code] += found
    return _PLACEHOLDER.sub(r"\1", line[1:])


def names_hosts(path: str) -> bool:
    """Is it, by its name, a list of hosts for a launcher?"""
    return bool(_HOST_FILE.search(path.rpartition("/")[2]))


# Over several lines


def _without_keys(lines: Iterable[str], counts: Counter[str]) -> Iterator[str]:
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


def _without_environment(lines: Iterable[str], counts: Counter[str]) -> Iterator[str]:
    """A dump of the environment keeps the variables that matter to a benchmark."""
    run: list[tuple[str, str]] = []
    for line in lines:
        name = _name_in_dump(line, run)
        if name is None:
            yield from _environment(run, counts)
            run = []
            yield line
        else:
            run.append((name, line))
    yield from _environment(run, counts)


def _name_in_dump(line: str, run: list[tuple[str, str]]) -> str | None:
    """The variable that a line belongs to: a function in the environment has several lines, up to its brace."""
    if "=" in line and (variable := _DUMPED.match(line)):
        return variable[1]
    if run and run[-1][0].startswith("BASH_FUNC_") and run[-1][1].rstrip() != "}":
        return run[-1][0]
    return None


def _environment(run: list[tuple[str, str]], counts: Counter[str]) -> Iterator[str]:
    names = {name for name, _ in run}
    dumped = len(run) >= _DUMP_LINES and len(names & _TELLTALES) >= _DUMP_TELLTALES
    for name, line in run:
        if dumped and not _ENVIRONMENT_KEPT.match(name):
            counts["environment"] += 1
            yield "<removed>"
        else:
            yield line


# In one line


def _secrets(line: str, names: Names) -> tuple[str, int]:
    found = total = 0
    if any(hint in line for hint in _TOKEN_HINTS):
        line, total = _TOKEN.subn("<secret>", line)
    if "earer" in line or "uthorization" in line:
        line, found = _BEARER.subn(r"\1<secret>", line)
        total += found
    if "://" in line and "@" in line:
        line, found = _URL_SECRET.subn(r"\1<secret>", line)
        total += found
    if ("=" in line or ":" in line) and any(hint in line.lower() for hint in _SECRET_HINTS):
        line, found = _SECRET_ASSIGNED.subn(r"\1<secret>", line)
        total += found
    return line, total


def _submitter(line: str, names: Names) -> tuple[str, int]:
    if not any(hint in line.lower() for hint in _SUBMITTER_HINTS):
        return line, 0
    found = _SUBMITTER.search(line)
    value = found[2].rstrip() if found else ""
    if not found or value.startswith(("$", "<")) or not value.strip("\"',"):
        return line, 0
    quote = value[0] if value[0] in "\"'" else ""
    comma = "," if value.endswith(",") else ""
    return f"{line[: found.start(2)]}{quote}<submitter>{quote}{comma}{found[2][len(value) :]}", 1


def _addresses(line: str, names: Names) -> tuple[str, int]:
    total = 0

    def ipv4(found: re.Match[str]) -> str:
        nonlocal total
        if not _is_ipv4(found, line):
            return found[0]
        total += 1
        return "<address>"

    def ipv6(found: re.Match[str]) -> str:
        nonlocal total
        if not _is_ipv6(found[0]):
            return found[0]
        total += 1
        return "<address>"

    if line.count(".") > 2:
        line = _IPV4.sub(ipv4, line)
    if line.count(":") > 1:
        line, found = _HARDWARE.subn("<address>", line)
        line = _IPV6.sub(ipv6, line)
        total += found
    return line, total


def _is_ipv4(found: re.Match[str], line: str) -> bool:
    """An address, not a version: 4.1.0.1 after a word for it, in a package's name or as a folder's name."""
    octets = [int(octet) for octet in found[0].split(".")]
    if max(octets) > 255 or octets[0] in (0, 127) or octets[0] == 255:
        return False
    before, after = line[max(0, found.start() - 16) : found.start()], line[found.end() : found.end() + 1]
    if "ersion" in line and octets[0] not in (10, 172, 192):
        return False
    is_folder = before.endswith("/") and not before.endswith("//") and after == "/"
    return not is_folder and not _VERSION_BEFORE.search(before)


def _is_ipv6(text: str) -> bool:
    """An address, not a time (12:00:00), a list of processors (0:1:2:3:4:5:6:7) or a C++ name (a::b)."""
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


def _e_mails(line: str, names: Names) -> tuple[str, int]:
    return _E_MAIL.subn("<e-mail>", line) if "@" in line else (line, 0)


def _hosts(line: str, names: Names) -> tuple[str, int]:
    total = found = 0
    if "Machine" in line:
        line, total = _MACHINE.subn(r"\1<host>", line)
    if "HOST" in line or "NODE" in line or "PBS_" in line or "COBALT" in line or "SSH_" in line:
        line, found = _HOST_ASSIGNED.subn(r"\1<host>", line)
        total += found
    if _may_name_hosts(line):
        line, found = _LAUNCHED_ON.subn(r"\1<host>", line)
        total += found
    return _known_hosts(line, names, total)


def _known_hosts(line: str, names: Names, total: int) -> tuple[str, int]:
    if not (names.hosts or names.host_shapes or names.domains):
        return line, total

    def word(found: re.Match[str]) -> str:
        nonlocal total
        if not names.is_host(found[0]):
            return found[0]
        total += 1
        return "<host>"

    return _HOST_WORD.sub(word, line), total


def _users(line: str, names: Names) -> tuple[str, int]:
    total = 0

    def home(found: re.Match[str]) -> str:
        nonlocal total
        of_group = bool(found[3])
        if found[2].lower() in _ROLES and not of_group:
            return found[0]
        total += 1
        group = found[2] if found[2].lower() in _ROLES else "<user>"
        return found[1] + group + ("/<user>" if of_group else "")

    def component(found: re.Match[str]) -> str:
        nonlocal total
        if found[0] not in names.users:
            return found[0]
        total += 1
        return "<user>"

    if "/" in line:
        line = _HOME.sub(home, line)
        line = _COMPONENT.sub(component, line) if names.users else line
    if "=" in line:
        line, found = _PERSON.subn(r"\1<user>", line)
        total += found
    if "[" in line and "@" in line:
        line, found = _PROMPT.subn(r"\1<user>@<host>", line)
        total += found
    return line, total


def _may_name_hosts(line: str) -> bool:
    return "-" in line and bool(_LAUNCHER.search(line))


def _is_figures(line: str) -> bool:
    """A row of a table of figures, where nothing can hide; dotted ones may be addresses."""
    return bool(_FIGURES_ONLY.fullmatch(line)) and not _DOTTED.search(line)


RULES: tuple[tuple[str, Replacement], ...] = (
    ("secret", _secrets),
    ("submitter", _submitter),
    ("address", _addresses),
    ("user", _users),
    ("e-mail", _e_mails),
    ("host", _hosts),
)
CODES = ("environment", *(code for code, _ in RULES))
