"""Pseudonyms back into names: at the site, from its own map, and for its owner alone."""

import hashlib
import hmac
import json

import pytest

KEY = "0f" * 32


def pseudonym(name):
    return "m-" + hmac.new(bytes.fromhex(KEY), name.encode(), hashlib.sha256).hexdigest()[:8]


@pytest.fixture
def site(collector):
    """A collector whose site made pseudonyms of two nodes."""
    collector.write_config("")
    folder = collector.home / ".config/highwater"
    for name, text in (
        ("pseudonyms.key", KEY + "\n"),
        ("pseudonyms.json", json.dumps({pseudonym(node): node for node in ("cn0417", "cn0418")})),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
    return collector


def test_a_pseudonym_gets_its_name_back(oldest_and_this_python, site):
    done = site("names", pseudonym("cn0417"), python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{pseudonym('cn0417')}  cn0417\n")


def test_without_arguments_all_are_listed_by_name(site):
    done = site("names")
    assert [line.split() for line in done.stdout.splitlines()] == [
        [pseudonym("cn0417"), "cn0417"],
        [pseudonym("cn0418"), "cn0418"],
    ]


def test_an_unknown_pseudonym_is_reported(site):
    done = site("names", pseudonym("cn0417"), "m-00000000", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {pseudonym("cn0417"): "cn0417", "m-00000000": None}


def test_a_text_is_printed_with_names(site):
    (site.cwd / "log.txt").write_text(f"rank 1 on {pseudonym('cn0417')}: slow, xm-00000000, m-00000000\n")
    done = site("names", "--text", "log.txt")
    assert (done.returncode, done.stdout) == (1, "rank 1 on cn0417: slow, xm-00000000, m-00000000\n")


def test_names_in_a_file_are_tried_under_the_key_of_the_site(site):
    (site.cwd / "hosts").write_text("cn0999.site.example\n\ncn1000\n")
    done = site("names", pseudonym("cn0999"), "--hosts", "hosts")
    assert (done.returncode, done.stdout) == (0, f"{pseudonym('cn0999')}  cn0999\n")
    assert "cn0999" not in (site.home / ".config/highwater/pseudonyms.json").read_text()


def test_an_unknown_pseudonym_is_reported_in_text(site):
    done = site("names", "m-00000000")
    assert (done.returncode, done.stdout) == (1, "m-00000000  not known here\n")


def test_a_pseudonym_beside_other_letters_is_translated(site):
    (site.cwd / "log.txt").write_text(f"{pseudonym('cn0417')}_ib0 and run-{pseudonym('cn0418')}-2\n")
    done = site("names", "--text", "log.txt")
    assert (done.returncode, done.stdout) == (0, "cn0417_ib0 and run-cn0418-2\n")


def test_an_address_in_a_file_of_names_is_tried_whole(site):
    (site.cwd / "hosts").write_text("10.42.7.19\n")
    done = site("names", pseudonym("10.42.7.19"), "--hosts", "hosts")
    assert (done.returncode, done.stdout) == (0, f"{pseudonym('10.42.7.19')}  10.42.7.19\n")


def test_pseudonyms_of_pack_are_translated_back(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.txt").write_text("Machine : Linux cn0417\nether 3c:ec:ef:ab:cd:12\nether 3c:ec:ef:ab:cd:34\n")
    assert collector("pack", "--results", folder, "--out", tmp_path / "b.tgz").returncode == 0
    names = {line.split()[1] for line in collector("names").stdout.splitlines()}
    assert names == {"cn0417", "3c:ec:ef:ab:cd:12", "3c:ec:ef:ab:cd:34"}


@pytest.mark.parametrize("word", ["cn0417", "m-0", "m-0000000g", "m-000000001"])
def test_words_that_are_no_pseudonyms_are_refused(site, word):
    done = site("names", word)
    assert done.returncode == 2
    assert "collector.names" in done.stderr


def test_a_map_that_others_can_read_is_refused(site):
    (site.home / ".config/highwater/pseudonyms.json").chmod(0o640)
    done = site("names")
    assert (done.returncode, done.stdout) == (2, "")
    assert "mode 0640" in done.stderr


def test_a_site_without_a_map_gets_a_hint(collector):
    done = collector("names")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no map of names" in done.stderr


@pytest.mark.parametrize("content", ["[]", "{", '{"m-00000000": 3}'])
def test_a_broken_map_has_no_names(site, content):
    (site.home / ".config/highwater/pseudonyms.json").write_text(content)
    assert site("names", "m-00000000").returncode == 1
