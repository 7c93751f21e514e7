"""Server and token: where they come from, and when the collector will not use them."""

import shutil

import pytest


def test_server_and_token_come_from_the_configuration_file(oldest_and_this_python, collector, peer, results):
    collector.write_config(f"[highwater]\nurl = {peer.url}/\ntoken = alice-token\n")
    done = collector("upload", results, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o610])
def test_a_configuration_file_that_others_can_reach_is_refused(collector, peer, results, mode):
    path = collector.write_config(f"[highwater]\nurl = {peer.url}\ntoken = alice-token\n", mode)
    done = collector("upload", results)
    assert done.returncode == 2
    assert f"chmod 0600 {path}" in done.stderr
    assert peer.received == []


@pytest.mark.parametrize("text", ["url = no section\n", "[other]\nurl = x\n", "[highwater]\nurl\n", "\udcff\n"])
def test_an_invalid_configuration_file_is_reported(collector, results, text):
    path = collector.write_config("")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = collector("upload", results)
    assert done.returncode == 2
    assert "[highwater], url = " in done.stderr


def test_the_environment_overrides_the_file(alice, peer, results):
    alice.write_config("[highwater]\nurl = https://elsewhere.invalid\ntoken = other\n")
    assert alice("upload", results).returncode == 0


def test_a_token_from_the_file_is_not_sent_to_another_server(collector, peer, results):
    collector.write_config("[highwater]\nurl = https://home.invalid\ntoken = alice-token\n")
    collector.environ["HIGHWATER_URL"] = peer.url
    done = collector("upload", results)
    assert done.returncode == 2
    assert "is for https://home.invalid" in done.stderr
    assert peer.received == []


def test_a_missing_server_is_reported_with_a_hint(collector, results):
    done = collector("upload", results)
    assert done.returncode == 2
    assert "HIGHWATER_URL" in done.stderr
    assert "config.ini" in done.stderr


def test_a_missing_token_is_reported_with_a_hint(collector, peer, results):
    collector.environ["HIGHWATER_URL"] = peer.url
    done = collector("upload", results)
    assert done.returncode == 2
    assert "HIGHWATER_TOKEN" in done.stderr


@pytest.fixture
def downloaded(collector, collectors_alone, tmp_path):
    """downloaded(URL) makes the collector one that the registry of that address handed out."""

    def make(url):
        copy = tmp_path / "downloaded"
        shutil.copytree(collectors_alone, copy)
        (copy / "collectors" / "data" / "registry.txt").write_text(url + "\n")
        collector.environ["PYTHONPATH"] = str(copy)
        return collector

    return make


def test_the_registry_of_download_is_the_default_server(every_python, downloaded, peer, results):
    collector = downloaded(peer.url)
    collector.environ["HIGHWATER_TOKEN"] = "alice-token"
    assert collector("upload", results, python=every_python).returncode == 0
    assert peer.received[0].path == "/api/v1/submissions/"


def test_the_environment_overrides_the_registry_of_download(downloaded, peer, results):
    collector = downloaded("https://download.invalid")
    collector.environ.update(HIGHWATER_URL=peer.url, HIGHWATER_TOKEN="alice-token")
    assert collector("upload", results).returncode == 0


def test_the_file_overrides_the_registry_of_download(downloaded, peer, results):
    collector = downloaded("https://download.invalid")
    collector.write_config(f"[highwater]\nurl = {peer.url}\ntoken = alice-token\n")
    assert collector("upload", results).returncode == 0


@pytest.mark.parametrize("url", ["", "url = https://home.invalid\n"])
def test_a_token_from_the_file_is_not_sent_to_the_registry_of_download(downloaded, peer, results, url):
    collector = downloaded(peer.url)
    collector.write_config(f"[highwater]\n{url}token = alice-token\n")
    collector.environ["HIGHWATER_INSECURE"] = "1"
    done = collector("upload", results)
    assert done.returncode != 0
    assert peer.received == []


def test_a_missing_token_names_the_page_that_creates_one(downloaded, peer, results):
    done = downloaded(peer.url)("upload", results)
    assert done.returncode == 2
    assert f"Create one at {peer.url}/account/ and then: export HIGHWATER_TOKEN=hw_..." in done.stderr
    assert peer.received == []


def test_the_commands_of_the_first_page_as_printed_name_the_page_that_makes_a_token(downloaded, peer, results):
    collector = downloaded(peer.url)
    collector.environ["HIGHWATER_TOKEN"] = "hw_..."
    done = collector("upload", results)
    assert done.returncode == 2
    assert "hw_... stands for a token of yours." in done.stderr
    assert f"Create one at {peer.url}/account/" in done.stderr
    assert peer.received == []


def test_no_token_is_sent_to_a_registry_of_download_over_plain_http(downloaded, results):
    collector = downloaded("http://registry.example")
    collector.environ["HIGHWATER_TOKEN"] = "alice-token"
    done = collector("upload", results)
    assert (done.returncode, "collector.insecure" in done.stderr) == (2, True)


@pytest.mark.parametrize("host", ["registry.example", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org"])
def test_no_token_is_sent_over_plain_http(collector, results, host):
    collector.environ.update(HIGHWATER_URL=f"http://{host}/", HIGHWATER_TOKEN="alice-token")
    done = collector("upload", results)
    assert done.returncode == 2
    assert "collector.insecure" in done.stderr


def test_an_option_permits_plain_http(collector, results):
    collector.environ.update(
        HIGHWATER_URL="http://no-such-host.invalid/", HIGHWATER_TOKEN="alice-token", HIGHWATER_INSECURE="1"
    )
    done = collector("upload", results)
    assert done.returncode == 4
    assert "cannot be reached" in done.stderr


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/",
        "host.example",
        "https://",
        "https://user:word@host/",
        "https://host:port/",
        "https://h/?a=b",
        "h\n",
    ],
)
def test_an_invalid_address_is_refused(collector, results, address):
    collector.environ.update(HIGHWATER_URL=address, HIGHWATER_TOKEN="alice-token")
    done = collector("upload", results)
    assert done.returncode == 2
    assert "collector.url" in done.stderr


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "t\u00f6ken"])
def test_an_invalid_token_is_refused_and_not_shown(collector, peer, results, token):
    collector.environ.update(HIGHWATER_URL=peer.url, HIGHWATER_TOKEN=token)
    done = collector("upload", results)
    assert done.returncode == 2
    assert token not in done.stderr
    assert peer.received == []
