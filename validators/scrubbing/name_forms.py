"""Forms in which programs write users, hosts, addresses and identifiers: each the words before, and the word itself.

A form is tried on lines with one of its hints, in lower case. Its first group stays, its second is the word. What a
form that `teaches` has found is taken up as a name, so that it is recognised wherever else it stands.
"""

import re
from functools import lru_cache

from .hints import Hints
from .identifier_forms import IDENTIFIER_FORMS, Form

_NAME = r"[A-Za-z][\w.-]{0,62}"
_PERSON = r"[A-Za-z_][\w.@-]{0,62}"
_BRACKETS = r"(?:\[[\d,-]{1,400}\][\w.-]{0,62})?"
_HOSTS = _NAME + _BRACKETS + "(?:," + _NAME + _BRACKETS + ")*"
_NUMBERED = r"[A-Za-z][A-Za-z_-]{0,62}[\d\[][\w.,\[\]-]{0,400}"
_RIGHTS = r"^\s{0,8}[bcdlps-](?:[r-][w-][xsStT-]){3}[.+@]?\s{1,6}\d{1,7}\s{1,6}"
_IS = r"[\"']?[ .]{0,12}(?:[:=]|->)\s{0,4}[\"']?"
_WORDS = r"[A-Z][^\s,;:<>(){}\"'/=]{1,40}(?: [A-Z][^\s,;:<>(){}\"'/=]{0,40}){1,4}"
_JOB = r"(?:#(?:SBATCH|PBS|BSUB|FLUX|PJM|COBALT|MSUB|\$)|(?<![A-Za-z])(?:sbatch|salloc|qsub|bsub)(?![A-Za-z]))"

_QUEUED = r"\s{1,8}(?:R|PD|CG|CF)\s{1,10}[\d:-]{4,12}\s{1,10}\d{1,6}\s"

NO_HOST = frozenset(
    "warn warning notice trace fatal stdout stderr posix ufs nfs file path mpiio romio begin end all any not yes "
    "off new old"
    " one two the this that other each every same".split()
)
"""Words that stand where a host may stand."""


