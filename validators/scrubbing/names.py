"""Users and hosts that a bundle gives away somewhere, so that they are recognised everywhere in it.

Every pattern begins with a look behind for its own characters, so that a long run of them is tried once: the time is
linear in the length of the line, whatever stands in it.
"""

import re

from .name_forms import NO_HOST, forms_of

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

_TOOLS = frozenset("fio elbencho iozone gdsio dlio mlperf mlpstorage obdfilter darshan lst warp cosbench".split())
_STARTERS = frozenset("mpirun mpiexec srun aprun jsrun prun flux pbs lsf cron systemd hand script default".split())
"""What starts a run and is no person."""
_FILE_SYSTEMS = frozenset("nfs xfs ext zfs smb cifs fuse vers ha".split())
"""Letters of types that a server may be called like: of nfs01 follows no nfs4."""

ORDINARY = frozenset(
    """array block blocks build bytes cache caches check client cluster compute config count create data debug default
    delete device direct directory disk disks done error errors example false field first gnu group groups info
    input intel interface iops item items kernel large last latency launch level light line linux list local lock login
    master memory message metadata method mode model module modules mount network none normal null number object
    objects offset open operation order output parallel path pattern perf performance point pool private process
    program project pure python queue random rank ranks rate report request result root sample seek sequential serial
    server service session shared show simple single size small software space speed start state static status stop
    storage store stripe student sync system table target task tasks team test thread threads time timestamp tool total
    transfer tree true type unit unknown update user value values vendor verify version volume with work worker workload
    world write writes hard easy find stat read reads remove rename close fsync amd arm dell cray hpe ibm nvidia
    mellanox inspur lenovo huawei supermicro""".split()
)
"""Words of outputs. Whoever is called so is taken out where a name has to stand, and not wherever the word does."""
SHORTEST_WORD = 4

