"""Uploading: the bytes arrive once, whatever happens on the way, and the user sees what the registry found."""

import contextlib
import hashlib
import io
import json
import os
import shutil
import signal
import socket
import socketserver
import ssl
import subprocess
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from tests.collectors import registry_peer

SHORT_STONEWALL = {
    "code": "io500.stonewall.short",
    "level": "error",
    "message": "The stonewall was 120 s.",
    "hint": "Run again with 300 s.",
    "where": "results/result.txt:14",
    "expected": "300 s",
    "actual": "120 s",
}
OLD_VERSION = {"code": "io500.version.old", "level": "warning", "message": "An old version.", "hint": ""}
REMARK = {"code": "io500.remark", "level": "info", "message": "A remark.", "hint": ""}


def posts(peer):
    return [received for received in peer.received if received.method == "POST"]


def test_upload_sends_a_folder_and_waits_for_its_check(every_python, alice, peer, results):
    peer.states = ["received", "processing", "checked"]
    peer.facts["scores"] = {"SCORE": {"value": 12.5, "bandwidth_gib_per_s": 2.5, "rate_kiops": 62.5}}
    done = alice("upload", results, python=every_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "score   SCORE 12.5 (2.5 GiB/s, 62.5 kIOPS)",
        "state   checked  (submission 1)",
        "url     /submissions/1/",
    ]
    (sent,) = posts(peer)
    bundle = sent.part("bundle")
    assert sent.part("sha256").decode() == hashlib.sha256(bundle).hexdigest()
    assert sent.headers["Authorization"] == "Token alice-token"
    for line in ("state: received", "state: processing", "state: checked"):
        assert line in done.stderr


def test_the_uploaded_archive_holds_the_folder(alice, peer, results, tmp_path):
    alice("upload", results)
    (tmp_path / "sent.tar.gz").write_bytes(posts(peer)[0].part("bundle"))
    with tarfile.open(tmp_path / "sent.tar.gz") as archive:
        sent = {entry.name: archive.extractfile(entry).read() for entry in archive}
    assert sent == {str(p.relative_to(results.parent)): p.read_bytes() for p in results.rglob("*") if p.is_file()}


def test_the_packed_bundle_is_sent_for_a_folder_of_reproduce(every_python, alice, peer, results, tmp_path):
    with tarfile.open(tmp_path / "packed.tar.gz", "w:gz") as archive:
        archive.add(results, "run")
    packed = (tmp_path / "packed.tar.gz").read_bytes()
    (results / "repetition.tar.gz").write_bytes(packed)
    alice("upload", results, python=every_python)
    assert posts(peer)[-1].part("bundle") != packed, "it is no folder of reproduce"
    (results / "original.json").write_text("{}")
    done = alice("upload", results, "--reproduces", "hw-1", python=every_python)
    assert done.returncode == 0, done.stderr
    assert posts(peer)[-1].part("bundle") == packed
    assert "sending repetition.tar.gz" in done.stderr


def test_a_folder_of_reproduce_that_its_job_did_not_pack_is_sent_as_it_is(alice, peer, results):
    (results / "original.json").write_text("{}")
    done = alice("upload", results, "--reproduces", "hw-1")
    assert done.returncode == 0 and f"sending {results.name}.tar.gz" in done.stderr, done.stderr


def test_a_file_is_added_to_a_submission_as_it_is(every_python, alice, peer, results, tmp_path):
    alice("upload", results)
    script = tmp_path / "io500.sh"
    script.write_bytes(b"#!/bin/sh\nsbatch\n")
    done = alice("upload", script, "--into", "1", python=every_python)
    assert done.returncode == 0, done.stderr
    sent = posts(peer)[-1]
    assert (sent.path, sent.part("bundle")) == ("/api/v1/submissions/1/files/", script.read_bytes())
    assert sent.part("sha256").decode() == hashlib.sha256(script.read_bytes()).hexdigest()
    assert "added: io500.sh in submission 1" in done.stderr
    assert "state   checked  (submission 1)" in done.stdout


