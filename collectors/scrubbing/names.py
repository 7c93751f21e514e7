"""Users and hosts that a bundle gives away somewhere, so that they are recognised everywhere in it.

Every pattern begins with a look behind for its own characters, so that a long run of them is tried once: the time is
linear in the length of the line, whatever stands in it.
"""

import re

NAMES_KEPT = 10000
"""User and host names remembered per bundle; a submission of 288 nodes names about 300."""

ROLES = frozenset(
    """root admin administrator user users home data work scratch tmp temp test tests share shared public common
    project projects bench benchmark benchmarks results lustre gpfs beegfs weka ceph daos daos_server daos_agent nvme
    io500 ior mdtest mpich openmpi mpi appli apps opt local lib bin src centos rocky ubuntu debian opc vpcuser nobody
    slurm""".split()
)
"""Folders and accounts below /home that name no person."""

NOT_HOSTS = frozenset(
    """localhost localdomain node host none null linux total auto find write read stat delete easy hard time seconds
    score result results phase bandwidth rate version max min mean std dev iter access open close file files nodes tasks
    clients procs summary options""".split()
)
NOT_HOST_SHAPES = frozenset(
    """io sc isc ior mdtest md rank task tasks phase test nvme sd ost mdt oss mds numa cpu gpu dev eth ib ens mlx ec
    iter lustre daos el rhel python gcc version rnd procs nodes np ppn seg""".split()
)
"""Letters of words with figures that are no node's name: nvme0, sc25, mlx5."""

_USER = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
HOME = re.compile(
    rf"(/(?:[A-Za-z]?home\d*|[Uu]sers?|u)/(?:users/|\d{{4,}}/)?)({_USER})(/[a-z][a-z0-9]{{0,4}}\d{{4,8}}(?![\w.-]))?",
    re.ASCII,
)
"""/home/alice, /home1/06758/alice, and where the first is a group and the second an account: /home/site/k202079."""
COMPONENT = re.compile(r"(?<=/)[^/\s\"'=:,;()<>]+")
PERSON = re.compile(
    r"(?<![A-Za-z0-9_])((?:USER|LOGNAME|USERNAME|username|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME)=[\"']?)(\w[\w.-]*)"
)
ACCOUNT = re.compile(
    r"((?<![A-Za-z0-9_-])(?:--account[ =]|(?:SLURM_JOB|SBATCH|SALLOC|PBS)_ACCOUNT=)[\"']?)([A-Za-z0-9][\w.-]*)"
)
"""The project that pays for a job."""
PROMPT = re.compile(r"(\[)([a-z_][\w.-]*)@([A-Za-z][\w.-]*)(?=[ :\]])", re.ASCII)