_USER = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_SLASH = r"(?:\\{0,2}/|%2[Ff])"
HOME = re.compile(
    rf"({_SLASH}(?:[A-Za-z]?homes?\d*|[Uu]sers?|u){_SLASH}(?:users/|\d{{4,}}/|[a-z]/(?=[a-z]))?)(?![a-z]/<)({_USER})(/[a-z][a-z0-9]{{0,4}}\d{{4,8}}(?![\w.-]))?",
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
JOB_WORD = re.compile(
    r"((?<!\S)(?:--(?:job-name|comment|reservation|wckey|mail-user)[ =]|-J[ =]?)[\"']?)([A-Za-z0-9][\w.@-]*)"
)
"""What people write of a job for themselves. Only after a scheduler's name."""
SCHEDULER = re.compile(r"(?:#SBATCH|#PBS|#FLUX|#BSUB|(?<![A-Za-z])(?:sbatch|srun|salloc|qsub|bsub|flux))(?![A-Za-z])")
ID_OUTPUT = re.compile(r"((?<![A-Za-z0-9])\d{1,10}\()([A-Za-z_][\w.-]{0,63})(?=\))")
"""What `id` prints: uid=55231(alice) gid=100(users)."""
USER_FIELD = re.compile(
    r"((?<![A-Za-z0-9_-])[\"']?(?:user|username|user_name|user_id|userid|login|owner|uname|run_by|started_by|submitted_by)"
    r"[\"']?\s{0,4}:\s{1,4}[\"']?)([A-Za-z_][\w.-]{1,63})(?=[\"',]{0,2}\s{0,4}$|[\"'][,}\]])",
    re.IGNORECASE,
)
"""A field of JSON or YAML that names an account, and nothing behind it."""
TILDE = re.compile(r"((?<![\w/.~=-])~)([a-z_][a-z0-9_-]{1,31})(?=/)")
AT_HOST = re.compile(
    r"(?<![\w.@/%+-])([a-z_][\w.-]{0,31})@([A-Za-z][\w-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,6})"
    r"(?=:[~/]|:? ?[~/]\S{0,200} ?[$#%>](?: |$)|[$#>](?: |$))"
)
"""alice@login3:/scratch, as prompts and scp have it; a package (openmpi@main) has no path behind it."""
REMOTE = re.compile(r"(?<![\w.@/%+-])([a-z_][\w.-]{0,31})@([A-Za-z][\w.-]{0,127})(?![\w@])")
_REMOTE_CALLED = re.compile(
    r"(?<![A-Za-z0-9])(?:ssh|scp|rsync|sftp|sshfs|mosh|pdcp|ssh-copy-id|kinit|klist)(?![A-Za-z0-9])"
)
_NETWORKS = re.compile(r"(?:tcp|o2ib|kfi|gni|ptlf|lo|ra)\d{0,4}$")
PROMPT = re.compile(r"(\[)([a-z_][\w.-]*)@([A-Za-z][\w.-]*)(?=[ :\]])", re.ASCII)

_HOST_NAMES = (
    "HOSTNAME|HOST|(?:[A-Z]{1,12}_){0,3}(?:HOSTNAME|HOSTS|NODELIST|HOST_?LIST)|NODES|MASTER_ADDR|SLURM_(?:JOB_|STEP_)?NODELIST|SLURMD_NODENAME|SLURM_(?:SUBMIT|LAUNCH)_HOST|SLURM_TOPOLOGY_ADDR"
    "|PBS_O_HOST|LSB_(?:HOSTS|MCPU_HOSTS|SUB_HOST)|COBALT_PARTNAME|SSH_(?:CLIENT|CONNECTION)"
)
HOST_ASSIGNED = re.compile(
    rf"(?<![A-Za-z0-9_])((?:{_HOST_NAMES})=)(?=[\"']?[A-Za-z<])(\"[^\"$]*\"|'[^']*'|[^\s\"'$`]+)"
)
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
_COUNTRIES = """ac ad ae af ag al am ao ar at au az ba bb bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cd cf cg ch ci
    ck cl cm cn co cr cu cv cy cz de dj dk dm dz ec ee eg er es et eu fi fj fm fo fr ga gb gd ge gh gi gl gm
    gn gp gq gr gt gy hk hn hr ht hu ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz
    lb lc li lk lr lt lu lv ly ma mc mg mk mn mo mr mt mu mv mw mx my mz na nc ne ng ni nl no np nr nu nz om
    pa pe pg ph pk pl pr pt pw qa re ro ru rw sa sb sd se sg si sk sl sn sr ss sv sy sz tc td tg th tj tk tl
    tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu ws ye za zm zw"""
"""Domains of countries, less those that are ends of file names as well (py, sh, md, rs, ps, cc, ms, pm, st, ai)."""
_ENDS = """gov edu com org net mil int info cloud tech hpc cluster local localdomain lan internal intra intranet
    home corp example"""
FULL_NAME = re.compile(
    r"(?<![\w.@-])[A-Za-z][A-Za-z-]*[0-9][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*){1,6}"
    r"\.(?:" + "|".join((_COUNTRIES + " " + _ENDS + " " + (_COUNTRIES + " " + _ENDS).upper()).split()) + r")(?![\w-])",
    re.ASCII,
)
"""A full name whose first part has a figure is a node's, known or not; `www.lustre.org` has none."""
_PSEUDONYM = re.compile(r"m-[0-9a-f]{8}$")
_LIST_ITEM = re.compile(r"([A-Za-z][A-Za-z0-9.-]*)(\[)?", re.ASCII)
_DIGITS = re.compile(r"[0-9]+")
_NETWORK_SUFFIX = re.compile(r"(?<=\d)-(?:ib|hsn|opa|roce|eth|en|bond|mgmt|ipmi|bmc|ilo|idrac|data|san)\d{0,2}$")
"""How the same node is called in another network."""
_HOST_FILE = re.compile(r"(?:host|node|machine)s?[-_.]?(?:file|list)|^hosts?[-_.]\S*$|^hosts?$", re.IGNORECASE)
HOST_LINE = re.compile(
    r"^(\s*)([A-Za-z][A-Za-z0-9.-]*)((?::\d+|\s+(?:slots|max_slots|max-slots)=\d+.*|\s+\d+)?\s*)$", re.ASCII
)

LEARNT = ("users", "hosts", "host_shapes", "host_words", "domains", "gpfs_nodes")
"""Attributes of Names that hold what files gave away."""

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
        self.host_words = set()
        self.domains = set()
        self.gpfs_nodes = set()
        self.given = None
        self._given_users = frozenset()
        self._judged = {}

    def give(self, users, hosts):
        """Take up names known from elsewhere: they are recognised as whole words, whatever they look like."""
        telling = [user for user in users if is_telling(user)]
        self._given_users = frozenset(user.lower() for user in telling)
        for user in telling:
            self._user(user)
        for host in hosts:
            self._host(host)
        short = [host.partition(".")[0] for host in hosts]
        words = set(telling).union(host for host in [*hosts, *short] if is_telling(host))
        if words:
            longest_first = sorted(words, key=lambda word: (-len(word), word))
            self.given = re.compile(
                "(?<![A-Za-z0-9])(?:" + "|".join(map(in_any_letters, longest_first)) + ")(?![A-Za-z0-9])"
            )

    def learnt(self):
        """All that was taken up, as JSON: {"users": [...], ...}."""
        return {kind: sorted(getattr(self, kind)) for kind in LEARNT}

    def take_up(self, learnt):
        """Take up what another one learnt."""
        for kind in LEARNT:
            getattr(self, kind).update(learnt.get(kind, ()))

    def is_user(self, word):
        """Is the word a user that was given?"""
        return word.lower() in self._given_users

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
        if "/" in line or "%2" in line:
            for match in HOME.finditer(line):
                self._user(match.group(2))
                self._user((match.group(3) or "")[1:])
        if "=" in line:
            for match in PERSON.finditer(line):
                self._user(match.group(2))
        for pattern in user_patterns(line):
            for match in pattern.finditer(line):
                self._user(match.group(2))
        for form in forms_of("user", line):
            if form.teaches:
                for match in form.compiled_pattern.finditer(line):
                    if may_be_a_person(match.group(2)):
                        self._user(match.group(2))
        if "@" in line:
            for match in at_hosts(line):
                self._user(match.group(1))
                self._host(match.group(2), surely=True)
        prompt = PROMPT.search(line) if "[" in line and "@" in line else None
        if prompt:
            self._user(prompt.group(2))
            self._host(prompt.group(3), surely=True)

    def _learn_hosts(self, line):
        machine = MACHINE.match(line) if "Machine" in line else None
        if machine:
            self._host(machine.group(2))
        if "HOST" in line or "NODE" in line:
            for match in HOST_ASSIGNED.finditer(line):
                self._host_list(match.group(2))
        if may_name_hosts(line):
            for match in LAUNCHED_ON.finditer(line):
                self._host_list(match.group(2))

        for form in forms_of("host", line):
            if form.teaches:
                for match in form.compiled_pattern.finditer(line):
                    if may_be_a_host(match.group(2)):
                        self._host_list(match.group(2))

    def _learn_gpfs(self, line, of_gpfs):
        """Nodes as Storage Scale lists them; in its configuration also those that a setting is for."""
        for pattern in gpfs_patterns(line):
            for match in pattern.finditer(line):
                self._host(match.group(2))
        stanza = GPFS_STANZA.match(line) if of_gpfs else None
        if stanza:
            for name in filter(_DIGITS.search, stanza.group(1).split(",")):
                self._host(name)
                self.gpfs_nodes.add(name)

    def _host_list(self, text):
        """node01,node[02-09]: with brackets only the shape is known."""
        for name, bracket in _LIST_ITEM.findall(text):
            if bracket:
                self._shape(name.lower() + "#")
            else:
                self._host(name, surely=True)

    def _user(self, name):
        if name and name.lower() not in ROLES and not _PSEUDONYM.match(name) and len(self.users) < NAMES_KEPT:
            self.users.add(name)

    def _host(self, name, surely=False):
        """Take up a host. One without figure or dot only where nothing else can stand (`surely`), as a whole word."""
        short, _, domain = name.strip(".").partition(".")
        if _PSEUDONYM.match(name):
            return
        if surely and is_a_name(short) and len(self.host_words) < NAMES_KEPT:
            self.host_words.add(short)
        if len(self.hosts) >= NAMES_KEPT or short.lower() in NOT_HOSTS or not re.search(r"[.\d]", name):
            return
        self.hosts.add(short.lower())
        if "." in domain:
            self.domains.add(domain.lower())
        self._shape(_DIGITS.sub("#", short.lower()))

    def is_user_word(self, word):
        """Is a word, wherever it stands, the name of a user that was given away?"""
        lower = word.lower()
        return is_a_name(word) and (
            word in self.users or (lower != word and lower in self.users and not lower.isalpha())
        )

    def is_host_word(self, word):
        """Is a word without figures the name of a host that was given away?"""
        return word in self.host_words

    def _shape(self, shape):
        """Nodes of one kind differ in their figures: of node17-ib0 follows every node#-ib#."""
        letters = re.sub(r"[^a-z]", "", shape.lower())
        if "#" in shape and len(letters) > 1 and letters not in NOT_HOST_SHAPES and letters not in _FILE_SYSTEMS:
            self.host_shapes.add(shape)

    def is_host(self, word):
        """Is the word a host that was given away, one of its kind, or in its domain?"""
        word = word.lower()
        verdict = self._judged.get(word)
        if verdict is None:
            verdict = self._judge(word)
            if len(self._judged) < NAMES_KEPT and len(word) < 256:
                self._judged[word] = verdict
        return verdict

    def _judge(self, word):
        short, _, domain = word.partition(".")
        if domain and self._is_known_domain(domain):
            return True
        if len(short) > 63 or short.lower() in ROLES or (domain and not domain[0].isalpha()):
            return False
        return self._is_known_short(short) or self._is_known_short(_NETWORK_SUFFIX.sub("", short))

    def _is_known_short(self, short):
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


def user_patterns(line):
    """The patterns that may find an account in a line, for most lines none."""
    if "~" in line:
        yield TILDE
    if "(" in line and ("uid=" in line or "gid=" in line):
        yield ID_OUTPUT
    if ":" in line and any(hint in line.lower() for hint in ("user", "login", "owner", "uname", "_by")):
        yield USER_FIELD


def at_hosts(line):
    """The matches of user@host in a line, where it is one: no package, mail address or network of LNet."""
    for pattern in (AT_HOST, REMOTE) if _REMOTE_CALLED.search(line) else (AT_HOST,):
        for match in pattern.finditer(line):
            if not _NETWORKS.match(match.group(2)):
                yield match


def is_a_name(word):
    """Whether a word that was seen as a name is one wherever it stands, and no word of outputs."""
    lower = word.lower()
    if len(word) < SHORTEST_WORD or lower in ORDINARY or lower in ROLES or lower in NOT_HOSTS or word.isdigit():
        return False
    letters = re.sub(r"[^a-z]", "", lower)
    return letters not in NOT_HOST_SHAPES and letters not in ORDINARY


def may_be_a_person(word):
    """Whether a word may be a person's where a name has to stand."""
    return word.lower() not in ROLES | ORDINARY | NOT_HOSTS | _TOOLS | _STARTERS


def may_be_a_host(text):
    """Whether the first of some words may be a host where one has to stand."""
    short = re.split(r"[.,\[]", text)[0].lower()
    if short in NOT_HOSTS | NO_HOST | ROLES | ORDINARY or re.sub(r"[^a-z]", "", short) in NOT_HOST_SHAPES:
        return False
    return len(short) > 2 or bool(re.search(r"[.\d\[]", text))


def in_any_letters(word):
    """A pattern for a name in small and capital letters; a word of outputs is a name only as it was given."""
    return re.escape(word) if word.lower() in ORDINARY else "(?i:" + re.escape(word) + ")"


def is_telling(name):
    """Whether a given name tells something: `root`, `node`, a tool or two letters stand in any text."""
    lower = name.lower()
    return len(name) > 2 and lower not in ROLES | NOT_HOSTS | NOT_HOST_SHAPES | _TOOLS and not name.isdigit()


def names_hosts(path):
    """Is it, by its name, a list of hosts for a launcher?"""
    return bool(_HOST_FILE.search(path.rpartition("/")[2]))


def may_name_hosts(line):
    return "-" in line and bool(_LAUNCHER.search(line))


def is_figures(line):
    """A row of a table of figures, where nothing can hide; dotted ones may be addresses."""
    return bool(_FIGURES_ONLY.fullmatch(line)) and not _DOTTED.search(line)
