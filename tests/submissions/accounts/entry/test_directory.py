"""An LDAP directory signs people in: Debian's slapd, asked as a laboratory's would be."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import ldap3
import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.models import Site
from submissions.accounts.entry import directory as asking
from submissions.accounts.entry.directory import DirectoryAway, Person, find_person
from submissions.models import Account, Membership
from tests.submissions.accounts.test_signing_in import by_provider, is_signed_in
from tests.submissions.ldap_server import BASE, PASSWORDS, SLAPD, Directory, directory_in
from tests.submissions.oidc_provider import provider_of

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(SLAPD is None, reason="slapd is not installed")]
HAL, IDA = (f"cn={name},ou=people,{BASE}" for name in ("hal", "ida"))
MAP = {
    "storage": {"institution": "north-lab"},
    "heads": {"institution": "north-lab", "member": "admin"},
    "committee": {"role": "reviewer"},
}
hashed: list[str] = []


class CountingHasher(MD5PasswordHasher):
    """Notes each password that is hashed."""

    def encode(self, password: str, salt: str) -> str:
        hashed.append(password)
        return super().encode(password, salt)


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Directory]:
    with directory_in(tmp_path_factory.mktemp("directory")) as directory:
        directory.add_group("storage", HAL)
        directory.add_group("football", HAL, IDA)
        yield directory


@pytest.fixture
def signs_in(running, settings) -> Directory:
    """The directory as LDAP_DIRECTORY of a registry without sign-up."""
    cache.clear()
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    backend = "submissions.accounts.entry.directory_sign_in.DirectoryBackend"
    settings.AUTHENTICATION_BACKENDS = [backend, *settings.AUTHENTICATION_BACKENDS]
    settings.LDAP_DIRECTORY = running.entry(groups=MAP)
    return running


def sign_in(name: str, password: str) -> tuple[Client, str]:
    client = Client()
    answer = client.post("/login/", {"username": name, "password": password})
    return client, answer.content.decode()


def grants_of(name: str) -> tuple[str, dict[str, str]]:
    account = Account.objects.get(username=name)
    return account.role, dict(account.memberships.values_list("institution__slug", "role"))


# The question itself


def test_the_right_password_gives_the_person_with_its_groups(running) -> None:
    person = find_person(running.entry(), "hal", PASSWORDS["hal"])
    assert person == Person(person.entry_id, "hal", ["storage", "football"])
    assert len(person.entry_id) == 36
    assert find_person(running.entry(), "HAL", PASSWORDS["hal"]) == person


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("hal", "wrong"),
        ("hal", PASSWORDS["ida"]),
        ("hal", PASSWORDS["hal"] + " "),
        ("nobody", "wrong"),
        ("hal", ""),
        ("", ""),
        ("", PASSWORDS["hal"]),
        ("hal", "\0"),
        ("hal", "\u00ad"),
        ("hal", "\u200b\u200d"),
        ("hal", "\ud800"),
        ("hal", "x" * 100_000),
        ("*", PASSWORDS["hal"]),
        ("h*", PASSWORDS["hal"]),
        ("hal)(uid=*", PASSWORDS["hal"]),
        ("*)(|(uid=hal", PASSWORDS["hal"]),
        ("hal\0", PASSWORDS["hal"]),
        ("h\\61l", PASSWORDS["hal"]),
        ("h\u00adal", PASSWORDS["hal"]),
        ("\uff48al", PASSWORDS["hal"]),
        (" hal", PASSWORDS["hal"]),
        ("hal" * 60, PASSWORDS["hal"]),
        (HAL, PASSWORDS["hal"]),
        ("cn=manager", "manages"),
    ],
)
def test_another_name_or_password_is_nobody(running, name, password) -> None:
    assert find_person(running.entry(), name, password) is None


def test_two_entries_of_one_name_are_nobody(running) -> None:
    second = running.add_person("hal", "another one of hal", dn_name="hal the second")
    try:
        for password in (PASSWORDS["hal"], "another one of hal"):
            assert find_person(running.entry(), "hal", password) is None
    finally:
        running.delete(second)


def test_an_entry_without_a_password_is_nobody(running) -> None:
    running.add(f"dn: cn=robot,ou=people,{BASE}\nobjectClass: inetOrgPerson\ncn: robot\nsn: robot\nuid: robot\n")
    for password in ("", "robot"):
        assert find_person(running.entry(), "robot", password) is None


def test_only_groups_right_under_their_place_count(running) -> None:
    running.add_group("committee", HAL, under="ou=elsewhere,")
    running.add(
        f"dn: cn=heads+description=mine,ou=groups,{BASE}\nobjectClass: groupOfNames\ncn: heads\ndescription: mine\n"
        f"member: {HAL}\n"
    )
    running.add_group("ida's own", IDA)
    running.modify(f"dn: cn=ida's own,ou=groups,{BASE}\nchangetype: modify\nadd: cn\ncn: heads\n")
    assert find_person(running.entry(), "hal", PASSWORDS["hal"]).groups == ["storage", "football"]
    assert find_person(running.entry(), "ida", PASSWORDS["ida"]).groups == ["football", "ida's own"]
    assert find_person(running.entry(groups_in=None), "hal", PASSWORDS["hal"]).groups == []


def test_groups_of_the_posix_kind_count(running) -> None:
    running.add(f"dn: cn=unix,ou=groups,{BASE}\nobjectClass: posixGroup\ncn: unix\ngidNumber: 7\nmemberUid: ida\n")
    assert "unix" in find_person(running.entry(), "ida", PASSWORDS["ida"]).groups


@pytest.mark.parametrize("scheme", ["ldap", "ldaps"])
def test_a_certificate_is_asked_for(running, scheme) -> None:
    port = running.port if scheme == "ldap" else running.secure_port
    assert find_person(running.entry(f"{scheme}://localhost:{port}"), "hal", PASSWORDS["hal"]).name == "hal"
    with pytest.raises(DirectoryAway):
        find_person(running.entry(f"{scheme}://localhost:{port}", ca_file=None), "hal", PASSWORDS["hal"])


def test_a_certificate_of_another_host_is_refused(running) -> None:
    with pytest.raises(DirectoryAway):
        find_person(running.entry(f"ldaps://127.0.0.1:{running.secure_port}"), "hal", PASSWORDS["hal"])


def test_no_password_leaves_in_clear(running) -> None:
    """A directory without TLS, under a name: it is asked for StartTLS, and gets nothing else."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            caller, _ = listener.accept()
            with caller:
                received.append(caller.recv(65536))
                message_id = received[0][4:5]
                caller.sendall(b"\x30\x0c\x02\x01" + message_id + b"\x78\x07\x0a\x01\x02\x04\x00\x04\x00")
                received.append(caller.recv(65536))

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(DirectoryAway):
            find_person(running.entry(f"ldap://localhost:{listener.getsockname()[1]}"), "hal", PASSWORDS["hal"])
        thread.join(30)
    assert b"1.3.6.1.4.1.1466.20037" in received[0]
    assert b"reads the tree" not in b"".join(received) and PASSWORDS["hal"].encode() not in b"".join(received)


