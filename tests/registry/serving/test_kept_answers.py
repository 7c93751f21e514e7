"""Kept answers: the same bytes as without them, for strangers alone, and gone with the next write to the record."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import get_resolver

from registry.database import public_writes
from registry.models import RankedList, Result
from registry.serving import kept_answers, kept_routes
from registry.serving.kept_answers import ANSWERS
from tests.registry.record import empty, make_list, make_measurement, make_platform, make_release, make_result

LIST = "/lists/t1/full/"
PAGES = (
    *("/", "/about/", "/lists/", LIST, f"{LIST}?ordering=-entered&per=client", "/analysis/full/", "/releases/"),
    *("/releases/t1/", "/results/", "/results/hw-1/", "/results/hw-1/badge.svg", "/systems/", "/sites/", "/platforms/"),
    *("/systems/site-one-test-system-a/", "/sites/site-one/", "/platforms/maker-200/", "/docs/"),
    *("/parameters/", "/lists/feed.atom", "/systems/site-one-test-system-a/history/"),
)
CALLS = (
    *("lists/", "lists/t1/full/", "lists/t1/full/?format=csv", "results/", "results/hw-1/", "releases/t1/"),
    *("systems/", "sites/site-one/", "studies/", "results/hw-1/citation/", "analysis/full/"),
)
ADDRESSES = (*PAGES, *(f"/api/v1/{call}" for call in CALLS))
GZIP = {"Accept-Encoding": "gzip"}
OWN_TO_AN_ANSWER = {"X-Request-ID"}


@pytest.fixture(autouse=True)
def record(settings, monkeypatch, django_db_setup, django_db_blocker) -> Iterator[RankedList]:
    """A frozen list with two results, committed. Answers are kept; every request asks for the state of the record."""
    settings.KEPT_ANSWERS_BYTES = 10_000_000
    with django_db_blocker.unblock():
        try:
            yield from _keep_answers(monkeypatch)
        finally:
            empty()
            get_user_model().objects.all().delete()


def _keep_answers(monkeypatch) -> Iterator[RankedList]:
    monkeypatch.setattr(public_writes, "KNOWN_FOR_S", 0.0)
    release, platform = make_release("t1"), make_platform("maker-200", "Maker 200")
    results = [make_result(release, f"hw-{n}", platform=platform) for n in (1, 2)]
    make_measurement(results[0])
    ranked_list = make_list(release, "full", results)
    ANSWERS.drop_all()
    yield ranked_list
    ANSWERS.drop_all()


@pytest.fixture
def editor() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("zelda", role="editor"))
    return client


def ask(address: str, client: Client | None = None, **headers: str):
    return (client or Client()).get(address, headers={name.replace("_", "-"): value for name, value in headers.items()})


def content_of(answer) -> tuple[int, bytes, dict[str, str]]:
    headers = {name: value for name, value in answer.headers.items() if name not in OWN_TO_AN_ANSWER}
    if "Vary" in headers:
        headers["Vary"] = ", ".join(sorted(name.strip() for name in headers["Vary"].split(",")))
    return answer.status_code, answer.content, headers


def test_a_stranger_gets_what_the_views_make(settings, editor) -> None:
    """Crawled by an editor first, then by a stranger twice, and by one where nothing is kept."""
    for address in ADDRESSES:
        ask(address, editor)
    assert len(ANSWERS) == 0
    first = {address: content_of(ask(address)) for address in ADDRESSES}
    assert len(ANSWERS) == len(ADDRESSES)
    again = {address: content_of(ask(address)) for address in ADDRESSES}
    settings.KEPT_ANSWERS_BYTES = 0
    for address in ADDRESSES:
        without = content_of(ask(address))
        if "Accept-Encoding" in first[address][2].get("Vary", ""):  # what is compressed says so to everybody
            without[2]["Vary"] = ", ".join(
                sorted({*without[2].get("Vary", "Accept-Encoding").split(", "), "Accept-Encoding"})
            )
        assert without[0] == 200
        assert first[address] == again[address] == without, address


def test_an_editor_gets_the_own_page_beside_what_is_kept(editor) -> None:
    stranger = ask(LIST)
    assert "zelda" in ask(LIST, editor).content.decode()
    assert "zelda" not in stranger.content.decode()
    assert ask(LIST).content == stranger.content


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer hw_wrong"},
        {"Cookie": "sessionid=abc"},
        {"Cookie": "theme=dark; csrftoken=abc"},
        {"Cookie": "theme=purple"},
        {"Cookie": "messages=abc"},
        {"If_Match": '"a"'},
        {"Range": "bytes=0-9"},
    ],
)
def test_a_request_with_more_than_an_address_neither_reads_nor_adds(headers: dict[str, str], monkeypatch) -> None:
    ask(LIST, **headers)
    assert len(ANSWERS) == 0
    ask(LIST)
    monkeypatch.setattr(ANSWERS, "find_answer", lambda *_: pytest.fail("a kept answer was read"))
    ask(LIST, **headers)


@pytest.mark.parametrize(
    "address",
    [
        f"{LIST}?q=lustre",
        f"{LIST}?page=0",
        f"{LIST}?page=101",
        f"{LIST}?page=2&page=3",
        f"{LIST}?ordering=" + "a" * 200,
        f"{LIST}?r=hw-1",
        "/search/?q=a",
        "/studies/",
        "/compare/?results=hw-1,hw-2",
        "/api/v1/results/?tool=io500",
        "/api/v1/lists/t1/full/?format=xml",
        "/api/v1/results/?scope=institution",
        "/lists/none/full/",
        "/lists/t1/",
        "/no-such-page/",
        "/livez",
        "/login/",
        "/account/",
    ],
)
def test_an_address_with_endless_variants_is_not_kept(address: str) -> None:
    ask(address)
    assert len(ANSWERS) == 0


def test_other_methods_pass_by() -> None:
    for method in ("post", "put", "delete", "options"):
        getattr(Client(), method)(LIST)
    assert len(ANSWERS) == 0


def test_a_closed_registry_keeps_nothing(settings) -> None:
    ask(LIST)
    settings.READ_REQUIRES_LOGIN = True
    assert ask(LIST).status_code != 200
    assert ask(f"/api/v1{LIST}").status_code != 200


def test_a_withdrawal_is_seen_by_the_next_reader() -> None:
    assert "withdrawn" not in ask("/results/hw-1/").content.decode().lower()
    Result.objects.filter(public_id="hw-1").update(withdrawn_at="2026-06-01T00:00Z", withdrawn_reason="Wrong disks")
    assert "Wrong disks" in ask("/results/hw-1/").content.decode()
    assert len(ANSWERS) == 1, "what told the earlier record is gone"


def test_a_name_that_is_taken_away_is_not_sent_again() -> None:
    tag = ask(LIST)["ETag"]
    assert "Site One" in ask(LIST).content.decode()
    RankedList.objects.get().entries.update(institution="Anonymous")
    answer = ask(LIST, If_None_Match=tag)
    assert (answer.status_code, "Site One" in answer.content.decode()) == (200, False)


def test_an_answer_of_an_earlier_state_is_not_keep_answers(monkeypatch) -> None:
    answers = kept_answers.KeptAnswers()
    question = kept_answers.Question("http", "localhost", "/", "", "", "")
    answer = kept_answers.Answer("before", float("inf"), {}, b"old", is_compressed=False)
    answers.find_answer(question, "after")
    answers.keep_answer(question, answer)
    assert len(answers) == 0


def test_no_kept_answer_is_used_while_the_state_is_unknown(monkeypatch) -> None:
    ask(LIST)
    monkeypatch.setattr(public_writes, "current_state", lambda: None)
    monkeypatch.setattr(ANSWERS, "find_answer", lambda *_: pytest.fail("a kept answer was read"))
    assert ask(LIST).status_code == 200


@pytest.mark.parametrize("address", [LIST, f"/api/v1{LIST}", "/results/hw-1/"])
def test_the_etag_is_that_of_the_views_and_gives_304(settings, address: str) -> None:
    settings.KEPT_ANSWERS_BYTES = 0
    plain, packed = ask(address), ask(address, **GZIP)
    without = ask(address, If_None_Match=plain["ETag"])
    settings.KEPT_ANSWERS_BYTES = 10_000_000
    for headers, expected in (({}, plain), (GZIP, packed)):
        for _ in range(2):
            answer = ask(address, **headers)
            assert answer["ETag"] == expected["ETag"]
            unchanged = ask(address, If_None_Match=answer["ETag"], **headers)
            assert (unchanged.status_code, unchanged.content) == (304, b"")
    answer = ask(address, If_None_Match=plain["ETag"])
    lacking = set(without.headers) - set(answer.headers)
    assert lacking == set(), "a 304 lacks what that of the view has"
    assert ask(address, If_None_Match='"another"').status_code == 200


def test_the_content_is_compressed_for_who_takes_it() -> None:
    plain, packed = ask(LIST), ask(LIST, **GZIP)
    assert "Content-Encoding" not in plain and packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(ANSWERS) == 1
    assert [int(answer["Content-Length"]) for answer in (plain, packed)] == [len(plain.content), len(packed.content)]
    assert "Accept-Encoding" in plain["Vary"]
    refusing = ask(LIST, **{"Accept-Encoding": "gzip;q=0, *"})
    assert ("Content-Encoding" in refusing, refusing.content) == (False, plain.content)


def test_each_theme_and_host_has_its_own() -> None:
    dark = ask(LIST, Cookie="theme=dark").content
    assert dark != ask(LIST).content
    assert ask(LIST, Cookie="theme=dark").content == dark
    on_other_host = Client().get(LIST, headers={"Host": "127.0.0.1"})
    assert on_other_host.status_code == 200 and len(ANSWERS) == 3


@pytest.mark.parametrize("name", ["hw-\u0661", "\U0001f600", "fj\u00f6rd", "\ufffd"])
@pytest.mark.parametrize("address", ["/results/{}/", "/api/v1/results/{}/", "/sites/{}/", "/platforms/{}/"])
def test_a_name_in_other_letters_is_not_found(settings, address: str, name: str) -> None:
    answer = ask(address.format(name))
    settings.KEPT_ANSWERS_BYTES = 0
    of_views = ask(address.format(name))
    assert (answer.status_code, answer.content) == (of_views.status_code, of_views.content)
    assert of_views.status_code == 404


def test_a_host_that_is_not_ours_is_refused() -> None:
    ask(LIST)
    assert Client().get(LIST, headers={"Host": "elsewhere.example"}).status_code == 400


def test_head_has_the_headers_of_get() -> None:
    got, headed = ask(LIST), Client().head(LIST)
    assert got["ETag"] == headed["ETag"] and len(ANSWERS) == 1


def test_memory_is_bounded(settings) -> None:
    ask(LIST)
    settings.KEPT_ANSWERS_BYTES = ANSWERS.size
    ask("/lists/")
    assert 0 < ANSWERS.size <= settings.KEPT_ANSWERS_BYTES and len(ANSWERS) == 1


def test_an_answer_grows_old(monkeypatch) -> None:
    monkeypatch.setattr(kept_routes, "ROUTES", {name: (0, values) for name, (_, values) in kept_routes.ROUTES.items()})
    monkeypatch.setattr(kept_answers, "seconds_kept", lambda request: -1)
    ask(LIST)
    assert ANSWERS.find_answer(kept_answers.Question("http", "testserver", LIST, "", "", ""), ANSWERS._state) is None


def test_a_kept_answer_is_made_from_a_request_with_nothing_of_the_client(settings, monkeypatch) -> None:
    """From a request that has nothing of the one that came."""
    requests = []
    usual = kept_answers.render_public_answer

    def watch(get_response, request, theme):
        return usual(lambda clean: (requests.append(clean), get_response(clean))[1], request, theme)

    monkeypatch.setattr(kept_answers, "render_public_answer", watch)
    ask(LIST, X_Secret="s", User_Agent="u", Referer="http://elsewhere.example/", HX_Request="true", Cookie="theme=dark")
    (clean,) = requests
    assert set(clean.META) <= {*kept_answers._COPIED, "REQUEST_METHOD", "wsgi.input", "HTTP_COOKIE"}
    assert clean.META["HTTP_COOKIE"] == "theme=dark"


@pytest.mark.django_db
def test_every_kept_address_is_one_of_ours_and_public() -> None:
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert set(kept_routes.ROUTES) <= names
    assert django_settings.MIDDLEWARE.index("registry.serving.kept_answers.KeptAnswersMiddleware") < (
        django_settings.MIDDLEWARE.index("django.contrib.sessions.middleware.SessionMiddleware")
    )
