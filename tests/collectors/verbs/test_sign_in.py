"""`login` and `whoami`: a token is checked, config for its owner alone, and shown nowhere."""

import configparser
import json
import stat

import pytest

from tests.collectors.registry_peer import refuse

ACCOUNT = {
    "account": "alice",
    "role": "submitter",
    "institutions": [{"slug": "north-lab", "name": "North Lab", "role": "submitter"}],
    "token": {"id": "hw_alice", "scopes": ["read", "submit"], "expires_at": "2027-01-01T00:00:00Z"},
}
KEY = "alice-token"


@pytest.fixture
def registry(peer):
    peer.private["/api/v1/account/"] = ACCOUNT
    return peer


def config_of(collector):
    return collector.home / ".config" / "highwater" / "config.ini"


def test_a_token_is_checked_and_kept_for_its_owner(oldest_and_this_python, collector, registry):
    done = collector("login", registry.url, typed=KEY + "\nmore\n", python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    path = config_of(collector)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    config = configparser.ConfigParser()
    config.read(path)
    assert dict(config["highwater"]) == {"url": registry.url, "token": KEY}
    assert KEY not in done.stdout + done.stderr
    assert "account      alice (submitter)" in done.stdout
    assert "until 2027-01-01" in done.stdout
    after = collector("whoami", "--json", python=oldest_and_this_python)
    assert json.loads(after.stdout) == dict(ACCOUNT, url=registry.url)


def test_a_token_that_is_pasted_into_a_terminal_is_not_shown(oldest_and_this_python, collector, registry):
    answers = [("(not shown): ", KEY + "\n")]
    status, screen = collector.at_terminal("login", registry.url, answers=answers, python=oldest_and_this_python)
    assert status == 0, screen
    assert "alice (submitter)" in screen and KEY not in screen
    assert config_of(collector).exists()


@pytest.mark.parametrize("typed", ["\n", "\x04", "two words\n"])
def test_a_wrong_token_at_a_terminal_is_not_stored(collector, registry, typed):
    status, screen = collector.at_terminal("login", registry.url, answers=[("(not shown): ", typed)])
    assert (status, registry.received) == (2, []), screen
    assert "collector.token" in screen
    assert not config_of(collector).exists()


def test_interrupting_the_prompt_stores_no_token(collector, registry):
    status, screen = collector.at_terminal("login", registry.url, answers=[("(not shown): ", "\x03")])
    assert (status, registry.received) == (130, []), screen
    assert not config_of(collector).exists()


def test_signing_in_keeps_other_settings_of_the_file(collector, registry):
    collector.write_config("[highwater]\nurl = https://old.invalid\ntoken = old\n\n[other]\nname = kept\n")
    assert collector("login", registry.url, typed=KEY).returncode == 0
    config = configparser.ConfigParser()
    config.read(config_of(collector))
    assert (config["other"]["name"], config["highwater"]["url"], config["highwater"]["token"]) == (
        "kept",
        registry.url,
        KEY,
    )


@pytest.mark.parametrize("mode", [0o644, 0o640])
def test_a_token_does_not_join_a_file_that_others_can_read(collector, registry, mode):
    path = collector.write_config("[highwater]\nurl = x\ntoken = old\n", mode)
    done = collector("login", registry.url, typed=KEY)
    assert (done.returncode, registry.received) == (2, [])
    assert f"chmod 0600 {path}" in done.stderr
    assert "old" in path.read_text()


@pytest.mark.parametrize("token", ["", "hw_...", "two words", "t\x1b[2J", "ü"])
def test_an_invalid_token_is_not_sent(collector, registry, token):
    done = collector("login", registry.url, typed=token)
    assert (done.returncode, registry.received) == (2, [])
    assert "collector.token" in done.stderr
    assert not config_of(collector).exists()


@pytest.mark.parametrize("typed", ["", "\n", "  \nhw_later"])
def test_an_empty_first_line_is_named_as_what_is_wrong(collector, registry, typed):
    done = collector("login", registry.url, typed=typed)
    assert (done.returncode, "first line of standard input is empty" in done.stderr) == (2, True), done.stderr
    assert registry.received == []


def test_a_token_that_the_registry_does_not_know_is_not_kept(collector, registry):
    done = collector("login", registry.url, typed="another")
    assert done.returncode == 4
    assert "auth.token" in done.stderr
    assert not config_of(collector).exists()


def test_a_token_for_uploads_only_is_stored_with_a_note(collector, registry):
    registry.misbehaviours.append(refuse(403, code="permission.scope", detail="This needs the scope `read`."))
    done = collector("login", registry.url, typed=KEY)
    assert done.returncode == 0
    assert "this token may not read" in done.stderr
    assert config_of(collector).exists()


@pytest.mark.parametrize("answer", [[], {}, {"account": 1}, {"results": []}])
def test_no_token_is_stored_for_a_server_that_is_no_registry(collector, registry, answer):
    registry.private["/api/v1/account/"] = answer
    done = collector("login", registry.url, typed=KEY)
    assert done.returncode == 4
    assert "collector.not-the-api" in done.stderr
    assert not config_of(collector).exists()


def test_plain_http_to_another_machine_is_refused(collector):
    done = collector("login", "http://registry.invalid/", typed=KEY)
    assert done.returncode == 2
    assert "collector.insecure" in done.stderr


def test_a_variable_that_overrides_the_file_is_named(alice, registry):
    done = alice("login", typed=KEY)
    assert done.returncode == 0
    assert "HIGHWATER_TOKEN is set, and overrides that file" in done.stderr


def test_control_characters_are_shown_as_text(alice, registry):
    registry.private["/api/v1/account/"] = dict(ACCOUNT, account="al\x1b[2Jice\u202e")
    done = alice("whoami")
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert "al\\x1b[2Jice" in done.stdout


def test_a_home_that_cannot_be_written_is_named_with_what_helps(collector, registry):
    collector.environ["HOME"] = "/proc/none"
    done = collector("login", registry.url, typed=KEY)
    assert done.returncode == 2
    assert "collector.config" in done.stderr and "HIGHWATER_TOKEN instead" in done.stderr