_HOST_NAMES = (
    "HOSTNAME|HOST|SLURM_(?:JOB_|STEP_)?NODELIST|SLURMD_NODENAME|SLURM_(?:SUBMIT|LAUNCH)_HOST|SLURM_TOPOLOGY_ADDR"
    "|PBS_O_HOST|LSB_(?:HOSTS|MCPU_HOSTS|SUB_HOST)|COBALT_PARTNAME|SSH_(?:CLIENT|CONNECTION)"
)
HOST_ASSIGNED = re.compile(rf"(?<![A-Za-z0-9_])((?:{_HOST_NAMES})=)(\"[^\"]*\"|'[^']*'|[^\s\"'$`]+)")
MACHINE = re.compile(r"^([\s#]*Machine\s*:\s*\w+\s+)(\S+)")
LAUNCHED_ON = re.compile(r"((?<!\S)(?:--?hosts?|-H|--nodelist|-w)[ =])([A-Za-z<][^\s$`\"']*)")
_LAUNCHER = re.compile(r"(?:mpirun|mpiexec|orterun|srun|sbatch|salloc|pdsh|clush|SBATCH)")
_GPFS_ADDRESS = r"\s+(?:\d+(?:\.\d+){3}|m-[0-9a-f]{8}|<address>)\s+"
GPFS_ROW = (
    re.compile(r"^(\s*\d+\s+)([A-Za-z][\w.-]*)(?=" + _GPFS_ADDRESS + ")", re.ASCII),
    re.compile(r"^(\s*\d+\s+\S+" + _GPFS_ADDRESS + r")([A-Za-z][\w.-]*)", re.ASCII),
)
GPFS_TITLE = re.compile(
    r"((?<!\S)(?:GPFS cluster (?:name|id)|GPFS UID domain|(?:Primary|Secondary) server):\s+|^cluster(?:Name|Id)\s+"
    r"|(?:Configuration data for|File systems in) cluster |Output for \S+ on |^mmgetstate::0:\d+:::)"
    r"([A-Za-z0-9][\w.-]*)",
    re.ASCII,
)
"""Storage Scale's tables of nodes and names of clusters: mmlscluster, mmlsconfig, mmgetstate."""
_GPFS_HINTS = ("luster", "GPFS ", "server:", "Output for ", "mmgetstate:")
GPFS_STANZA = re.compile(r"^\[([A-Za-z][\w.-]*(?:,[A-Za-z][\w.-]*)*)\]$", re.ASCII)
HOST_WORD = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z][A-Za-z-]*[0-9.][A-Za-z0-9.-]*", re.ASCII)
"""A word with a figure or a dot: no other is ever known as a host."""
FULL_NAME = re.compile(
    r"(?<![\w.@-])[A-Za-z][A-Za-z-]*[0-9][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*){1,6}"
    r"\.(?:gov|edu|com|org|net|mil|int|local|lan|internal|corp|example|[a-z]{2}\.(?:uk|jp|kr|cn|au|br)"
    r"|de|fr|uk|it|es|ch|nl|se|fi|dk|pl|cz|eu|jp|kr|cn|tw|au|ca)(?![\w-])",
    re.ASCII,
)
"""A full name whose first part has a figure is a node's, known or not; `www.lustre.org` has none."""
_PSEUDONYM = re.compile(r"m-[0-9a-f]{8}$")
_LIST_ITEM = re.compile(r"([A-Za-z][A-Za-z0-9.-]*)(\[)?", re.ASCII)
_DIGITS = re.compile(r"[0-9]+")
_HOST_FILE = re.compile(r"(?:host|node|machine)s?[-_.]?(?:file|list)|^hosts?[-_.]\S*$|^hosts?$", re.IGNORECASE)
HOST_LINE = re.compile(
    r"^(\s*)([A-Za-z][A-Za-z0-9.-]*)((?::\d+|\s+(?:slots|max_slots|max-slots)=\d+.*|\s+\d+)?\s*)$", re.ASCII
)

_FIGURES_ONLY = re.compile(r"[\d\s.,;eE+\-]*")
_DOTTED = re.compile(r"\d\.\d*\.\d")


def placeholder(code, word):
    """What stands for a word that says who or where, if nothing better is known: the name of its kind."""
    return "<" + code + ">"


