"""What leaves a site: text without names and keys, a report of what was taken out, and no key of any pseudonym."""

import bz2
import gzip
import hashlib
import hmac
import io
import json
import lzma
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import zipfile

import pytest

from collectors.privacy import pseudonyms
from submissions.bundles import scrubbing
from tests.collectors.bundle.test_pack import contents, packed_results
from tests.collectors.planted import PLANTED
from tests.unpacking import extract
from validators.checks import check

DOCUMENT = {
    "schema_version": "1",
    "collector": {"name": "highwater", "version": "0.1", "redaction_profile": "default"},
    "captures": [{"id": "static", "phase": "static", "started": "2025-10-01T08:59:00Z"}],
    "node_classes": [
        {
            "class_id": "00112233445566aa",
            "role": ["client"],
            "count": 2,
            "source": "collected",
            "members": ["m-00000001", "m-00000002"],
            "hardware": {"cpu": {}, "memory": {}},
            "os": {"kernel": None},
            "outliers": [
                {"member": "m-00000002", "pointer": "/os/kernel", "value": "a", "majority": "b"},
                {"member": "m-00000002", "pointer": "/hardware/cpu", "value": "c", "majority": "d"},
            ],
        }
    ],
}
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAA\nQyNTUxOQAAACB\n-----END OPENSSH PRIVATE KEY-----\n"
RESULT = "[RESULT]       ior-easy-write       89.282156 GiB/s : time 304.512 seconds"


@pytest.fixture
def telling(tmp_path, collector):
    """Results whose every file tells too much; a site whose own user and host have names of their own."""
    folder = tmp_path / "run-1"
    folder.mkdir()
    lines = [line for line, _secret in PLANTED]
    (folder / "result_summary.txt").write_text("\n".join([RESULT, *lines, ""]))
    (folder / "key.txt").write_text(KEY)
    (folder / "env.txt").write_text(
        "PATH=/bin\nHOME=/root\nSHELL=/bin/sh\nUSER=kovacs\nPROJECT=very-private\nOMP_NUM_THREADS=4\nTERM=vt100\n"
    )
    (folder / "note-of-jnovak.txt").write_text("jnovak ran this on loginhost\n")
    (folder / "._result.txt").write_text("apple")
    (folder / ".DS_Store").write_bytes(b"\0")
    collector.environ.update(USER="jnovak", HOSTNAME="loginhost", SECRET_TOKEN="environment1")
    return folder


def pack(collector, folder, out, *arguments):
    done = collector("pack", "--results", folder, "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    return done


def report_of(bundle):
    return json.loads(contents(bundle)["highwater-bundle/data/redaction-report.json"])


SECRETS = [secret for _line, secret in PLANTED] + ["b3BlbnNz", "very-private", "jnovak", "loginhost", "environment1"]


def stands_in(secret, text):
    """Whether a secret is in a text; a short one as a word, since digests hold any three letters."""
    if len(secret) > 5:
        return secret in text
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(secret)}(?![0-9A-Za-z])", text) is not None


