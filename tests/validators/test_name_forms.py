"""Users, hosts, addresses and identifiers as programs write them are taken out, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.validators.test_planted_lines import NAMES, without_marks
from validators.scrubbing import name_forms, personal

WRITTEN = [
    ("   UserId=carolm(1234) GroupId=prjx(99)", "   UserId=<user>(1234) GroupId=<user>(99)"),
    ("   Priority=1 Account=prj0099 QOS=normal WCKey=*", "   Priority=1 Account=<user> QOS=normal WCKey=*"),
    ("   JobId=123 JobName=carols-secret", "   JobId=123 JobName=<user>"),
    ("#SBATCH -N 10 -p bigsite -A prj0099", "#SBATCH -N 10 -p <user> -A <user>"),
    ("#PBS -N secretjob", "#PBS -N <user>"),
    ("#SBATCH --partition=bigsite", "#SBATCH --partition=<user>"),
    ("srun -n 4 -A prj0099 ./ior", "srun -n 4 -A <user> ./ior"),
    ("subject=C = NO, O = Site, CN = Carol Muster", "subject=C = NO, O = Site, CN = <user>"),
    ("mount -o user=carolm,vers=3.0 x", "mount -o user=<user>,vers=3.0 x"),
    ("fio --http_user=carolm x", "fio --http_user=<user> x"),
    ("sacctmgr add user x account=prj0099", "sacctmgr add user x account=<user>"),
    ("-rw-r--r--. 1 carolm prj0099 1234 Nov  1 10:00 f", "-rw-r--r--. 1 <user> <user> 1234 Nov  1 10:00 f"),
    ("sudo -n -u carolm ls", "sudo -n -u <user> ls"),
    ("chown -R carolm:users /x", "chown -R <user>:users /x"),
    ("carolm   12345  0.0  0.1 99  12 ?  S 10:00 0:00 ior", "<user>   12345  0.0  0.1 99  12 ?  S 10:00 0:00 ior"),
    ("C:\\\\Users\\\\carolm\\\\x", "C:\\\\Users\\\\<user>\\\\x"),
    ("%2Fhome%2Fcarolm%2Fx and \\/home\\/carolm\\/x", "%2Fhome%2F<user>%2Fx and \\/home\\/<user>\\/x"),
    ("/afs/site.org/user/c/carolm/x", "/afs/site.org/user/c/<user>/x"),
    ("/global/homes/g/carolm/x", "/global/homes/g/<user>/x"),
    ("carolm@login3 ~ $ ls", "<user>@<host> ~ $ ls"),
    ('"hostname": "fjordhead",', '"hostname": "<host>",'),
    ("   NodeList=cn[001-004,7]", "   NodeList=<host>"),
    ("BatchHost=cn001", "BatchHost=<host>"),
    ("Nodes=cn[001-004] State=IDLE", "Nodes=<host> State=IDLE"),
    ("running on cn[001-004]", "running on <host>"),
    ("salloc: Nodes cn[001-004] are ready", "salloc: Nodes <host> are ready"),
    ("JOB 17 ON cn001 CANCELLED", "JOB 17 ON <host> CANCELLED"),
    ("rank 0 on host fjordhead", "rank 0 on host <host>"),
    ("Process 0 on fjordhead", "Process 0 on <host>"),
    ("rank 0: cn001", "rank 0: <host>"),
    ("srun: error: cn001: task 3: Exited", "srun: error: <host>: task 3: Exited"),
    ("[fjordhead:12345] mca: base", "[<host>:12345] mca: base"),
    ("Nov 22 10:00:00 fjordhead kernel: LNet", "Nov 22 10:00:00 <host> kernel: LNet"),
    ("Linux fjordhead 5.14.0-427.el9.x86_64 #1 SMP", "Linux <host> 5.14.0-427.el9.x86_64 #1 SMP"),
    ("fjordhead:/export on /m type nfs4 (rw)", "<host>:/export on /m type nfs4 (rw)"),
    ("scp x fjordhead:y", "scp x <host>:y"),
    ("mgs-x@o2ib:/scratch on /m type lustre", "<host>@o2ib:/scratch on /m type lustre"),
    ("//fjordhead/share /m cifs", "//<host>/share /m cifs"),
    ("\\\\fjordhead\\share", "\\\\<host>\\share"),
    ("ssh -v fjordhead", "ssh -v <host>"),
    ("elbencho --hosts fjorda,fjordb -w", "elbencho --hosts <host>,<host> -w"),
    ("ip-172-31-5-6 started", "<host> started"),
    ("OSS17.SITE.NO up", "<host> up"),
    ("nids 192.168.[0-1].[1-64]@o2ib", "nids <address>@o2ib"),
    ("10.1.2.3_10.1.2.9", "<address>_<address>"),
    ('"mac": "3cecefabcd12"', '"mac": "<address>"'),
    ("3cec-efab-cd12 100 dynamic", "<address> 100 dynamic"),
    ("Base lid: 421", "Base lid: <address>"),
    ('S-506b4b0300f0a1b2 "MT4123"', 'S-<guid> "MT4123"'),
    ("LU WWN Device Id: 5 000c50 0a1b2c3d4", "LU WWN Device Id: <guid>"),
    ("nguid   : 36344830526045820025384500000001", "nguid   : <guid>"),
    ("mpatha (360050768018087aa5800000000000001) dm-3", "mpatha (<guid>) dm-3"),
    ("SID S-1-5-21-3623811015-3361044348-30300820-1013", "SID <guid>"),
    ("machine-id: 6f1c8a520d3e4b7a9c550123456789ab", "machine-id: <guid>"),
    ('UUID="ABCD-1234" TYPE="vfat"', 'UUID="<guid>" TYPE="vfat"'),
    ("GPU 0: (UUID: GPU-6f1c8a52-0d3e-4b7a-9c55-0123456789ab)", "GPU 0: (UUID: GPU-<guid>)"),
    ("ID_SERIAL_SHORT=S64HNE0R", "ID_SERIAL_SHORT=<guid>"),
    ("Serial: 123456789012", "Serial: <guid>"),
    ("carol.muster(at)site.org", "<e-mail>"),
    ("carol.muster at site dot org", "<e-mail>"),
    ('"carol muster"@site.org', "<e-mail>"),
    ("cärol@sité.org", "<e-mail>"),
]  # fmt: skip


def scrubbed(*lines: str) -> list[str]:
    names = personal.Names()
    names.learn("log.txt", lines)
    return list(personal.scrub_lines("log.txt", lines, names, Counter()))


@pytest.mark.parametrize(("line", "expected"), WRITTEN)
def test_a_name_in_a_known_form_is_removed_once(line: str, expected: str) -> None:
    assert scrubbed(line) == [expected]
    assert scrubbed(expected) == [expected]


def test_every_form_has_an_example() -> None:
    lines = [line for line, _ in WRITTEN] + [line for marked in NAMES for line in without_marks(marked)]
    unused = [
        form.compiled_pattern.pattern
        for form in name_forms.FORMS
        if not any(
            form in name_forms.forms_of(form.code, line) and form.compiled_pattern.search(line) for line in lines
        )
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("cd /home/carol.muster/x", "carol.muster_results"), "<user>_results"),
        (("cd /home/kmuster42/x", "KMUSTER42 ran results_kmuster42_2"), "<user> ran results_<user>_2"),
        (("mpirun -host cn001,cn002 x", "CN001, cn003-ib0 and cn004_eth1"), "<host>, <host> and <host>_eth1"),
        (('"hostname": "fjordhead",', "on fjordhead.log"), "on <host>.log"),
        (("-rw-r--r-- 1 carolm prj0099 12 Nov 1 10:00 f", "carolm, prj0099"), "<user>, <user>"),
        (("nfs01:/export /m nfs4 rw", "nfs01 gave /m as nfs4"), "<host> gave /m as nfs4"),
    ],
)
def test_learnt_names_are_removed_elsewhere_in_any_case(lines: tuple[str, ...], expected: str) -> None:
    assert scrubbed(*lines)[-1] == expected


@pytest.mark.parametrize(
    ("users", "hosts", "line", "expected"),
    [
        (["jnovak"], ["loginhost"], "JNOVAK on LoginHost.site", "<user> on <host>.site"),
        (["storage"], [], "MLPerf Storage on storage", "MLPerf Storage on <user>"),
        (["fio"], ["elbencho"], "fio-3.33 and elbencho 3.0", "fio-3.33 and elbencho 3.0"),
    ],
)
def test_site_names_are_removed_in_any_case_and_tool_names_kept(users, hosts, line: str, expected: str) -> None:
    names = personal.Names()
    names.give(users, hosts)
    assert personal.scrub_line(line, names, Counter()) == expected


@pytest.mark.parametrize(
    "line",
    [
        "write     1250.50    1048576    1024.00    0.000521   0.838861   0.000412   0.839794   0",
        "[RESULT]       ior-easy-write       89.282156 GiB/s : time 304.512 seconds",
        "obdfilter.fs-OST0000.exports.stats= nodes: 10, hosts: 4, host: all",
        "mmgetstate::HEADER:version:reserved:reserved:nodeName:nodeNumber:state:quorum:",
        "CentOS Linux release 7.9.2009 (Core), Linux version 5.14.0",
        "mpirun -np 4 -x UCX_TLS=rc ./ior -a POSIX -t 1m -b 16m -s 16 -w -r -k -e -o ufs:/scratch/x",
        "bsub -n 20 mpirun -np 2520 -ppn 36 ./io500 config.ini",
        "2026-11-22T10:00:00 Starting ior: 4 tasks, [INFO:20] and [12:30] done",
        "user 0m1.2s, sys 0m0.3s, cpu : usr=0.5%, sys=1.2%",
        "version 1.2.3.4, libfoo_1.2.3.4_amd64, kernel 5.14.0-427.el9.x86_64",
        "a@1 openmpi@main hdf5@1.14.3, meet at site, read at 10 GiB/s",
        "serial: 5 s, parallel: 3 s, 12 valid, SN: no, sha1 0123456789abcdef0123456789abcdef01234567",
        "running on Lustre, on node 4 of 10, on host, data on disk",
        "md5 36aabbccddeeff00112233445566778 00ff, 2026-1122-1000",
    ],
)  # fmt: skip
def test_results_versions_and_words_are_kept(line: str) -> None:
    assert scrubbed(line) == [line]