def test_adding_a_file_to_a_submitted_run_asks_to_submit_again(alice, peer, results, tmp_path):
    alice("upload", results)
    script = tmp_path / "io500.sh"
    script.write_bytes(b"#!/bin/sh")
    peer.facts.update(release="sc26", lists=["io500", "ten"])
    peer.states = ["submitted", "received", "checked"]
    done = alice("upload", script, "--into", "1")
    assert done.returncode == 0, done.stderr
    assert "it must be submitted again" in done.stderr
    assert "submit 1 --release sc26 --list io500 --list ten" in done.stderr
    peer.states = ["checked"]
    assert "submitted" not in alice("upload", script, "--into", "1").stderr
    peer.states = ["submitted"]
    same = alice("upload", script, "--into", "1").stderr
    assert "nothing changed: it is still submitted" in same and "submit 1 --release" not in same


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--release", "next"], "collector.into"),
        (["--list", "io500"], "collector.into"),
        (["--test"], "not allowed with"),
    ],
)
def test_adding_a_file_sends_no_other_field(alice, peer, results, more, code):
    done = alice("upload", results, "--into", "1", *more)
    assert done.returncode == 2
    assert code in done.stderr
    assert posts(peer) == []


def test_an_invalid_id_and_an_empty_file_are_refused(alice, peer, results, tmp_path):
    (tmp_path / "empty.sh").touch()
    wrong, empty = (
        alice("upload", results, "--into", "1/withdraw"),
        alice("upload", tmp_path / "empty.sh", "--into", "1"),
    )
    assert (wrong.returncode, empty.returncode, posts(peer)) == (2, 3, [])
    assert "collector.id" in wrong.stderr
    assert "bundle.empty" in empty.stderr


def test_a_test_upload_sends_its_flag(alice, peer, results):
    assert alice("upload", results, "--test").returncode == 0
    assert alice("upload", results).returncode == 0
    assert [sent.parts_named("test") for sent in posts(peer)] == [["true"], []]


def test_findings_are_shown_worst_first_and_make_the_exit_status_1(alice, peer, results):
    peer.states = ["invalid"]
    peer.facts["findings"] = [REMARK, OLD_VERSION, SHORT_STONEWALL]
    done = alice("upload", results)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:4] == [
        "error   io500.stonewall.short  results/result.txt:14",
        "        The stonewall was 120 s.",
        "        expected 300 s, found 120 s",
        "        do: Run again with 300 s.",
    ]
    assert done.stdout.index("io500.version.old") < done.stdout.index("io500.remark")


def test_a_violated_rule_is_reported_once(alice, peer, results):
    peer.facts["findings"] = [OLD_VERSION]
    broken = [OLD_VERSION["code"].rpartition(".")[0], "fio.steady"]
    peer.facts["rules"] = [{"code": code, "outcome": "violated", "why": "Ran for 5 s."} for code in broken]
    peer.facts["rules"].append({"code": "fio.direct", "outcome": "satisfied", "why": "direct=1"})
    done = alice("upload", results)
    assert [line for line in done.stdout.splitlines() if line.startswith("rule")] == [
        "rule    fio.steady violated: Ran for 5 s."
    ]


def test_warnings_alone_leave_the_exit_status_0(alice, peer, results):
    peer.facts["findings"] = [OLD_VERSION]
    assert alice("upload", results).returncode == 0


def test_text_from_the_server_cannot_move_the_cursor(alice, peer, results):
    peer.facts["findings"] = [dict(OLD_VERSION, message="\x1b[2J\x07gone ü")]
    alice.environ["PYTHONIOENCODING"] = "ascii"
    done = alice("upload", results)
    assert "\x1b" not in done.stdout
    assert "\\x1b[2J\\x07gone \\xfc" in done.stdout


