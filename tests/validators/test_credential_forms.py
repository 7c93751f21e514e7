"""Every form of credential, by its example: taken out of texts, and what the gate refuses is a part of that."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from collectors.scrubbing import credentials as at_the_site
from validators.bundle import open_bundle, secret_scan
from validators.scrubbing import credentials, personal

FILE = Path(credentials.__file__).with_name("credential-forms.1.json")
FORMS = json.loads(FILE.read_text(encoding="utf-8"))
TOKENS = {row["id"]: row for row in FORMS["tokens"]}
CONTEXTS = [(row["id"], example) for row in FORMS["contexts"] for example in row["examples"]]
KEYS = {
    "tokens": {"id", "what", "hints", "pattern", "refuse", "example", "source"},
    "contexts": {"id", "what", "hints", "called", "pattern", "ignore_case", "to", "examples", "source"},
}


def scrubbed(line: str) -> str:
    return credentials.secrets(line, None)[0]


def refused(tmp_path: Path, line: str) -> list[str]:
    path = tmp_path / "b.tar"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("log.txt")
        content = f"first\n{line}\n".encode()
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    with open_bundle(path) as bundle:
        return [finding.where for finding in secret_scan.scan(bundle)]


@pytest.mark.parametrize("id", sorted(TOKENS))
@pytest.mark.parametrize("around", ["{}", "x = '{}'", "a {} b", "t={};", "key-{}"])
def test_a_token_is_removed(id: str, around: str) -> None:
    if around.startswith("key-") and TOKENS[id]["pattern"].startswith("(?<![_-])"):
        pytest.skip("its first letters stand inside of other words")
    scrubbed_line = scrubbed(around.format("".join(TOKENS[id]["example"])))
    assert TOKENS[id]["example"][-1][-20:] not in scrubbed_line
    assert "<secret>" in scrubbed_line


@pytest.mark.parametrize("id", sorted(TOKENS))
def test_refused_tokens_are_also_scrubbed_and_others_only_scrubbed(id: str, tmp_path: Path) -> None:
    row = TOKENS[id]
    token = "".join(row["example"])
    places = refused(tmp_path, f"export X={token} done")
    assert places == (["log.txt:2"] if "refuse" in row else [])
    assert scrubbed(f"export X={token} done") == "export X=<secret> done"


@pytest.mark.parametrize("id", sorted(id for id, row in TOKENS.items() if "refuse" in row))
def test_a_placeholder_is_not_refused(id: str, tmp_path: Path) -> None:
    prefix, body = TOKENS[id]["example"]
    placeholder = re.sub(r"[0-9A-Za-z]", lambda match: "x" if match[0].islower() else "0", body)
    assert refused(tmp_path, prefix + placeholder) == []


def test_every_form_that_was_refused_before_still_is() -> None:
    old = {
        "aws-access-key", "github", "github-fine", "gitlab", "slack", "google-api", "stripe", "npm", "pypi",
        "huggingface", "vault", "registry", "jwt",
    }  # fmt: skip
    assert old <= {id for id, row in TOKENS.items() if "refuse" in row}


@pytest.mark.parametrize(("id", "example"), CONTEXTS)
def test_a_secret_is_removed_and_its_key_kept(id: str, example: list[str]) -> None:
    before, secret, after = (*example, "")[:3]
    scrubbed_line = scrubbed(before + secret + after)
    assert secret not in scrubbed_line
    assert scrubbed_line.startswith(before.split("//")[0].split("{")[0][:8])
    assert scrubbed_line.endswith(after)
    own = credentials._CONTEXTS[[row["id"] for row in FORMS["contexts"]].index(id)]
    assert own.compiled_pattern.search(before + secret + after)
    assert any(pattern is own.compiled_pattern for pattern, _to in credentials.patterns_for(before + secret + after))


@pytest.mark.parametrize(
    "line",
    [
        "mysql -p results < schema.sql",
        "ior -a POSIX -w -r -k -p 5",
        "mdtest -a S3 -w 3901 -e 3901 -u",
        "mkdir -p /scratch/out",
        "ldapsearch -x -b dc=x",
        "fio --name=sig --output=x",
        "the password is required",
        "password is not set, passwords are kept",
        "echo 3 | sudo tee /proc/sys/vm/drop_caches",
        "echo 999|mmchconfig fgdlTokenBatchAcquire=yes -N all",
        "mpirun -np 4 -x PATH ./ior -a MPIIO -p 4096",
        "exp 10/20 times, imp 3/4@5",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "SHA256 (x) = 0123456789abcdef",
        "token bucket: 5000 tokens/s, session 1",
        "[RESULT]       ior-easy-write       89.282156 GiB/s : time 304.512 seconds",
        "a:1:b:c:d",
        "10.0.0.1:5432 open",
        "--user 1000 -u 99",
        "$6 and $7 are columns",
        "PASS: tests/run.sh, 3 passes, bypass=direct1, compass: n0rth",
        "PWD=/scratch/run7 OLDPWD=/scratch",
        "    test_key1: value1",
        "keyfile=/etc/ssl/key1.pem, --keyspace 16k4, --key-size=128",
        "Bandwidth: 1250.50 MiB/s auth: munge, --auth none",
        "snmp counters -c 4, rados bench -p pool1 60 write",
        "send 4096 bytes",
        "tokens: 1234, tokens_per_second: 12.5",
        "<value>12.5</value><name>fs.s3a.threads.max</name>",
        "s.write, s.a1, http://host:8080/x@2.0",
    ],
)
def test_similar_commands_and_values_are_kept(line: str) -> None:
    assert scrubbed(line) == line


def test_rows_have_one_form_and_no_example_is_complete_in_the_file() -> None:
    text = FILE.read_text(encoding="utf-8")
    for kind, keys in KEYS.items():
        ids = [row["id"] for row in FORMS[kind]]
        assert len(ids) == len(set(ids))
        for row in FORMS[kind]:
            assert set(row) <= keys
            assert {"id", "what", "pattern", "source"} <= set(row)
            assert row["hints"], row["id"]
            assert kind == "tokens" or all(hint == hint.lower() for hint in row["hints"]), row["id"]
    for row in FORMS["tokens"]:
        assert "".join(row["example"]) not in text
        assert set(row.get("refuse", {})) <= {"least", "most", "distinct", "form"}


def test_site_and_registry_have_the_same_forms() -> None:
    assert at_the_site.FORMS == credentials.FORMS
    carried = Path(at_the_site.__file__).parent
    for path in (FILE, *Path(credentials.__file__).parent.glob("*.py")):
        if path.name != "__init__.py":
            assert (carried / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize(
    "text",
    [
        '"password":\n  "splitpw99",\nstays',
        "password: |\n  splitpw99\nstays",
        "elbencho --s3secret \\\n  splitpw99 \\\nstays -w",
        '"--s3secret",\n"splitpw99",\n"stays"',
        "<name>fs.s3a.secret.key</name>\n<value>splitpw99</value>\nstays",
        "Password:\nsplitpw99\nstays",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nsplitpw99\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nstays",
        "> -----BEGIN RSA PRIVATE KEY-----\n> splitpw99\n> -----END RSA PRIVATE KEY-----\nstays",
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nsplitpw99\nPrivate-MAC: ab\nstays",
        '{"n": 12.5, "k": "-----BEGIN PRIVATE KEY-----\\nsplitpw99\\n-----END PRIVATE KEY-----\\n", "m": "stays"}',
        "-----BEGIN OpenVPN Static key V1-----\nsplitpw99\n-----END OpenVPN Static key V1-----\nstays",
    ],
)
def test_a_secret_over_several_lines_is_removed(text: str) -> None:
    counts: Counter[str] = Counter()
    lines = list(personal.scrub_lines("log.txt", text.split("\n"), personal.Names(), counts))
    assert "splitpw99" not in "\n".join(lines)
    assert "stays" in lines[-1]
    assert len(lines) == len(text.split("\n"))
    assert counts["secret"] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "tokens:\n1234.5",
        "Password:\n[RESULT] ior-easy-write 89.282156 GiB/s : time 304.512 seconds",
        "set the token, then\nwrite 12.5",
        "--key-size=\n128",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_lines_after_similar_words_are_kept(text: str) -> None:
    assert list(personal.scrub_lines("log.txt", text.split("\n"), personal.Names(), Counter())) == text.split("\n")


@pytest.mark.parametrize("form", secret_scan.REFUSED, ids=lambda form: form.what)
def test_every_hint_has_what_all_hints_of_its_form_share(form) -> None:
    assert [hint for hint in form.hints if not form.is_hinted(b"before " + hint + b" behind")] == []
    is_a_hint = form.shared in form.hints
    assert form.is_hinted(b"before " + form.shared + b"\0 behind") == is_a_hint