FORMS = (
    # Users, and what belongs to them
    Form("user", "userid=|groupid=", r"((?<![A-Za-z0-9_])(?:UserId|GroupId)=)(" + _PERSON + r")(?=\()", True),
    Form(
        "user",
        "account=|jobname=|wckey=|reservation=",
        r"((?<![A-Za-z0-9_-])(?:[Aa]ccounts?|JobName|WCKey|Reservation)=)([A-Za-z0-9][\w.@-]{0,200})",
    ),
    Form(
        "user",
        "sbatch|pbs|bsub|flux|salloc|qsub|#cobalt|#msub|#$",
        r"(" + _JOB + r"(?:\s.{0,200})?\s-(?:A ?|P ))([A-Za-z][\w.-]{1,62})",
    ),
    Form(
        "user",
        "pbs|qsub|bsub|pjm|#$",
        r"((?:#PBS|#BSUB|#PJM|#\$|qsub|bsub)(?:\s.{0,200})?\s-[NJ] )([A-Za-z][\w.-]{1,62})",
    ),
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
    Form(
        "user",
        " by |logged in|login as",
        r"((?<![A-Za-z])(?:[Ll]ogged in as|[Ll]ogin as:|[Rr]un by(?: user)?|(?:[Ss]ubmitted|[Ss]tarted|"
        r"[Ll]aunched) by(?: user)?|by user) <?)"
        r"([a-z_][\w.-]{2,31})(?![\w(])",
    ),
    Form("user", "logged", r"((?<![A-Za-z])[Uu]ser )([a-z_][\w.-]{2,31})(?= logged)"),
    Form("user", ">", r"((?<![A-Za-z])(?:in queue|in cluster|Job \d{1,10}:) <)([A-Za-z][\w.-]{1,62})(?=>)"),
    Form("user", ":x:|:*:", r"(^)([a-z_][\w.-]{1,31})(?=:[x*]:\d{1,10}:\d{1,10}:)", True),
    Form("user", ":x:|:*:", r"(^[^:\s]{1,40}:[x*]:\d{1,10}:\d{1,10}:)([^:<]{2,80})(?=:)"),
    Form(
        "user",
        "passwd|finger|crontab|quota|chgrp|newgrp|lastlog|chage|usermod|useradd",
        r"((?<![A-Za-z0-9])(?:getent passwd|finger|crontab -u|lfs (?:set)?quota -[ug]|mmlsquota -[ug]|"
        r"--getquota --[ug]id|chgrp|newgrp|"
        r"lastlog -u|chage -l|(?:usermod|useradd)(?: -\S{1,20}){0,2}) )([A-Za-z_][\w.-]{2,31})(?![\w=])",
    ),
    Form("user", "for usr|for grp|for prj", r"((?<![A-Za-z])for (?:usr|grp|prj) )([A-Za-z_][\w.-]{1,31})", True),
    Form(
        "user", "uid: (|gid: (", r"((?<![A-Za-z])[UG]id: \(\s{0,8}\d{1,10}/\s{0,16})([A-Za-z_][\w.-]{1,31})(?=\))", True
    ),
    Form("user", "sudo", r"((?<![A-Za-z])sudo:\s{1,8})([a-z_][\w.-]{1,31})(?= : )", True),
    Form("user", "sudoers", r"((?<!\S))([a-z_][\w.-]{1,31})(?= is not in the sudoers)", True),
    Form(
        "user",
        "all=(|nofile|memlock|nproc|stack",
        r"(^)([a-z_][\w.-]{1,31})(?=\s{1,20}(?:\S{1,40}=\(ALL|(?:hard|soft|-)\s{1,12}(?:nofile|memlock|nproc|"
        r"stack)\s))",
    ),
    Form("user", "pts/", r"(^)([a-z_][\w.-]{1,31})(?=\s{1,12}pts/\d)", True),
    Form(
        "user",
        " r | pd | cg ",
        r"(^\s{0,20}\d{1,10}(?:_\S{1,12})?\s{1,10})([A-Za-z][\w.-]{1,62})(?=\s{1,12}\S{1,64}\s{1,12}\S{1,32}"
        + _QUEUED
        + ")",
    ),
    Form(
        "user",
        " r | pd | cg ",
        r"(^\s{0,20}\d{1,10}(?:_\S{1,12})?\s{1,10}\S{1,64}\s{1,12})([A-Za-z][\w.-]{1,62})(?=\s{1,12}\S{1,32}"
        + _QUEUED
        + ")",
    ),
    Form(
        "user",
        " r | pd | cg ",
        r"(^\s{0,20}\d{1,10}(?:_\S{1,12})?\s{1,10}\S{1,64}\s{1,12}\S{1,64}\s{1,12})([A-Za-z][\w.-]{1,62})(?="
        + _QUEUED
        + ")",
        True,
    ),
    Form(
        "host",
        " r | cg ",
        r"(^\s{0,20}\d{1,10}(?:_\S{1,12})?\s{1,10}(?:\S{1,64}\s{1,12}){3}(?:R|"
        r"CG)\s{1,10}[\d:-]{4,12}\s{1,10}\d{1,6}\s{1,4})(" + _HOSTS + ")$",
        True,
    ),
    Form(
        "user",
        "u:|g:|user:|group:",
        r"((?<![\w:])(?:user|group|[ug]):)([A-Za-z_][\w.-]{1,31})(?=:[rwxX-]{1,3}(?!\w))",
        True,
    ),
    Form("user", "# group:", r"(^# group: )([A-Za-z_][\w.-]{1,31})$"),
    Form(
        "user",
        "project|proj/|nobackup|groups|people|staff|student|/mail/|/cron/",
        r"(/(?:projects?|proj|nobackup|groups|people|staff|students?|var/mail|"
        r"var/spool/cron)\d{0,2}/)([A-Za-z][\w.-]{2,40})(?=/|$)",
    ),
    Form("user", "project_", r"((?<![A-Za-z])project_)(\d{6,12})(?!\w)"),
    Form("user", "cd ~", r"((?<![A-Za-z])cd ~)([a-z_][\w-]{1,31})$", True),
    Form(
        "user",
        "user.name|author_name|committer_name|ed-by:|signed-off-by:|@author|author|contact|ansprechpartner|"
        "responsible|investigator|full name|real name|maintainer|syscontact|pi:",
        r"((?<![A-Za-z])(?:user\.name|GIT_(?:AUTHOR|COMMITTER)_NAME|[A-Z][a-z]{2,9}(?:-off|ed)?-by|@author|"
        r"[Aa]uthor|[Cc]ontact|"
        r"Ansprechpartner(?:in)?|Responsible|(?:Principal )?Investigator|PI|(?:Full|Real) name|[Mm]aintainer)(?:"
        + _IS
        + r"|\s[\"']?))("
        + _WORDS
        + ")",
    ),
    Form("user", "syscontact", r"((?<![A-Za-z])sysContact\s{1,8})([A-Za-z][\w.@-]{1,62})", False, re.IGNORECASE),
    Form(
        "user",
        "bank|jsrun|pjm|rscgrp|class|account_no",
        r"((?<!\S)(?:(?:-[A-Z]{1,2} ?)?--bank=|jsrun(?: -\S{1,12} \S{1,12}){0,6} -P |"
        r"#PJM(?: -\S{1,4} \S{1,40}){0,4} -g |rscgrp=|#@ (?:class|account_no) = ))([A-Za-z][\w.-]{1,62})",
    ),
    Form("user", "group_list=", r"((?<![A-Za-z])group_list=)([A-Za-z][\w.-]{1,62})"),
    Form(
        "user",
        "project|proj=|account|allocation",
        r"((?<![A-Za-z0-9_-])[\"']?(?:project(?:_?id)?|proj|account|allocation)"
        + _IS
        + r"|charge account )(?=[a-z_-]{0,40}\d)([a-z][\w-]{3,40})(?![\w./(])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "user",
        "customer|ticket|invoice",
        r"((?<![A-Za-z])(?:customer|invoice)"
        + _IS
        + r"|ticket(?:"
        + _IS
        + r"|\s#))(?=[^\n]{0,60}[A-Za-z]|\d{4})([A-Za-z0-9][^\"',;<>]{2,60})",
        False,
        re.IGNORECASE,
    ),
    # Hosts
    Form(
        "host",
        "host|node|server|machine|computer",
        r"((?<![A-Za-z0-9_-])[\"']?(?:host|hosts|hostname|host_?list|nodes?[_ ]?name|node_?list|server_?name|"
        r"machine_?name|computer_?name"
        r"|(?:batch|submit|login|head|alloc|exec|req_?|exc_?|sched_?)(?:[_ ]?host|[_ ]?node|_?nodelist)|"
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
        r"((?<![\w.@<>-]))([A-Za-z][A-Za-z_-]{0,40}\d[\w-]{0,30}|[A-Za-z][\w-]{1,62}(?=@[a-z0-9]{2,8}:(?:/|"
        r"[\w-]{1,62}@)))"
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
    Form(
        "host",
        "connect|resolve|known hosts|authenticity|granted|bytes from|ping |export list|server |login:",
        r"((?<![A-Za-z])(?:connect to host|resolve (?:hostname|host(?: address)?:?)|Permanently added|"
        r"authenticity of host|"
        r"Connect(?:ed|ing|ion) (?:to|from)(?: host)?|connection (?:to|from)|Granted job allocation \d{1,10} on|"
        r"PING|bytes from|Export list for|"
        r"nfs: server|Last login: [^\n]{10,40} from) [\"'`]?)([A-Za-z][\w-]{1,62}(?:\.[\w-]{1,62}){0,6})"
        r"(?=[\"',:]|\.?$| \(| port| closed| failed| lost| reset| refused| timed| not resp| OK)",
        True,
        re.IGNORECASE,
    ),
    Form(
        "host",
        "host",
        r"((?<![A-Za-z])(?:sysMgmtdHost|SlurmctldHost|ControlMachine|AccountingStorageHost|mon_host|access_points|"
        r"hostlist)\s{0,4}[=:]\s{0,4}[\[\"']{0,3})(" + _HOSTS + ")",
        True,
    ),
    Form(
        "host",
        "controlmachine|access_points",
        r"((?<![A-Za-z])(?:ControlMachine|access_points)\s{0,4}[=:]\s{0,4}[\[\"']{0,3})(" + _HOSTS + ")",
        True,
    ),
    Form("host", "cluster", r"((?<![A-Za-z])(?:ClusterName|SLURM_CLUSTER_NAME|--clusters?)=)([A-Za-z][\w.-]{1,62})"),
    Form(
        "host",
        "redis|mysql|psql|pg_|mongo|pbsdsh|iperf|netperf|dmg |ib_|qperf|showmount|warp|flux|fio|ssh ",
        r"((?<![A-Za-z0-9])(?:(?:redis-cli|mysql\w{0,10}|psql|pg_\w{2,12}|mongo\w{0,8}|"
        r"pbsdsh)(?: -[a-z] \S{1,40}){0,3} -h ?|iperf3?(?: -\S{1,12}){0,4} -c ?|netperf -H ?|"
        r"dmg (?:-\S{1,12} ){0,3}-l |ib_(?:write|read|send|atomic)_(?:bw|lat)(?: -[a-z] \S{1,20}){0,4} |qperf |"
        r"showmount -[a-z] |p(?:arallel-)?ssh -H [\"']?)"
        r"|(?<!\S)(?:--warp-client[ =]|--requires=host:|--server=|--client=))(" + _HOSTS + r")(?![\w=(/])",
        True,
    ),
    Form(
        "host",
        "://",
        r"((?<![A-Za-z])(?:https?|tcp|nfs|ftp|ssh|amqp)://(?:[^\s/@]{1,100}@)?)([A-Za-z][\w-]{2,62}(?=[:/\s\"',;]|$)"
        r"|[A-Za-z][\w-]{0,62}(?:\.[A-Za-z][\w-]{0,62}){0,5}\."
        r"(?:local|localdomain|lan|internal|intra|intranet|corp|example|hpc|cluster)(?=[:/\s\"',;]|$))",
        True,
    ),
    Form(
        "host",
        "ldap|mongodb|rsync:",
        r"((?:ldaps?|mongodb|rediss?|rsync)://(?:[^\s/@]{1,100}@)?)([A-Za-z][\w.-]{2,100})(?=[:/\s\"',;]|$)",
        True,
    ),
    Form("host", "[id: ", r"(^\s{0,8})(" + _NAME + r")(?= \[ID: \d)", True),
    Form("host", "wekafs", r"((?:^|\s))(" + _HOSTS + r")(?=/\S{1,60} /\S{1,200} wekafs)", True),
    Form("host", "wekafs", r"(mount -t wekafs(?: -o \S{1,200})? )(" + _HOSTS + r")(?=/)", True),
    Form("host", ":6789|:3300", r"((?<![\w.-]))(" + _NAME + r")(?=:(?:6789|3300))", True),
    Form("host", "[mon.|[mds.|[mgr.", r"(^\[(?:mon|mds|mgr)\.)([A-Za-z][\w-]{1,62})(?=\])", True),
    Form("host", "host", r"((?<![A-Za-z])(?:host\(s\)|from host) <(?:\d{1,6}\*)?)([A-Za-z][\w.-]{1,62})(?=>)", True),
    Form(
        "host",
        "rank|task|processor|hello",
        r"((?<![A-Za-z])(?:[Rr]ank \d{1,8}(?: of \d{1,8})? (?:hostname|host|=)|[Tt]ask \d{1,8} @|from processor|"
        r"Processor name:|Hello world from) )([A-Za-z][\w.-]{2,62})(?=[ ,]|$)",
        True,
    ),
    Form("host", "step", r"((?<![A-Za-z])(?:STEP \S{1,24} ON|StepId=\S{1,24} on) )([A-Za-z][\w.-]{1,62})", True),
    Form(
        "host",
        "slurmstepd|srun: node|job killed",
        r"((?<![A-Za-z])(?:slurmstepd: error: (?=\S{1,62} \[)|srun: Node |"
        r"job killed: on ))([A-Za-z][\w.-]{1,62})(?=[ ,]|$)",
        True,
    ),
    Form("host", "local to host", r"((?<![A-Za-z])local to host )([A-Za-z][\w.-]{1,62})(?=\))", True),
    Form("host", "mf0;|mlx5_|hfi1_|hca-", r"(\"MF0;|# \")([A-Za-z][\w.-]{1,62})(?=:| (?:mlx5|hfi1|HCA))", True),
    Form(
        "host",
        "rack|room",
        r"((?<![A-Za-z])(?:rack|room)" + _IS + r")(?=[A-Z-]{0,6}\d)([A-Z][\w.-]{0,20})(?![\w/])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "host",
        "syslocation",
        r"((?<![A-Za-z])sysLocation\s{0,4}:?\s{1,8})([^\s\"'<][^\"'<]{0,80})",
        False,
        re.IGNORECASE,
    ),
) + IDENTIFIER_FORMS

_HINTS = Hints((hint, number) for number, form in enumerate(FORMS) for hint in form.hints)


@lru_cache(maxsize=16)
def _hinted(line):
    """The forms of all rules that have a hint in a line: the rules of a line ask one after the other."""
    return [FORMS[number] for number in sorted(_HINTS.list_meanings(line.lower()))]


def forms_of(code, line):
    """The forms of a rule that may find something in a line."""
    return [form for form in _hinted(line) if form.code == code]