def test_json_is_one_document_on_stdout(oldest_and_this_python, alice, peer, results):
    peer.facts["findings"] = [SHORT_STONEWALL]
    done = alice("upload", results, "--json", python=oldest_and_this_python)
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"] == [SHORT_STONEWALL]


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "zip"])
def test_an_archive_is_sent_as_it_is(alice, peer, results, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(results / "result.txt", "result.txt")
    else:
        with tarfile.open(path, "w" if suffix == "tar" else "w:gz") as archive:
            archive.add(results, "results")
    assert alice("upload", path, "--no-wait").returncode == 0
    assert posts(peer)[0].part("bundle") == path.read_bytes()


def test_an_archive_that_does_not_open_is_sent_with_a_warning(alice, peer, results, tmp_path):
    alice("pack", "--results", results, "--out", tmp_path / "whole.tar.gz")
    content = (tmp_path / "whole.tar.gz").read_bytes()
    (tmp_path / "half.tar.gz").write_bytes(content[: len(content) // 2])
    done = alice("upload", tmp_path / "half.tar.gz", "--no-wait")
    assert done.returncode == 0
    assert "does not open as an archive" in done.stderr
    assert posts(peer)[0].part("bundle") == content[: len(content) // 2]


def test_one_file_is_packed(alice, peer, results, tmp_path):
    assert alice("upload", results / "result.txt", "--no-wait").returncode == 0
    (tmp_path / "sent.tar.gz").write_bytes(posts(peer)[0].part("bundle"))
    with tarfile.open(tmp_path / "sent.tar.gz") as archive:
        assert archive.getnames() == ["result.txt"]


def test_release_lists_and_metadata_travel_as_fields(alice, peer, results, tmp_path):
    (tmp_path / "site.json").write_text('{"institution": "example-lab", "note": "\u00fc"}', encoding="utf-8")
    arguments = ["--release", "next", "--list", "io500,ten", "--list", "full", "--metadata", tmp_path / "site.json"]
    assert alice("upload", results, "--no-wait", *arguments).returncode == 0
    (sent,) = posts(peer)
    assert sent.parts_named("release") == ["next"]
    assert sent.parts_named("lists") == ["io500", "ten", "full"]
    assert json.loads(sent.part("metadata")) == {"institution": "example-lab", "note": "ü"}


@pytest.mark.parametrize("text", ["[1]", "{", '{"tasks": NaN}', "", "[" * 100000])
def test_metadata_that_is_no_json_object_is_refused_before_sending(alice, peer, results, tmp_path, text):
    (tmp_path / "site.json").write_text(text)
    done = alice("upload", results, "--metadata", tmp_path / "site.json")
    assert done.returncode == 2
    assert "collector.metadata" in done.stderr
    assert peer.received == []


def test_without_waiting_the_state_is_the_one_at_arrival(alice, peer, results):
    done = alice("upload", results, "--no-wait")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "state   received  (submission 1)"


def test_the_same_bytes_again_are_the_same_submission(alice, peer, results):
    alice("upload", results, "--no-wait")
    done = alice("upload", results, "--no-wait")
    assert done.returncode == 0
    assert "was there already: submission 1" in done.stderr


@pytest.mark.parametrize(
    "trouble",
    [
        registry_peer.hang_up,
        registry_peer.cut_short,
        registry_peer.busy(503, "0"),
        registry_peer.busy(502, "0"),
        registry_peer.busy(504, "0"),
        registry_peer.busy(429, "0"),
        registry_peer.busy(503, "Fri, 31 Dec 1999 23:59:59 GMT"),
    ],
    ids=["dropped", "truncated", "503", "502", "504", "429", "503-date"],
)
def test_temporary_errors_are_retried_with_the_whole_upload(alice, peer, results, trouble):
    peer.misbehaviours.append(trouble)
    done = alice("upload", results)
    assert done.returncode == 0, done.stderr
    assert ". Trying again in" in done.stderr
    assert len(peer.submissions) == 1


def test_a_lost_acknowledgement_makes_no_second_submission(oldest_and_this_python, alice, peer, results):
    peer.misbehaviours.append(registry_peer.hang_up_after_storing)
    done = alice("upload", results, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert "was there already" in done.stderr
    assert len(peer.submissions) == 1


def test_temporary_errors_while_waiting_are_retried(alice, peer, results):
    alice("upload", results, "--no-wait")
    peer.misbehaviours.append(registry_peer.busy(503, "0"))
    assert alice("status", "1").returncode == 0


def test_a_long_retry_after_ends_the_upload(alice, peer, results):
    peer.misbehaviours.append(registry_peer.busy(429, "3600"))
    done = alice("upload", results)
    assert done.returncode == 4
    assert "asks to wait 3600 s" in done.stderr
    assert len(peer.received) == 1


def test_retry_after_is_obeyed(alice, peer, results):
    peer.misbehaviours.append(registry_peer.busy(503, "2"))
    done = alice("upload", results, "--no-wait", "--timeout", "1.5")
    assert done.returncode == 4  # two seconds are more than there is time for
    assert "asks to wait 2 s" in done.stderr


def test_the_number_of_tries_is_limited(alice, peer, results):
    peer.misbehaviours.extend([registry_peer.busy(503, "0")] * 20)
    done = alice("upload", results)
    assert done.returncode == 4
    assert "(tried 8 times)" in done.stderr
    assert len(peer.received) == 8


def test_no_server_at_all_ends_within_the_timeout(oldest_and_this_python, alice, peer, results):
    peer.shutdown()
    peer.server_close()
    done = alice("upload", results, "--timeout", "1.5", python=oldest_and_this_python)
    assert done.returncode == 4
    assert "cannot be reached" in done.stderr


@pytest.mark.parametrize("trouble", [registry_peer.drip, registry_peer.stay_silent], ids=["drip", "silence"])
def test_a_server_that_never_finishes_its_answer_is_cut_off(oldest_and_this_python, alice, peer, results, trouble):
    peer.misbehaviours.append(trouble)
    done = alice("upload", results, "--timeout", "1.5", python=oldest_and_this_python)
    assert done.returncode == 4
    assert "cannot be reached" in done.stderr


def test_an_unknown_host_is_reported_at_once(alice, results):
    alice.environ["HIGHWATER_URL"] = "https://no-such-host.invalid/"
    done = alice("upload", results)
    assert done.returncode == 4
    assert "no-such-host.invalid cannot be reached" in done.stderr


def test_upload_stops_waiting_for_a_long_check(alice, peer, results):
    peer.states = ["processing"]
    done = alice("upload", results, "--timeout", "1")
    assert done.returncode == 4
    assert "Submission 1 is not checked after 1 s" in done.stderr
    assert "status 1" in done.stderr


def test_a_problem_is_shown_with_code_detail_and_hint(alice, peer, results):
    peer.misbehaviours.append(
        registry_peer.refuse(400, code="upload.release.closed", title="Closed", detail="It is over.", hint="Use ISC27.")
    )
    done = alice("upload", results, "--json")
    assert done.returncode == 1
    assert "400: It is over. [upload.release.closed]" in done.stderr
    assert "Use ISC27." in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "upload.release.closed"
    assert len(peer.received) == 1


def test_an_unknown_token_is_refused_with_what_to_do(alice, peer, results):
    alice.environ["HIGHWATER_TOKEN"] = "mallory"
    done = alice("upload", results)
    assert done.returncode == 4
    assert "401: No such token." in done.stderr
    assert "HIGHWATER_TOKEN" in done.stderr


def test_an_early_answer_of_the_server_is_read(oldest_and_this_python, alice, peer, tmp_path):
    (tmp_path / "large.tar").write_bytes(b"\0" * 30 * 1024 * 1024)
    peer.misbehaviours.append(registry_peer.refuse_unread(413, code="upload.too-large", detail="Too large for here."))
    done = alice("upload", tmp_path / "large.tar", python=oldest_and_this_python)
    assert done.returncode == 1, done.stderr
    assert "413: Too large for here. [upload.too-large]" in done.stderr


def test_errors_of_fields_are_shown_with_their_names(alice, peer, results):
    errors = {"system": ["5 is no text."], "tasks": ["-1 is too small."]}
    peer.misbehaviours.append(registry_peer.refuse(422, code="x", title="No", detail="5 is no text.", errors=errors))
    assert "422: system: 5 is no text.; tasks: -1 is too small. [x]" in alice("upload", results).stderr


def test_a_server_error_is_not_repeated(alice, peer, results):
    peer.misbehaviours.append(registry_peer.refuse(500))
    done = alice("upload", results)
    assert done.returncode == 4
    assert "500: Internal Server Error" in done.stderr
    assert len(peer.received) == 1


def test_a_redirect_is_not_followed_with_the_token(alice, peer, results):
    peer.misbehaviours.append(registry_peer.redirect("http://elsewhere.invalid/"))
    done = alice("upload", results)
    assert done.returncode == 4
    assert "http://elsewhere.invalid/" in done.stderr


def test_a_web_page_is_not_accepted_as_an_answer(alice, peer, results):
    peer.misbehaviours.append(registry_peer.web_page)
    done = alice("upload", results)
    assert done.returncode == 4
    assert "not as a Highwater registry" in done.stderr


def test_an_archive_over_64_mib_is_not_sent(alice, peer, tmp_path):
    with (tmp_path / "big.tar.gz").open("wb") as stream:
        stream.truncate(64 * 1024 * 1024 + 1)
    done = alice("upload", tmp_path / "big.tar.gz")
    assert done.returncode == 1
    assert "bundle.too-large" in done.stderr
    assert peer.received == []


def test_an_archive_of_over_2000_files_is_not_sent(alice, peer, tmp_path):
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(2001):
            archive.writestr(str(number), b"")
    done = alice("upload", tmp_path / "many.zip")
    assert done.returncode == 1
    assert "bundle.too-many-files" in done.stderr
    assert peer.received == []


@pytest.mark.parametrize("name", ["missing", "run.tar.xz", "pipe"])
def test_a_path_without_results_is_a_usage_error(alice, peer, tmp_path, name):
    (tmp_path / "run.tar.xz").write_bytes(b"x")
    socket.socket(socket.AF_UNIX).bind(str(tmp_path / "pipe"))
    done = alice("upload", tmp_path / name)
    assert done.returncode == 2
    assert "collector.path" in done.stderr
    assert peer.received == []


def test_an_empty_file_ends_with_nothing_collected(alice, peer, tmp_path):
    (tmp_path / "run.tar.gz").touch()
    assert alice("upload", tmp_path / "run.tar.gz").returncode == 3


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_upload_leaves_no_files(oldest_and_this_python, alice, peer, results, number, status):
    peer.misbehaviours.append(registry_peer.stay_silent)
    process = alice.start("upload", results, python=oldest_and_this_python)
    assert peer.arrived.wait(60)
    process.send_signal(number)
    _stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == status
    assert "Traceback" not in stderr
    assert list(alice.scratch.iterdir()) == []


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that no authority knows."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl command here")
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
        f"-addext subjectAltName=DNS:localhost -keyout {tmp_path}/key.pem -out {tmp_path}/cert.pem",
        shell=True,
        check=True,
        capture_output=True,
    )
    return tmp_path / "cert.pem", tmp_path / "key.pem"


@pytest.fixture
def tls_peer(certificate):
    server = registry_peer.Peer()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with registry_peer.serving(server):
        yield server


def test_a_server_with_an_invalid_certificate_gets_no_request(every_python, alice, tls_peer, results):
    alice.environ["HIGHWATER_URL"] = f"https://localhost:{tls_peer.server_port}"
    done = alice("upload", results, python=every_python)
    assert done.returncode == 4
    assert "does not prove who it is" in done.stderr
    assert tls_peer.received == []


def test_a_private_authority_can_be_named(oldest_and_this_python, alice, tls_peer, results, certificate):
    alice.environ["HIGHWATER_URL"] = f"https://localhost:{tls_peer.server_port}"
    alice.environ["SSL_CERT_FILE"] = str(certificate[0])
    done = alice("upload", results, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr


def test_the_name_in_the_certificate_must_be_the_server(every_python, alice, tls_peer, results, certificate):
    alice.environ["HIGHWATER_URL"] = f"https://127.0.0.1:{tls_peer.server_port}"
    alice.environ["SSL_CERT_FILE"] = str(certificate[0])
    done = alice("upload", results, python=every_python)
    assert done.returncode == 4
    assert "does not prove who it is" in done.stderr


def test_tls_to_a_plain_server_is_reported_at_once(alice, peer, results):
    alice.environ["HIGHWATER_URL"] = peer.url.replace("http:", "https:")
    done = alice("upload", results)
    assert done.returncode == 4
    assert "tried" not in done.stderr


class ConnectProxy(socketserver.ThreadingTCPServer):
    """A proxy as sites have them: passes on what is asked for by CONNECT, and keeps the heads of the requests."""

    daemon_threads = True

    class RequestHandlerClass(socketserver.StreamRequestHandler):
        rbufsize = 0

        def handle(self):
            head = [self.rfile.readline()]
            while head[-1].strip():
                head.append(self.rfile.readline())
            self.server.heads.append(b"".join(head).decode())
            host, port = head[0].split()[1].decode().rsplit(":", 1)
            with socket.create_connection((host, int(port))) as beyond:
                self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                back = threading.Thread(target=pour, args=(beyond, self.connection), daemon=True)
                back.start()
                pour(self.connection, beyond)
                back.join()

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.RequestHandlerClass)
        self.heads = []


def pour(source, target):
    with contextlib.suppress(OSError):
        while block := source.recv(65536):
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def proxy():
    with registry_peer.serving(ConnectProxy()) as server:
        yield server


def test_the_sites_proxy_sees_no_token(oldest_and_this_python, alice, tls_peer, results, certificate, proxy):
    del alice.environ["no_proxy"]
    alice.environ.update(
        HIGHWATER_URL=f"https://localhost:{tls_peer.server_port}",
        SSL_CERT_FILE=str(certificate[0]),
        HTTPS_PROXY=f"http://site:word@127.0.0.1:{proxy.server_address[1]}",
    )
    done = alice("upload", results, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert proxy.heads[0].startswith(f"CONNECT localhost:{tls_peer.server_port} ")
    assert "Proxy-Authorization: Basic c2l0ZTp3b3Jk" in proxy.heads[0]
    assert "alice-token" not in "".join(proxy.heads)


@pytest.mark.parametrize("name", [b"two\nlines", b"caf\xe9 of 2026", b"a\\b", "turn\u202e".encode(), b"two words"])
def test_a_folder_of_any_name_is_sent_and_packed_with_names_that_a_registry_takes(alice, peer, results, tmp_path, name):
    folder = tmp_path / os.fsdecode(name)
    shutil.copytree(results, folder)
    assert alice("upload", folder).returncode == 0
    with tarfile.open(fileobj=io.BytesIO(posts(peer)[-1].part("bundle"))) as archive:
        names = archive.getnames()
    assert names and all(path.isprintable() and "\\" not in path for path in names)
    packed = alice("pack", "--results", folder, "--out", "packed.tar.gz")
    assert packed.returncode == 0, packed.stderr
    verified = alice("validate", "packed.tar.gz", "--json").stdout
    assert "bundle.manifest" not in verified


def test_a_proxy_that_wants_a_password_is_named_as_what_refuses(alice, peer, results):
    peer.misbehaviours.append(registry_peer.refuse(407))
    done = alice("upload", results)
    assert done.returncode == 4
    assert "407" in done.stderr and "http://USER:PASSWORD@HOST:PORT" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_disk_behind_standard_output_ends_with_a_line(oldest_and_this_python, alice, peer, more):
    command = [oldest_and_this_python, "-B", "-m", "collectors", "status", *more]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=alice.cwd, env=alice.environ, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr and "Free some space" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