@pytest.mark.parametrize(
    "changes",
    [
        {"password": "wrong"},
        {"account": f"cn=nobody,{BASE}"},
        {"people": "dc=elsewhere"},
        {"people": "no name"},
        {"entry_id": "description"},
    ],
)
def test_a_directory_that_is_set_up_wrongly_is_away(running, changes) -> None:
    with pytest.raises(DirectoryAway):
        find_person(running.entry(**changes), "hal", PASSWORDS["hal"])


def test_a_directory_without_an_account_to_search_finds_nobody(running) -> None:
    """Here strangers may read nothing."""
    with pytest.raises(DirectoryAway):
        find_person(running.entry(account=None, password=None), "hal", PASSWORDS["hal"])


def test_a_silent_directory_is_given_up(running, monkeypatch) -> None:
    monkeypatch.setattr(asking, "ANSWER_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for address in (f"ldap://127.0.0.1:{port}", f"ldap://localhost:{port}", f"ldaps://localhost:{port}"):
            with pytest.raises(DirectoryAway):
                find_person(running.entry(address), "hal", PASSWORDS["hal"])


# Signing in


def test_a_mapped_group_makes_an_account(signs_in) -> None:
    client, _ = sign_in("HAL", PASSWORDS["hal"])
    assert is_signed_in(client)
    assert grants_of("hal") == ("submitter", {"north-lab": "submitter"})
    assert not Account.objects.get().has_usable_password()


def test_without_a_mapped_group_there_is_no_account(signs_in, settings) -> None:
    client, page = sign_in("ida", PASSWORDS["ida"])
    assert not is_signed_in(client) and "none of your groups" in page
    assert not Account.objects.exists()
    settings.SIGNUP_OPEN = True
    client, _ = sign_in("ida", PASSWORDS["ida"])
    assert is_signed_in(client) and grants_of("ida") == ("submitter", {})


def test_groups_are_read_at_each_sign_in(signs_in, settings) -> None:
    settings.LDAP_DIRECTORY["groups"] = MAP | {"football": {"role": "editor"}}
    sign_in("hal", PASSWORDS["hal"])
    assert grants_of("hal") == ("editor", {"north-lab": "submitter"})
    head = Account.objects.create(username="head")
    Membership.objects.create(account=head, institution=Site.objects.get(), role="admin")
    settings.LDAP_DIRECTORY["groups"] = MAP | {"football": {"role": "submitter"}, "storage": {"role": "reviewer"}}
    sign_in("hal", PASSWORDS["hal"])
    assert grants_of("hal") == ("reviewer", {})


def test_a_wrong_password_changes_nothing(signs_in, settings) -> None:
    sign_in("hal", PASSWORDS["hal"])
    settings.LDAP_DIRECTORY["groups"] = {"football": {"role": "admin"}}
    client, page = sign_in("hal", "wrong")
    assert not is_signed_in(client) and "Wrong user name or password" in page
    assert grants_of("hal")[0] == "submitter"


def test_an_account_of_the_same_name_is_not_taken_over(signs_in) -> None:
    own = Account.objects.create_user("Hal", password="tides rise twice a day", role="admin")
    client, page = sign_in("hal", PASSWORDS["hal"])
    assert not is_signed_in(client) and "another one has it" in page
    client, _ = sign_in("hal", "tides rise twice a day")
    assert is_signed_in(client)
    entry = find_person(signs_in.entry(), "hal", PASSWORDS["hal"]).entry_id
    Account.objects.filter(pk=own.pk).update(directory_entry=entry)
    client, _ = sign_in("hal", PASSWORDS["hal"])
    assert is_signed_in(client) and Account.objects.count() == 1


def test_an_account_follows_its_entry_and_not_the_name(signs_in) -> None:
    dn = signs_in.add_person("gil", "the first gil of all")
    signs_in.modify(f"dn: cn=storage,ou=groups,{BASE}\nchangetype: modify\nadd: member\nmember: {dn}\n")
    sign_in("gil", "the first gil of all")
    first = Account.objects.get(username="gil")
    signs_in.delete(dn)
    client, _ = sign_in("gil", "the first gil of all")
    assert not is_signed_in(client)
    signs_in.add_person("gil", "the second gil of all")
    try:
        client, page = sign_in("gil", "the second gil of all")
        assert not is_signed_in(client) and "another one has it" in page
        assert Account.objects.get() == first
    finally:
        signs_in.delete(dn)
        signs_in.modify(f"dn: cn=storage,ou=groups,{BASE}\nchangetype: modify\ndelete: member\nmember: {dn}\n")


def test_an_account_of_the_directory_has_no_other_way_in(signs_in) -> None:
    sign_in("hal", PASSWORDS["hal"])
    account = Account.objects.get()
    account.set_password("tides rise twice a day")
    account.save()
    client, _ = sign_in("hal", "tides rise twice a day")
    assert not is_signed_in(client)


def test_an_account_of_the_directory_is_offered_no_password(signs_in) -> None:
    client, _ = sign_in("hal", PASSWORDS["hal"])
    assert "/account/password/change/" not in client.get("/account/").content.decode()
    sent = {"password1": "tides rise twice a day", "password2": "tides rise twice a day"}
    answer = client.post("/account/password/set/", sent)
    assert answer.status_code == 403 and "account.password-elsewhere" in answer.content.decode()
    assert not Account.objects.get().has_usable_password()


def test_a_provider_does_not_sign_an_account_of_the_directory_in(signs_in, settings) -> None:
    client, _ = sign_in("hal", PASSWORDS["hal"])
    person = {"sub": "hal-1", "email": "hal@lab.example", "email_verified": True, "preferred_username": "hal"}
    with provider_of(person) as provider:
        app = {"provider_id": "north", "name": "North Lab", "client_id": "highwater", "secret": "s3cret"}
        app["settings"] = {"server_url": provider.url}
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
        by_provider(client, "connect")
        assert Account.objects.get().socialaccount_set.count() == 1
        other = Client()
        assert by_provider(other)["Location"] == "/login/"
        assert not is_signed_in(other)
        assert "the password of your directory" in other.get("/login/").content.decode()


def test_the_page_says_whose_passwords_work(signs_in, settings) -> None:
    assert "Names and passwords of North Lab work here too." in Client().get("/login/").content.decode()
    settings.LDAP_DIRECTORY = {}
    assert "work here too" not in Client().get("/login/").content.decode()


def test_a_closed_account_stays_closed(signs_in) -> None:
    sign_in("hal", PASSWORDS["hal"])
    Account.objects.update(is_active=False)
    client, _ = sign_in("hal", PASSWORDS["hal"])
    assert not is_signed_in(client)


def test_accounts_of_the_registry_sign_in_while_the_directory_is_away(signs_in, settings) -> None:
    Account.objects.create_user("gil", password="tides rise twice a day")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.LDAP_DIRECTORY = signs_in.entry(f"ldap://127.0.0.1:{unused.getsockname()[1]}")
        client, _ = sign_in("gil", "tides rise twice a day")
        assert is_signed_in(client)
        for name in ("gil", "hal", "nobody"):
            client, page = sign_in(name, "wrong")
            assert not is_signed_in(client) and "The directory of North Lab does not answer" in page


def test_guesses_count_as_at_other_passwords(signs_in) -> None:
    for _ in range(6):
        sign_in("hal", "wrong")
    client, _ = sign_in("hal", PASSWORDS["hal"])
    assert not is_signed_in(client)


def test_known_and_unknown_names_cost_the_same_work(signs_in, monkeypatch) -> None:
    operations: list[str] = []
    for operation in ("bind", "search"):
        act = getattr(ldap3.Connection, operation)

        def noted(connection, *arguments, _operation=operation, _act=act, **options):
            operations.append(_operation)
            return _act(connection, *arguments, **options)

        monkeypatch.setattr(ldap3.Connection, operation, noted)
    Account.objects.create_user("gil", password="tides rise twice a day")
    sign_in("hal", PASSWORDS["hal"])
    works = []
    for name in ("hal", "ida", "gil", "nobody", "*", "h\u00adal"):
        cache.clear()
        operations.clear()
        hashed.clear()
        with CaptureQueriesContext(connection) as queries:
            sign_in(name, "wrong")
        works.append((list(operations), len(hashed), len(queries)))
    assert works[0][0] == ["bind", "search", "bind"] and works[0][1] == 1
    assert [work == works[0] for work in works] == [True] * 6
