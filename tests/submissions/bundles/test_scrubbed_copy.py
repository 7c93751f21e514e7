"""The scrubbed copy of a bundle: who and where are gone, the figures are not."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from submissions.bundles import scrubbing as bundles_scrubbing
from tests.make_io500 import make_archive, make_run
from validators.checks import check
from validators.scrubbing import personal

DOCS = Path(__file__).resolve().parents[3] / "docs"
E_MAIL = re.compile(rb"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]")
"""No version of a package: hdf5@1.14.3."""


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.uname, member.mtime = len(content), "alice", 1_700_000_000
            archive.addfile(member, io.BytesIO(content))
    return path


def derived(path: Path) -> tuple[bundles_scrubbing.ScrubResult, dict[str, bytes]]:
    """The derivative and the files in it, read with the standard library alone."""
    out = io.BytesIO()
    derivative = bundles_scrubbing.derive_copy(path, out)
    out.seek(0)
    with tarfile.open(fileobj=out) as archive:
        return derivative, {member.name: archive.extractfile(member).read() for member in archive}


def scrubbed(text: str, *other_lines: str) -> str:
    """One line, of a bundle that also has the `other_lines`."""
    names = personal.Names()
    names.learn("log.txt", [*other_lines, text])
    return personal.scrub_line(text, names, Counter())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#SBATCH --mail-user=alice@site.example.org", "#SBATCH --mail-user=<e-mail>"),
        ("run by <alice.b+x@example.org>, thanks", "run by <<e-mail>>, thanks"),
        ("-o /home/alice/io500/out", "-o /home/<user>/io500/out"),
        ("cd /home1/06758/alice/run", "cd /home1/06758/<user>/run"),
        ("cd /home/site/k202079/work", "cd /home/<user>/<user>/work"),
        ("datadir = /gpfs/users/alice/d", "datadir = /gpfs/users/<user>/d"),
        ("/u/alice/x /Users/alice/y", "/u/<user>/x /Users/<user>/y"),
        ("export USER=alice", "export USER=<user>"),
        ("[alice@login3 ~]$ ls", "[<user>@<host> ~]$ ls"),
        ("Machine             : Linux e11u05.int.example.org", "Machine             : Linux <host>"),
        ("SLURM_JOB_NODELIST=cn[001-010,012]", "SLURM_JOB_NODELIST=<host>"),
        ('HOSTNAME="cn001"', "HOSTNAME=<host>"),
        ("mpirun -np 4 --host cn01,cn02 ./io500", "mpirun -np 4 --host <host> ./io500"),
        ("mpiexec -hosts cn01 -n 2 ./ior -w", "mpiexec -hosts <host> -n 2 ./ior -w"),
        ("mpirun -H 10.1.2.3,10.1.2.4:8 -np 9", "mpirun -H <address>,<address>:8 -np 9"),
        ("FS: 172.16.254.190@o2ib:/lustre", "FS: <address>@o2ib:/lustre"),
        ("//10.0.0.7/share http://10.0.0.8/", "//<address>/share http://<address>/"),
        ("fe80::1ff:fe23:4567:890a up", "<address> up"),
        ("2001:db8:0:1:1:1:1:1 up", "<address> up"),
        ("link/ether 52:54:00:ab:cd:ef", "link/ether <address>"),
        ("io500_info_submitter='Alice Example'", "io500_info_submitter='<submitter>'"),
        ('"submitter": "Alice",', '"submitter": "<submitter>",'),
        ("password=hunter22", "password=<secret>"),
        ("HTTP_TOKEN: abcdef0123", "HTTP_TOKEN: <secret>"),
        ("export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI", "export AWS_SECRET_ACCESS_KEY=<secret>"),
        ("key AKIAABCDEFGHIJKLMNOP", "key <secret>"),
        ("t=ghp_" + "a1" * 18, "t=<secret>"),
        ("t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF", "t <secret>"),
        ("git clone https://alice:s3cret@git.example.org/x", "git clone https://<e-mail>/x"),
        ("Authorization: Token 0123456789abcdef", "Authorization: Token <secret>"),
        ("SLURM_JWT=abcdefgh.ijk", "SLURM_JWT=<secret>"),
        ("kernel rd.luks.key=/root/key.bin ro", "kernel rd.luks.key=<secret> ro"),
        ("ipmitool --password hunter22 sdr", "ipmitool --password <secret> sdr"),
        ("token hf_" + "aB3" * 11, "token <secret>"),
        ("UUID=6f1c8a52-0d3e-4b7a-9c55-0123456789ab /", "UUID=<guid> /"),
        ("port_guid: 0x506b4b0300f0a1b2", "port_guid: <guid>"),
        ("node GUID 506b:4b03:00f0:a1b2", "node GUID <guid>"),
        ("nid: 192246@kfi and 17@o2ib3", "nid: <address>@kfi and <address>@o2ib3"),
        ("ran on nid000417 and nid[000418-000426]", "ran on <host> and <host>"),
        ("served by oss17.site.no and oss18.site.at:/x", "served by <host> and <host>:/x"),
        ("ost3.hpc.example.ru, ost4.site.in", "<host>, <host>"),
        ("see oss17.site.gov.log and oss18.site.no.log", "see <host>.log and <host>.log"),
        ("mac 3cec.efab.cd12 port", "mac <address> port"),
        ("HWaddr 3c-ec-ef-ab-cd-12", "HWaddr <address>"),
        ("ether 3c:ec:ef:ab:cd:12 and :34", "ether <address> and :34"),
        ("gid fe80:0000:0000:0000:506b:4b03:00f0:a1b2", "gid <address>"),
        ("eui64 3c:ec:ef:ff:fe:ab:cd:12", "eui64 <address>"),
        ("wwn-0x5000c500a1b2c3d4-part1", "wwn-0x<guid>-part1"),
        ("WWN: 0x5000c500a1b2c3d4", "WWN: 0x<guid>"),
        ("naa.600508b1001c7d3a", "naa.<guid>"),
        ("nvme-eui.0025385b71b01234", "nvme-eui.<guid>"),
        ("/dev/disk/by-id/scsi-3600508b1001c7d3a", "/dev/disk/by-id/scsi-<guid>"),
        ("target iqn.2004-10.com.ubuntu:01:ab12cd34", "target <guid>"),
        ("nqn.2014-08.org.nvmexpress:uuid:host17", "<guid>"),
        ("smartctl serial ZA1FQ2BC99 passed", "smartctl serial <guid> passed"),
        ("sn        : S4YNNE0M800999", "sn        : <guid>"),
        (
            "uid=55231(kmuster42) gid=100(users) groups=100(users),4711(prj0099)",
            "uid=55231(<user>) gid=100(users) groups=100(users),4711(<user>)",
        ),
        ('"user": "kmuster42",', '"user": "<user>",'),
        ("owner: kmuster42", "owner: <user>"),
        ("alice@login3:~/io500$ ls", "<user>@<host>:~/io500$ ls"),
        ("scp alice@fjordhead:/x .", "scp <user>@<host>:/x ."),
        ("ssh carol@node17 hostname", "ssh <user>@<host> hostname"),
        ("cd ~carol/io500", "cd ~<user>/io500"),
        ("Default principal: carol@HPC", "Default principal: <user>"),
        ("for carol/admin@HPC.EXAMPLE.ORG", "for <user>"),
        ("host/node17.hpc.example@HPC.EXAMPLE", "<user>"),
        ("dn: uid=carol,ou=people,dc=hpc,dc=example", "dn: <user>"),
        ("subject /C=NO/O=Grid/CN=Carol Muster", "subject <user>"),
        ("#SBATCH --job-name=carols-run --comment=secretproject", "#SBATCH --job-name=<user> --comment=<user>"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "aB3" * 10 + " carol@node17", "<secret>"),
    ],
)
def test_names_places_and_keys_are_removed(line: str, expected: str) -> None:
    blanked = scrubbed(line)
    if line.startswith("git clone"):
        assert "s3cret" not in blanked
        assert "alice" not in blanked
    else:
        assert blanked == expected


@pytest.mark.parametrize(
    "line",
    [
        "[RESULT] BW   phase 1            ior_easy_write              119.867 GB/s : time 331.76 seconds",
        "[RESULT]       ior-easy-write       89.282156 GiB/s : time 304.512 seconds",
        "[SCORE ] Bandwidth 82.390241 GiB/s : IOPS 1186.689636 kiops : TOTAL 312.684578",
        "; START 2025-10-01 09:00:00",
        "version = io500-sc25-5-g1d83996d7f05",
        "Open MPI version 4.1.0.1",
        "mpi v4.1.0.1 and openmpi-4.1.0.1/bin and /opt/ompi/4.1.0.1/bin",
        "mdtest-4.1.0+dev was launched with 320 total task(s) on 10 node(s)",
        " -V                 22.00 (5.0.3.0)          File system version",
        "0:1:2:3:4:5:6:7 cores",
        "12:00:00",
        "t_start = 2025-10-01 09:00:00; 127.0.0.1; ::1; std::cout; a::b",
        "write,0,30.123456,30.1,1048576.5,1048577.25",
        "1.5,2.5,3.5,4.5",
        "cd $HOME/x; cd /home/$USER; cd ~/x; USER=$(whoami)",
        "HOSTNAME=$(hostname) password=$PASS token=",
        "/home/data/io500 /home/users/ /usr/local/bin",
        "mpirun ./mdtest -w 3901 -e 3901",
        "echo 999|mmchconfig fgdlTokenBatchAcquire=yes -N all",
        "172.16.254",
        "user@host",
        ' "submitter": 1,',
        "0@lo, nid1, nidhogg, --token-bucket 5000, tokens 400",
        "magic 0x0123456789abcdef",
        "stripes 0123:4567:89ab:cdef",
        "spack install openmpi@main hdf5@1.14.3 gcc@12 ^mpich@develop",
        "10.0.0.1@o2ib".replace("10.0.0.1", "0") + " peer@tcp lustre@o2ib4",
        "user: 12.5%, owner: root, login: yes and more",
        "write=1,read=2,ops=3",
        "#SBATCH --job-name=IO500",
        "-O lustre=1,stripe=4 -o /scratch/a=1/b=2",
        "2026-11-22-10-11-12 run 2026-11-22",
        "version 1234.5678.9012",
        "serial write, serial number generator, SN40",
        "test1.config.sh io500.result.py lat1.p99.ms job1.write.st",
        "host_words: bandwidth 5 MiB/s of ior-easy-write",
    ],
)
def test_values_versions_times_and_variables_are_kept(line: str) -> None:
    assert scrubbed(line) == line


def test_a_user_known_from_home_is_removed_from_scratch_paths() -> None:
    assert scrubbed("-o /scratch/alice/io500/alice.txt", "cd /home/alice") == "-o /scratch/<user>/io500/<user>.txt"
    assert scrubbed("-o /scratch/alice/io500") == "-o /scratch/alice/io500"


@pytest.mark.parametrize(
    "line",
    ['"run": "kmuster42"', "home_kmuster42/x", "kmuster42@host", "uid=1 kmuster42", "see kmuster42.", "kmuster42"],
)
def test_a_user_known_from_one_file_is_removed_from_all(line: str) -> None:
    assert "kmuster42" not in scrubbed(line, "cd /home/kmuster42/x")


def test_a_host_named_by_a_launcher_is_removed_from_all_files() -> None:
    assert scrubbed("rank 0 on fjordhead: ok", "mpirun -host a,fjordhead ./ior") == "rank 0 on <host>: ok"
    assert scrubbed("rank 0 on fjordhead", "alice@fjordhead:~$ ls") == "rank 0 on <host>"


@pytest.mark.parametrize("name", ["write", "ior", "stat", "mdtest", "client", "max", "results", "read", "mean"])
def test_names_equal_to_words_of_outputs_remove_no_results(name: str) -> None:
    line = f"{name} 119.867 GB/s : time 331.76 seconds, Max {name}: 5"
    assert scrubbed(line, f"cd /home/{name}/x", f"mpirun -host {name} ./ior", f"[{name}@{name} ~]$ ls") == line


def test_a_known_node_name_reveals_similar_names() -> None:
    line = "task 3 on node17-ib0, task 4 on node18-ib0, on switch9.cluster.example.org, phase ior-easy2"
    expected = "task 3 on <host>, task 4 on <host>, on <host>, phase ior-easy2"
    assert scrubbed(line, "Machine : Linux node17-ib0.cluster.example.org") == expected
    assert scrubbed("rank 5 on hpc-be007", "srun -w hpc-be[001-004] x") == "rank 5 on <host>"


def test_hosts_named_like_releases_or_devices_remove_no_results() -> None:
    names = ["Machine : Linux sc01", "Machine : Linux nvme1", "Machine : Linux io500"]
    assert scrubbed("version io500-sc25, nvme0n1, sc25, io500", *names) == "version io500-sc25, nvme0n1, sc25, io500"


def test_given_names_are_removed_everywhere() -> None:
    names = personal.Names()
    names.give({"mkovacs", "root", "io"}, {"frontier", "login7.hpc.example.org"})
    line = "mkovacs ran io500 on frontier from login7 as root, see login8.hpc.example.org and frontier-x"
    expected = "<user> ran io500 on <host> from <host> as root, see <host> and <host>-x"
    assert personal.scrub_line(line, names, Counter()) == expected


def test_a_private_key_is_removed_from_begin_to_end() -> None:
    lines = ["a", "-----BEGIN RSA PRIVATE KEY-----", "MIIE", "abc", "-----END RSA PRIVATE KEY-----", "b"]
    counts: Counter[str] = Counter()
    scrubbed_lines = list(personal.scrub_lines("id_rsa", lines, personal.Names(), counts))
    assert scrubbed_lines == ["a", "<secret>", "<secret>", "<secret>", "<secret>", "b"]
    assert counts["secret"] == 1


def test_a_dumped_environment_keeps_what_a_benchmark_needs() -> None:
    lines = [
        "IOR-3.0",
        "SHELL=/bin/bash",
        "HOME=/home/alice",
        "OMP_NUM_THREADS=4",
        "PROJECT_X=very private",
        "PATH=/usr/bin",
        "BASH_FUNC_module%%=() {  eval",
        "    private text",
        "}",
        "UCX_TLS=rc",
        "done",
    ]
    scrubbed_lines = list(personal.scrub_lines("ior.txt", lines, personal.Names(), Counter()))
    removed = "<removed>"
    assert scrubbed_lines == [
        "IOR-3.0",
        *[removed] * 2,
        "OMP_NUM_THREADS=4",
        *[removed] * 5,
        "UCX_TLS=rc",
        "done",
    ]


def test_settings_of_a_script_are_not_an_environment_dump() -> None:
    lines = ["io500_a=1", "io500_b=2", "PATH=/x:$PATH", "N=4", "M=5", "K=6"]
    assert list(personal.scrub_lines("io500.sh", lines, personal.Names(), Counter())) == lines


def test_a_host_file_lists_hosts_only(tmp_path: Path) -> None:
    bundle = packed(
        tmp_path / "b.tgz", {"hostfile.10": b"login:4\ncn02 slots=8\n# comment here\n", "notes": b"cn03 ran\n"}
    )
    _, files = derived(bundle)
    assert files == {"hostfile.10": b"<host>:4\n<host> slots=8\n# comment here\n", "notes": b"<host> ran\n"}


def test_the_copy_lists_files_and_changes(tmp_path: Path) -> None:
    bundle = packed(
        tmp_path / "b.tgz",
        {
            "home/alice/mail-alice@example.org.txt": b"cd /home/alice\r\nalice@example.org\r\n",
            "result.txt": b"[run]\nresult-dir = /home/alice/out\nversion = 1\n",
            "plain.txt": "größe 1.5\n".encode("latin-1"),
        },
    )
    derivative, files = derived(bundle)
    assert files["result.txt"] == b"[run]\nresult-dir = /home/<user>/out\nversion = 1\n"
    assert files["home/user/e-mail"] == b"cd /home/<user>\r\n<e-mail>\r\n"
    assert files["plain.txt"] == "größe 1.5\n".encode("latin-1")
    assert {entry["rule"]: (entry["count"], entry["files"]) for entry in derivative.report} == {
        "e-mail": (2, 1),
        "user": (3, 2),
        "hashed-file": (1, 1),
    }
    assert {file.path: file.scrubbed for file in derivative.files} == {
        "home/user/e-mail": ["e-mail", "user"],
        "plain.txt": [],
        "result.txt": ["hashed-file", "user"],
    }
    for file in derivative.files:
        assert (file.size, file.sha256) == (len(files[file.path]), hashlib.sha256(files[file.path]).hexdigest())


def test_two_files_with_one_scrubbed_name_are_both_kept(tmp_path: Path) -> None:
    bundle = packed(tmp_path / "b.tgz", {"home/alice/x": b"1\n", "home/bobby/x": b"2\n"})
    _, files = derived(bundle)
    assert sorted(files.values()) == [b"1\n", b"2\n"]
    assert sorted(files) == ["home/user/x", "home/user/x-2"]


def test_the_same_files_give_the_same_copy_whatever_their_order_times_and_packing(tmp_path: Path) -> None:
    files = make_run()
    first = packed(tmp_path / "a.tgz", files)
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for name, content in reversed(files.items()):
            archive.writestr(name, content)
    tar_copy, two = io.BytesIO(), io.BytesIO()
    derived = bundles_scrubbing.derive_copy(first, tar_copy)
    assert bundles_scrubbing.derive_copy(tmp_path / "b.zip", two).sha256 == derived.sha256
    assert tar_copy.getvalue() == two.getvalue()
    assert (derived.sha256, derived.size) == (hashlib.sha256(tar_copy.getvalue()).hexdigest(), len(tar_copy.getvalue()))
    with tarfile.open(fileobj=io.BytesIO(tar_copy.getvalue())) as archive:
        headers = [(member.mtime, member.uid, member.uname, member.mode) for member in archive]
    assert set(headers) == {(0, 0, "", 0o644)}


def test_binary_files_are_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles_scrubbing, "FILE_LIMIT", 1024 * 1024)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.txt", "inside\n")
    bundle = packed(
        tmp_path / "b.tgz",
        {
            "._x": b"\0apple",
            ".run.sh.swp": b"b0VIM",
            "binary": b"\x7fELF\0\0",
            "control": bytes(range(1, 32)) * 4,
            "inner.zip": inner.getvalue(),
            "kept.txt": b"1 2 3\n",
            "large.txt": b"1\n" * 600_000,
            "long.txt": b"x" * 600_000,
        },
    )
    derivative, files = derived(bundle)
    assert {entry["path"]: entry["reason"] for entry in derivative.left_out} == {
        "._x": "litter",
        ".run.sh.swp": "litter",
        "binary": "binary",
        "control": "binary",
        "inner.zip": "archive",
        "large.txt": "too-large",
        "long.txt": "line-too-long",
    }
    assert files == {"inner.zip/a.txt": b"inside\n", "kept.txt": b"1 2 3\n"}


def test_the_largest_files_are_left_out_beyond_the_text_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles_scrubbing, "TEXT_LIMIT", 100)
    derivative, files = derived(packed(tmp_path / "b.tgz", {"a": b"1\n" * 100, "b": b"1\n" * 10, "c": b"2\n" * 20}))
    assert set(files) == {"b", "c"}
    assert derivative.left_out == [{"path": "a", "reason": "too-much"}]


def test_a_run_scores_the_same_from_its_copy(tmp_path: Path) -> None:
    original = make_archive(tmp_path / "run.tar.gz")
    copy = tmp_path / "copy.tar.gz"
    with copy.open("wb") as out:
        bundles_scrubbing.derive_copy(original, out)
    assert check(copy).as_json() == check(original).as_json()


HOSTILE = (
    "a" * 500_000,
    "a@" * 250_000,
    "a.b" * 160_000 + "@",
    "/home/" * 80_000,
    "1.1.1." * 80_000,
    "::" * 250_000,
    "eyJaaaaaaaa." * 40_000,
    "-eyJ" * 120_000,
    "passwordtoken" * 38_000,
    "submitter=a" + " " * 480_000 + "a",
    "Machine" + " " * 480_000 + ":",
    "mpirun" + " -H" * 160_000,
    "http://" * 70_000 + "@",
    'HOSTNAME="' * 50_000,
    "1 " * 250_000 + "x",
    "a1-" * 160_000,
    "a=" * 250_000,
    "node1." * 80_000,
)


def test_twenty_megabytes_of_hostile_lines_are_scrubbed(every_nth) -> None:
    """A rule that reads a line again from each of its places takes hours: the test runner ends that.

    Twenty in a deep run; in others each line is there once.
    """
    copies = every_nth(range(1 + 20_000_000 // sum(map(len, HOSTILE))), 3)
    lines = [line for line in HOSTILE for _ in copies]
    assert sum(map(len, lines)) > 20_000_000 / 3
    names = personal.Names()
    names.learn("hostfile", ["Machine : Linux node1.example.org", *lines])
    scrubbed_lines = list(personal.scrub_lines("hostfile", lines, names, Counter()))
    assert len(scrubbed_lines) == len(lines)


def test_every_rule_and_reason_is_documented() -> None:
    text = (DOCS / "scrubbed-copies.md").read_text(encoding="utf-8")
    codes = [*personal.CODES, "hashed-file", *bundles_scrubbing.LEFT_OUT]
    assert [code for code in codes if f"`{code}`" not in text] == []


def figures(path: Path) -> list[tuple[object, object]]:
    """Scores and measurements of every run."""
    report = check(path, limits=bundles_scrubbing.COPY_LIMITS).as_json()
    return [(run["scores"], run["measurements"]) for run in report["runs"]]


def e_mails(text: bytes) -> list[bytes]:
    return [address for line in text.split(b"\n") if b"@" in line for address in E_MAIL.findall(line)]


def test_published_archives_keep_every_figure_and_lose_every_e_mail_address(published_archives, tmp_path, request):
    copy, applied, with_address = tmp_path / "copy.tar.gz", Counter(), 0
    for original in published_archives:
        with copy.open("wb") as out:
            derivative = bundles_scrubbing.derive_copy(original, out)
        applied.update({entry["rule"]: entry["count"] for entry in derivative.report})
        assert figures(copy) == figures(original), original.name
        with tarfile.open(copy) as archive:
            texts = [archive.extractfile(member).read() for member in archive]
        assert [address for text in texts for address in e_mails(text)] == [], original.name
        with tarfile.open(original) as archive:
            with_address += any(e_mails(archive.extractfile(file).read()) for file in archive if file.isfile())
    assert with_address > len(published_archives) / 15
    unused = {code for code in ("user", "host", "address", "e-mail", "submitter") if not applied[code]}
    assert len(unused) <= (0 if request.config.option.deep else 1), unused  # some are rare


def test_scrubbing_again_changes_nothing() -> None:
    lines = [
        "Machine : Linux m-01234567",
        "mpirun -H m-01234567,m-89abcdef:8 ./ior",
        'HOSTNAME="m-01234567" SLURM_JOB_NODELIST=<host>',
        "rank 1 on m-01234567 from <address>, cd /home/<user>/x, USER=<user>",
        "[<user>@<host> ~]$ <e-mail>",
    ]
    names, counts = personal.Names(), Counter()
    names.learn("log.txt", lines)
    assert list(personal.scrub_lines("log.txt", lines, names, counts)) == lines
    assert counts.total() == 0