@pytest.mark.parametrize("profile", ["default", "strict"])
def test_no_planted_name_and_no_key_is_in_bundle_or_output(
    oldest_and_this_python, collector, telling, tmp_path, profile
):
    arguments = ["pack", "--results", telling, "--profile", profile]
    done = collector(*arguments, "--out", tmp_path / "b.tgz", python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    dry = collector(*arguments, "--dry-run", "--text", python=oldest_and_this_python)
    everything = done.stdout + done.stderr + dry.stdout + dry.stderr
    for name, content in contents(tmp_path / "b.tgz").items():
        everything += name + content.decode()
    everything = everything.replace(str(tmp_path), "")
    assert [secret for secret in SECRETS if stands_in(secret, everything)] == []
    assert RESULT in packed_results(tmp_path / "b.tgz")["run-1/result_summary.txt"].decode().splitlines()


def test_full_consent_keeps_names_and_takes_keys_out(collector, telling, tmp_path):
    pack(collector, telling, tmp_path / "b.tgz", "--profile", "full-consent")
    text = b"".join(packed_results(tmp_path / "b.tgz").values()).decode()
    site_names = ["cn0417", "10.42.7.19", "jnovak ran this on loginhost", "/home/kovacs/io500"]
    assert [name for name in site_names if name not in text] == []
    gone = ["hunter22", "s3cr3t", "wJalrXUtnFEMI", "AKIAQWERTYUIOPASDFGH", "b3BlbnNz", "very-private", "ipmiipmi1"]
    assert [secret for secret in gone if secret in text] == []


def test_files_that_desktops_write_are_not_packed(collector, telling, tmp_path):
    done = pack(collector, telling, tmp_path / "b.tgz")
    assert {name.rpartition("/")[2] for name in contents(tmp_path / "b.tgz")}.isdisjoint({"._result.txt", ".DS_Store"})
    assert "left out, litter: run-1/.DS_Store" in done.stderr


def test_a_host_is_the_same_pseudonym_everywhere_and_nobody_can_compute_it(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("Machine : Linux cn0417\nrank 1 on cn0417, rank 2 on cn0418\n")
    (folder / "b.txt").write_text("mpirun -H cn0417,cn0418:8 ./ior\n")
    pack(collector, folder, tmp_path / "b.tgz")
    results = packed_results(tmp_path / "b.tgz")
    key = bytes.fromhex((collector.home / ".config/highwater/pseudonyms.key").read_text())
    first, second = ("m-" + hmac.new(key, name, hashlib.sha256).hexdigest()[:8] for name in (b"cn0417", b"cn0418"))
    assert results["r/a.txt"].decode() == f"Machine : Linux {first}\nrank 1 on {first}, rank 2 on {second}\n"
    assert results["r/b.txt"].decode() == f"mpirun -H {first},{second}:8 ./ior\n"
    assert len(key) == 32


def test_key_and_map_stay_at_the_site_for_their_owner_alone(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("Machine : Linux cn0417\n")
    pack(collector, folder, tmp_path / "b.tgz")
    site = collector.home / ".config/highwater"
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in site.iterdir()} == {
        "pseudonyms.key": 0o600,
        "pseudonyms.json": 0o600,
    }
    assert list(json.loads((site / "pseudonyms.json").read_text()).values()) == ["cn0417"]
    content = b"".join(contents(tmp_path / "b.tgz").values())
    assert (site / "pseudonyms.key").read_bytes().strip() not in content


def test_another_site_has_other_pseudonyms(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("Machine : Linux cn0417\n")
    pack(collector, folder, tmp_path / "one.tgz")
    (collector.home / ".config/highwater/pseudonyms.key").write_text("00" * 32)
    pack(collector, folder, tmp_path / "two.tgz")
    assert packed_results(tmp_path / "one.tgz") != packed_results(tmp_path / "two.tgz")


def test_an_unwritable_home_is_reported_and_packing_continues(collector, telling, tmp_path):
    (collector.home / ".config").write_text("in the way")
    done = pack(collector, telling, tmp_path / "b.tgz")
    assert "no key for pseudonyms can be kept" in done.stderr


def test_the_report_counts_by_rule_and_names_each_changed_file(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    before = b"resultdir = /home/kovacs/out\ndatadir = /home/kovacs/data\nhost 10.0.0.1 up\n"
    (folder / "config.ini").write_bytes(before)
    (folder / "plain.txt").write_text("1.5 GiB/s\n")
    (folder / "core").write_bytes(b"\x7fELF\0")
    pack(collector, folder, tmp_path / "b.tgz")
    after = packed_results(tmp_path / "b.tgz")["r/config.ini"]
    key = bytes.fromhex((collector.home / ".config/highwater/pseudonyms.key").read_text())
    report = report_of(tmp_path / "b.tgz")
    assert report["removed"] == {"address": 1, "user": 2}
    assert report["left_out"] == [{"path": "r/core", "reason": "binary"}]
    assert report["files"] == [
        {
            "path": "data/results/r/config.ini",
            "removed": {"address": 1, "user": 2},
            "hmac_sha256_before": hmac.new(key, before, hashlib.sha256).hexdigest(),
            "sha256_after": hashlib.sha256(after).hexdigest(),
        }
    ]
    assert after.startswith(b"resultdir = /home/<user>/out\ndatadir = /home/<user>/data\nhost m-")


@pytest.mark.parametrize("content", [b"", b"\n", b"a", b"a\n", b"a\n\nb", b"\xff\xfe caf\xe9\r\nx\r\n", b"\n\n\n"])
def test_bytes_without_names_or_keys_are_unchanged(collector, tmp_path, content):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_bytes(content)
    pack(collector, folder, tmp_path / "b.tgz")
    assert packed_results(tmp_path / "b.tgz") == {"r/a.txt": content}


def test_an_archive_among_the_results_is_opened_and_scrubbed(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        for name, content in (("./log/a.txt", b"cd /home/kovacs\n"), ("../out.txt", b"outside")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with zipfile.ZipFile(folder / "logs.zip", "w") as archive:
        archive.writestr("inner.tgz", inner.getvalue())
    (folder / "broken.zip").write_bytes(b"PK\x03\x04" + b"\0" * 40)
    pack(collector, folder, tmp_path / "b.tgz", "--profile", "strict")
    assert packed_results(tmp_path / "b.tgz") == {"r/logs.zip/inner.tgz/log/a.txt": b"cd /home/<user>\n"}
    reasons = {entry["path"]: entry["reason"] for entry in report_of(tmp_path / "b.tgz")["left_out"]}
    assert reasons == {"r/logs.zip": "archive", "r/logs.zip/inner.tgz": "archive", "r/broken.zip": "binary"}


def test_a_bomb_among_the_results_is_refused(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    archive = zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("zeros", "w", force_zip64=True) as member:
        for _ in range(1025):
            member.write(bytes(1024 * 1024))
    done = collector("pack", "--results", folder, "--out", tmp_path / "b.tgz")
    assert done.returncode == 1
    assert "bundle.unpacked-too-large" in done.stderr


@pytest.fixture
def plain(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.txt").write_text("1\n")
    return folder


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def server(role, class_id="ffeeddccbbaa0099", **fields):
    node_class = dict(
        DOCUMENT["node_classes"][0], class_id=class_id, role=[role], members=["m-" + class_id[:8]], **fields
    )
    del node_class["outliers"]
    return dict(DOCUMENT, node_classes=[node_class])


def test_the_system_document_travels_in_canonical_form(collector, plain, tmp_path):
    system = write(tmp_path / "system.json", DOCUMENT)
    pack(collector, plain, tmp_path / "b.tgz", "--system", system)
    text = contents(tmp_path / "b.tgz")["highwater-bundle/data/system.json"].decode()
    assert text == json.dumps(DOCUMENT, sort_keys=True, separators=(",", ":")) + "\n"


def test_documents_of_servers_join_the_clients(collector, plain, tmp_path):
    system = write(tmp_path / "system.json", DOCUMENT)
    oss = write(tmp_path / "oss.json", server("oss"))
    mds = write(tmp_path / "mds.json", server("mds", "0123456789abcdef"))
    pack(collector, plain, tmp_path / "mds.tgz", "--system", mds)
    pack(collector, plain, tmp_path / "b.tgz", "--system", system, "--with", oss, "--with", tmp_path / "mds.tgz")
    document = json.loads(contents(tmp_path / "b.tgz")["highwater-bundle/data/system.json"])
    assert [node_class["role"] for node_class in document["node_classes"]] == [["client"], ["oss"], ["mds"]]
    assert [capture["id"] for capture in document["captures"]] == ["static", "static-2", "static-3"]


@pytest.mark.parametrize(
    "other",
    [
        DOCUMENT,
        server("oss", DOCUMENT["node_classes"][0]["class_id"]),
        dict(server("oss"), node_classes=[dict(server("oss")["node_classes"][0], members=["m-00000001"])]),
    ],
)
def test_conflicting_descriptions_are_refused(collector, plain, tmp_path, other):
    system, other = write(tmp_path / "system.json", DOCUMENT), write(tmp_path / "other.json", other)
    done = collector("pack", "--results", plain, "--system", system, "--with", other, "--out", tmp_path / "b.tgz")
    assert done.returncode == 1
    assert "collector.with" in done.stderr
    assert not (tmp_path / "b.tgz").exists()


def test_the_strict_profile_gives_the_number_of_nodes_without_their_names(collector, plain, tmp_path):
    system = write(tmp_path / "s.json", dict(DOCUMENT, site={"institution": "Example"}, system={"name": "scratch"}))
    pack(collector, plain, tmp_path / "b.tgz", "--system", system, "--profile", "strict")
    document = json.loads(contents(tmp_path / "b.tgz")["highwater-bundle/data/system.json"])
    (node_class,) = document["node_classes"]
    assert "members" not in node_class
    assert node_class["count"] == 2
    assert [outlier["member"] for outlier in node_class["outliers"]] == ["node-1", "node-1"]
    assert {"site", "system"}.isdisjoint(document)
    assert document["collector"]["redaction_profile"] == "strict"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"schema_version": "1"}, "system.schema"),
        ("no document", "system.schema"),
        (dict(DOCUMENT, site={"institution": "password=hunter22"}), "bundle.secret"),
        (dict(DOCUMENT, site={"institution": "AKIAQWERTYUIOPASDFGH"}), "bundle.secret"),
    ],
)
def test_an_invalid_document_is_not_packed_and_not_printed(collector, plain, tmp_path, document, code):
    system = write(tmp_path / "system.json", document)
    done = collector("pack", "--results", plain, "--system", system, "--out", tmp_path / "b.tgz")
    assert done.returncode == 1
    assert code in done.stderr
    assert "hunter22" not in done.stderr + done.stdout
    assert not (tmp_path / "b.tgz").exists()


def test_a_dry_run_shows_the_bytes_that_would_be_packed(collector, telling, tmp_path):
    system = write(tmp_path / "system.json", DOCUMENT)
    pack(collector, telling, tmp_path / "b.tgz", "--system", system)
    dry = collector("pack", "--results", telling, "--system", system, "--dry-run", "--text")
    expected = {
        f"{len(content):>12} {hashlib.sha256(content).hexdigest()} {name}"
        for name, content in contents(tmp_path / "b.tgz").items()
    }
    assert {line for line in dry.stdout.splitlines() if "highwater-bundle/" in line} == expected
    assert "taken out by rule user: " in dry.stdout
    assert '"class_id": "00112233445566aa"' in dry.stdout


def test_canaries_of_whole_nodes_are_not_packed(collector, shared, tmp_path):
    """The strings planted in the fake nodes, as a dumped environment, a command line and a log would print them."""
    roots = sorted((shared / "data/collector/fakeroots").glob("*.tar.gz"))
    canaries = set()
    for root in roots:
        with tarfile.open(root) as archive:
            for member in archive:
                if member.name.endswith("canaries.json"):
                    canaries.update(json.load(archive.extractfile(member)))
    assert len(canaries) >= 30
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "job.out").write_text(
        "".join(
            f"password={canary}\nX_TOKEN: {canary}\nrd.luks.key={canary}\n--password {canary}\n" for canary in canaries
        )
        + "PATH=/bin\nHOME=/root\nSHELL=/bin/sh\nUSER=x\nTERM=vt\n"
        + "".join(f"PLANTED_{number}={canary}\n" for number, canary in enumerate(sorted(canaries)))
    )
    (folder / "hostfile").write_text("".join(f"{canary}\n" for canary in canaries if "HOST" in canary))
    (folder / "paths.txt").write_text("".join(f"cd /home/{canary}/x\n" for canary in canaries))
    done = pack(collector, folder, tmp_path / "b.tgz")
    leaves = b"".join(contents(tmp_path / "b.tgz").values()).decode() + done.stdout + done.stderr
    assert [canary for canary in canaries if canary in leaves] == []


def test_the_name_of_this_machine_is_not_packed(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text(f"task on {socket.gethostname()} by {os.environ.get('USER', 'somebody')}\n")
    pack(collector, folder, tmp_path / "b.tgz")
    if len(socket.gethostname()) < 3:
        pytest.skip("this machine's name tells nothing")
    assert socket.gethostname() not in packed_results(tmp_path / "b.tgz")["r/a.txt"].decode()


def judged(path):
    """What a check says of the runs in a folder or bundle, hashes and litter left out."""
    report = check(path).as_json()
    runs = [
        (run["scores"], run["measurements"], run["version"], run["mode"], sorted(run["parameters"]), verdicts(run))
        for run in report["runs"]
    ]
    return report["primary"], runs, codes(report), [codes(run) for run in report["runs"]]


def verdicts(run):
    return [(rule["code"], rule["outcome"]) for rule in run["rules"] if rule["code"] != "io500.hashes"]


def codes(part):
    finding_codes = sorted(finding["code"] for finding in part["findings"])
    return [code for code in finding_codes if code not in ("io500.hash.redacted", "bundle.litter")]


def test_published_archives_get_the_same_report_after_packing(collector, published_archives, every_nth, tmp_path):
    """Some of them: scores, measurements, findings and rules are those of the original."""
    archives = every_nth(published_archives, 5)
    assert len(archives) > 5
    redacted = 0
    for number, original in enumerate(archives):
        folder = tmp_path / str(number) / "r"
        folder.mkdir(parents=True)
        with tarfile.open(original) as archive:
            extract(archive, folder, filter="data")
        pack(collector, folder, tmp_path / f"{number}.tgz")
        assert judged(tmp_path / f"{number}.tgz") == judged(folder), original.name
        redacted += bool(report_of(tmp_path / f"{number}.tgz")["removed"])
    assert redacted > len(archives) / 2


def test_the_scrubbed_copy_of_a_bundle_is_a_complete_bag(collector, telling, tmp_path):
    """What the site took out, the registry's own scrubbing does not find again."""
    pack(collector, telling, tmp_path / "b.tgz")
    with (tmp_path / "copy.tgz").open("wb") as copy:
        scrubbing.derive_copy(tmp_path / "b.tgz", copy)
    assert contents(tmp_path / "copy.tgz") == contents(tmp_path / "b.tgz")


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
@pytest.mark.parametrize("arguments", [["pack", "--results", "R", "--out", "b.tgz"], ["validate", "R"]])
def test_no_connection_is_made_and_nothing_is_written_elsewhere(collector, telling, tmp_path, arguments):
    trace = tmp_path / "trace"
    (collector.home / ".config").mkdir()
    command_arguments = [str(telling) if word == "R" else word for word in arguments]
    command = ["strace", "-f", "-qq", "-e", "trace=connect,openat,rename,unlink,mkdir", "-o", trace]
    done = subprocess.run(
        [*command, sys.executable, "-B", "-m", "collectors", *command_arguments],
        cwd=collector.cwd,
        env={name: value for name, value in collector.environ.items() if name not in ("USER", "LOGNAME")},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    calls = trace.read_text().splitlines()
    assert [call for call in calls if "connect(" in call] == []
    written = [call for call in calls if "O_WRONLY" in call or "O_RDWR" in call]
    allowed = (str(collector.cwd), str(collector.scratch), str(collector.home / ".config/highwater"), "/dev/null")
    assert [call for call in written if not any(f'"{folder}' in call for folder in allowed)] == []


def gpfs_names(folder):
    """Node names in real outputs of Storage Scale, read here by their columns and brackets."""
    names = set()
    for path in sorted(folder.glob("mmls*/io500-*.txt")):
        for line in path.read_text(errors="replace").splitlines():
            words = line.split()
            if path.parent.name == "mmlscluster" and len(words) > 3 and words[0].isdigit() and words[2].count(".") == 3:
                names |= {words[1], words[3], words[2]}
            if path.parent.name == "mmlsconfig" and re.fullmatch(r"\[[\w.,-]+\]", line):
                names |= {name for name in line[1:-1].split(",") if re.search(r"\d", name)}
            if path.parent.name == "mmlsconfig" and line.startswith("clusterName "):
                names.add(words[1])
    return names


def test_no_node_name_of_real_storage_scale_clusters_is_packed(collector, shared, tmp_path):
    samples = shared / "data" / "collector" / "samples"
    names = gpfs_names(samples)
    assert len(names) > 300
    folder = tmp_path / "r"
    for kind in ("mmlscluster", "mmlsconfig"):
        (folder / kind).mkdir(parents=True)
        for path in (samples / kind).glob("io500-*.txt"):
            shutil.copy(path, folder / kind)
    pack(collector, folder, tmp_path / "b.tgz")
    words = set(re.findall(r"[\w.-]+", b"\n".join(packed_results(tmp_path / "b.tgz").values()).decode()))
    assert sorted(names & words) == []
    assert {"nsdRAIDTracks", "pagepool", "quorum-manager-perfmon"} <= words


def test_node_names_of_each_mmlsconfig_are_removed(collector, shared, tmp_path):
    samples = sorted((shared / "data" / "collector" / "samples" / "mmlsconfig").glob("io500-*.txt"))
    assert len(samples) >= 5
    for number, path in enumerate(samples):
        folder = tmp_path / str(number) / "mmlsconfig"
        folder.mkdir(parents=True)
        shutil.copy(path, folder)
        names = gpfs_names(folder.parent)
        pack(collector, folder, tmp_path / f"{number}.tgz", "--profile", "strict")
        words = set(re.findall(r"[\w.-]+", b"\n".join(packed_results(tmp_path / f"{number}.tgz").values()).decode()))
        assert sorted(names & words) == [], path.name


def test_the_key_of_the_first_of_two_concurrent_commands_is_kept(tmp_path):
    pseudonyms.write_private(str(tmp_path / "s" / "key"), b"first", replace=False)
    pseudonyms.write_private(str(tmp_path / "s" / "key"), b"second", replace=False)
    assert (tmp_path / "s" / "key").read_bytes() == b"first"
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["key"]


@pytest.mark.parametrize("content", ["", "not hexadecimal", "0"])
def test_an_invalid_key_file_is_reported_and_not_overwritten(collector, telling, tmp_path, content):
    collector.write_config("")
    path = collector.home / ".config/highwater/pseudonyms.key"
    path.write_text(content)
    done = pack(collector, telling, tmp_path / "b.tgz")
    assert "the key file there is no key" in done.stderr
    assert path.read_text() == content


@pytest.mark.parametrize("profile", ["default", "full-consent"])
@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)])
def test_a_log_that_was_packed_alone_is_opened_and_scrubbed(collector, tmp_path, profile, suffix, opened):
    folder = tmp_path / "r"
    folder.mkdir()
    with opened(folder / ("job.log" + suffix), "wb") as stream:
        stream.write(b"mysql -u x -phunter22\n1.5 GiB/s\n")
    pack(collector, folder, tmp_path / "b.tgz", "--profile", profile)
    assert packed_results(tmp_path / "b.tgz") == {"r/job.log": b"mysql -u x -p<secret>\n1.5 GiB/s\n"}
    assert report_of(tmp_path / "b.tgz")["left_out"] == [{"path": "r/job.log" + suffix, "reason": "archive"}]


def test_a_truncated_compressed_log_is_not_packed(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("1\n")
    (folder / "job.log.gz").write_bytes(gzip.compress(os.urandom(4000))[:2000])
    pack(collector, folder, tmp_path / "b.tgz")
    assert set(packed_results(tmp_path / "b.tgz")) == {"r/a.txt"}
    assert report_of(tmp_path / "b.tgz")["left_out"] == [{"path": "r/job.log.gz", "reason": "binary"}]