class Names:
    """The names that are known of one bundle.

    `stand_in` takes the code of a rule and the word that it found; what it returns stands in the word's place.
    """

    def __init__(self, stand_in=placeholder):
        self.stand_in = stand_in
        self.users = set()
        self.hosts = set()
        self.host_shapes = set()
        self.domains = set()
        self.gpfs_nodes = set()
        self.given = None
        self._given_users = frozenset()
        self._judged = {}

    def give(self, users, hosts):
        """Take up names known from elsewhere: they are recognised as whole words, whatever they look like."""
        self._given_users = frozenset(user for user in users if is_telling(user))
        for user in self._given_users:
            self._user(user)
        for host in hosts:
            self._host(host)
        short = [host.partition(".")[0] for host in hosts]
        words = self._given_users.union(host for host in [*hosts, *short] if is_telling(host))
        if words:
            longest_first = sorted(words, key=lambda word: (-len(word), word))
            self.given = re.compile(
                "(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, longest_first)) + ")(?![A-Za-z0-9])"
            )

    def is_user(self, word):
        """Is the word a user that was given?"""
        return word in self._given_users

    def learn(self, path, lines):
        """Take up the names that a file gives away."""
        of_hosts = names_hosts(path)
        of_gpfs = False
        for line in lines:
            if is_figures(line):
                continue
            of_gpfs = of_gpfs or "Configuration data for cluster" in line
            self._learn_users(line)
            self._learn_hosts(line)
            self._learn_gpfs(line, of_gpfs)
            listed = HOST_LINE.match(line) if of_hosts else None
            if listed:
                self._host(listed.group(2))

    def _learn_users(self, line):
        if "/" in line:
            for found in HOME.finditer(line):
                self._user(found.group(2))
                self._user((found.group(3) or "")[1:])
        if "=" in line:
            for found in PERSON.finditer(line):
                self._user(found.group(2))
        prompt = PROMPT.search(line) if "[" in line and "@" in line else None
        if prompt:
            self._user(prompt.group(2))
            self._host(prompt.group(3))

    def _learn_hosts(self, line):
        machine = MACHINE.match(line) if "Machine" in line else None
        if machine:
            self._host(machine.group(2))
        if "HOST" in line or "NODE" in line:
            for found in HOST_ASSIGNED.finditer(line):
                self._host_list(found.group(2))
        if may_name_hosts(line):
            for found in LAUNCHED_ON.finditer(line):
                self._host_list(found.group(2))

    def _learn_gpfs(self, line, of_gpfs):
        """Nodes as Storage Scale lists them; in its configuration also those that a setting is for."""
        for pattern in gpfs_patterns(line):
            for found in pattern.finditer(line):
                self._host(found.group(2))
        stanza = GPFS_STANZA.match(line) if of_gpfs else None
        if stanza:
            for name in filter(_DIGITS.search, stanza.group(1).split(",")):
                self._host(name)
                self.gpfs_nodes.add(name)

    def _host_list(self, text):
        """node01,node[02-09]: with brackets only the shape is known."""
        for name, bracket in _LIST_ITEM.findall(text):
            if bracket:
                self._shape(name + "#")
            else:
                self._host(name)

    def _user(self, name):
        if name and name.lower() not in ROLES and len(self.users) < NAMES_KEPT:
            self.users.add(name)

    def _host(self, name):
        short, _, domain = name.strip(".").partition(".")
        if _PSEUDONYM.match(name):
            return
        if len(self.hosts) >= NAMES_KEPT or short.lower() in NOT_HOSTS or not re.search(r"[.\d]", name):
            return
        self.hosts.add(short)
        if "." in domain:
            self.domains.add(domain.lower())
        self._shape(_DIGITS.sub("#", short))

    def _shape(self, shape):
        """Nodes of one kind differ in their figures: of node17-ib0 follows every node#-ib#."""
        letters = re.sub(r"[^a-z]", "", shape.lower())
        if "#" in shape and len(letters) > 1 and letters not in NOT_HOST_SHAPES:
            self.host_shapes.add(shape)

    def is_host(self, word):
        """Is the word a host that was given away, one of its kind, or in its domain?"""
        known = self._judged.get(word)
        if known is None:
            known = self._judge(word)
            if len(self._judged) < NAMES_KEPT and len(word) < 256:
                self._judged[word] = known
        return known

    def _judge(self, word):
        short, _, domain = word.partition(".")
        if domain and self._is_known_domain(domain):
            return True
        if len(short) > 63 or short.lower() in ROLES or (domain and not domain[0].isalpha()):
            return False
        shape = _DIGITS.sub("#", short)
        return shape != short and (short in self.hosts or shape in self.host_shapes)

    def _is_known_domain(self, domain):
        parts = domain[-255:].lower().split(".")[-8:]
        return any(".".join(parts[begun:]) in self.domains for begun in range(len(parts)))


def gpfs_patterns(line):
    """The patterns that may find names of Storage Scale in a line; for most lines none."""
    if line[:12].lstrip()[:1].isdigit():
        return GPFS_ROW
    return (GPFS_TITLE,) if any(hint in line for hint in _GPFS_HINTS) else ()


def is_telling(name):
    """Whether a given name tells something: `root`, `node` or two letters stand in any text."""
    return len(name) > 2 and name.lower() not in ROLES | NOT_HOSTS | NOT_HOST_SHAPES and not name.isdigit()


def names_hosts(path):
    """Is it, by its name, a list of hosts for a launcher?"""
    return bool(_HOST_FILE.search(path.rpartition("/")[2]))


def may_name_hosts(line):
    return "-" in line and bool(_LAUNCHER.search(line))


def is_figures(line):
    """A row of a table of figures, where nothing can hide; dotted ones may be addresses."""
    return bool(_FIGURES_ONLY.fullmatch(line)) and not _DOTTED.search(line)
