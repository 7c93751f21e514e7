"""The pages of a shelf: what members see and do, and that nobody else does."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from submissions.models import ShelfRun
from submissions.shelf import links
from tests.registry.record import make_measurement, make_release, make_result

CHECKED_ELSEWHERE = {"/collector/"}


@pytest.fixture
def page(cast):
    """A page as a person of the cast sees it; of nobody without a name."""

    def read(name: str, path: str, form: dict | None = None):
        client = Client()
        if name:
            client.force_login(getattr(cast, name).account)
        return client.get(path) if form is None else client.post(path, form)

    return read


def text(answer) -> str:
    assert answer.status_code == 200, answer.content[:500]
    return answer.content.decode()


def test_runs_are_found_grouped_and_compared(page, shelved) -> None:
    first, second = shelved(), shelved(performance=2.0, system="Heron")
    assert "No runs yet. A run comes onto the shelf" in text(page("charlie", "/shelf/"))
    listed = text(page("bob", "/shelf/"))
    assert listed.index("Heron") < listed.index("Otter"), "newest first"
    assert page("bob", "/shelf/group/", {"results": [first.pk, second.pk], "labels": "tuned"}).status_code == 302
    assert page("bob", "/shelf/group/", {"results": first.pk, "project": "Acceptance"}).status_code == 302
    assert [row.labels for row in ShelfRun.objects.all()] == [["tuned"], ["tuned"]], "what is left empty stays"
    narrowed = text(page("bob", "/shelf/?project=Acceptance"))
    assert "Otter" in narrowed and "Heron" not in narrowed
    form = {"results": [first.pk, second.pk], "project": "", "labels": "", "csrfmiddlewaretoken": "secret"}
    answer = page("bob", "/shelf/compare/", form)
    assert answer.headers["Location"] == f"/shelf/all/compare/?results={first.pk},{second.pk}", "no token in an address"
    compared = page("bob", answer.headers["Location"])
    assert compared["Cache-Control"].startswith("private, no-store")
    assert f"/shelf/runs/{first.pk}/" in text(compared)


def test_questions_of_a_shelf_stay_in_their_scope(page, shelved) -> None:
    run = shelved()
    slug = "north-lab-otter"
    for path in (
        "study/?metric=ior-easy-write.bandwidth.phase&x=system",
        "ranking/?formula=score",
        "explore/?tool=io500",
        f"systems/{slug}/history/",
        f"systems/{slug}/sweep/",
        f"compare/?results={run.pk}",
        "study/",
        "ranking/",
        "compare/",
        "sizing/",
    ):
        for scope in ("institution", "all"):
            answer = page("alice", f"/shelf/{scope}/{path}")
            written = text(answer)
            assert answer["Cache-Control"].startswith("private, no-store")
            assert "Results of" in written
            assert not re.search(r'(href|action)="/(compare|study|ranking|explore|sizing)/["?]', written), path
            assert f"/results/{run.pk}/" not in written
            other = page("charlie", f"/shelf/{scope}/{path}")
            assert "Otter" not in other.content.decode()
            assert page("", f"/shelf/{scope}/{path}").status_code == 302
    assert page("alice", "/shelf/public/study/").status_code == 404
    assert page("alice", "/shelf/all/study/?project=a&project=b").status_code == 400


def test_every_link_of_a_shelf_leads_somewhere(page, shelved) -> None:
    """Of a system of the shelf alone, with a step of level; a feed has the public record alone, so none is offered."""
    days = [f"2026-03-{number:02}" for number in range(1, 9)]
    for place, day in enumerate(days):
        shelved(performance=2.0 if place < 4 else 3.0 + place / 100, folder=f"{day}T01.00.00")
    pages = [
        f"/shelf/{scope}/systems/north-lab-otter/{kind}/"
        for scope in ("institution", "all")
        for kind in ("history", "sweep")
    ]
    pages += ["/shelf/", "/shelf/institution/study/?metric=score&x=system", "/shelf/all/ranking/?formula=score"]
    broken = {}
    for address in pages:
        written = text(page("alice", address))
        assert "feed.atom" not in written
        for link in sorted({unescape(link) for link in re.findall(r'href="(/[^"#]*)', written)} - CHECKED_ELSEWHERE):
            status = page("alice", link).status_code
            if not link.startswith("/static/") and status >= 400:
                broken[link] = (address, status)
    assert broken == {}


def test_run_is_shared_and_no_longer(page, cast, shelved) -> None:
    run = shelved()
    address = f"/shelf/runs/{run.pk}/"
    for name in ("charlie", "dana", "erin", "fay"):
        assert page(name, address).status_code == 404
    day = (timezone.now() + timedelta(days=3)).date().isoformat()
    assert page("alice", f"{address}share/", {"username": "charlie", "until": day}).status_code == 302
    assert "shared with you" in text(page("charlie", address)) and "End sharing" not in text(page("charlie", address))
    assert page("charlie", f"{address}share/", {"username": "dana", "until": day}).status_code == 404
    assert "End sharing" in text(page("bob", address))
    assert page("bob", f"{address}unshare/", {"username": "charlie"}).status_code == 302
    assert page("charlie", address).status_code == 404


def test_refused_forms_are_shown_again(page, shelved) -> None:
    run = shelved()
    address = f"/shelf/runs/{run.pk}/"
    assert page("alice", f"{address}share/", {"username": "charlie", "until": "soon"}).status_code == 422
    assert page("alice", "/shelf/group/", {"labels": "x"}).status_code == 400
    single = {"results": run.pk, "one": "1", "labels": "x" * 41}
    assert "shelf.refused" in page("alice", "/shelf/group/", single).content.decode()
    assert page("charlie", "/shelf/group/", {"results": run.pk, "labels": "x"}).status_code == 404


def test_a_run_says_its_state_in_words_and_its_numbers_with_their_units(page, shelved) -> None:
    run = shelved()
    run.state = "changes_requested"
    run.save(update_fields=["state"])
    shelf, own = text(page("bob", "/shelf/")), text(page("bob", f"/shelf/runs/{run.pk}/"))
    assert "changes requested" in shelf and "changes requested" in own and "changes_requested" not in shelf + own
    assert ">IO500<" in shelf and ">IO500<" in own
    rows = re.findall(r'scope="row">([^<]*) <small>([^<]*)</small></th>\s*<td role="cell" class="n">([^<]*)<', own)
    assert ("IOR easy write", "bandwidth") in [row[:2] for row in rows]
    assert max(len(value) for _, _, value in rows) <= 9, "a share of a phase had twelve digits"


def test_the_view_of_a_shelf_names_its_own_address(page, shelved) -> None:
    shelved()
    written = text(page("alice", "/shelf/institution/explore/"))
    assert "<code>/shelf/institution/explore/?" in written and "<code>/explore/?" not in written


def test_links_of_a_page_stay_in_its_scope() -> None:
    run = "0a1b2c3d-0000-4000-8000-000000000000"
    html = (
        f'<a href="/results/{run}/"><a href="/results/hw-1/"><a href="/compare/?results=a"><form action="/study/">'
        '<a href="/systems/x/history/"><a href="/systems/x/"><a href="/systems/"><a href="/study/save/">'
        '<a href="/api/v1/study/?x=1"><a href="/api/v1/systems/x/sweep/"><a href="/api/v1/results/">'
    )
    assert links.keep_scope(html, "all", {}) == (
        f'<a href="/shelf/runs/{run}/"><a href="/results/hw-1/"><a href="/shelf/all/compare/?results=a">'
        '<form action="/shelf/all/study/"><a href="/shelf/all/systems/x/history/">'
        '<a href="/shelf/all/systems/x/history/"><a href="/systems/"><a href="/study/save/">'
        '<a href="/api/v1/study/?scope=all&amp;x=1"><a href="/api/v1/systems/x/sweep/?scope=all">'
        '<a href="/api/v1/results/">'
    )


def test_links_and_forms_of_a_page_keep_project_and_label() -> None:
    html = (
        '<a href="/study/"><a href="/study/#chart"><a href="/compare/?results=a"><a href="?sort=x"><a href="#main">'
        '<a href="/systems/x/"><a href="/api/v1/study/?x=1"><a href="/docs/"><code>?x=y</code><a href="">'
        '<form class="ask" action="/study/"><form><form action="/search/"><form action="/study/save/" method="post">'
    )
    query = "project=a%26%22b&amp;label=c"
    fields = '<input type="hidden" name="project" value="a&amp;&quot;b"><input type="hidden" name="label" value="c">'
    assert links.keep_scope(html, "all", {"project": 'a&"b', "label": "c"}) == (
        f'<a href="/shelf/all/study/?{query}"><a href="/shelf/all/study/?{query}#chart">'
        f'<a href="/shelf/all/compare/?{query}&amp;results=a"><a href="?{query}&amp;sort=x"><a href="#main">'
        f'<a href="/shelf/all/systems/x/history/?{query}"><a href="/api/v1/study/?scope=all&amp;{query}&amp;x=1">'
        f'<a href="/docs/"><code>?{query}&amp;x=y</code><a href="">'
        f'<form class="ask" action="/shelf/all/study/">{fields}<form>{fields}<form action="/search/">'
        '<form action="/study/save/" method="post">'
    )


@pytest.mark.parametrize("kind", ["explore/?tool=io500", "study/?metric=score&x=system", "ranking/?formula=score"])
def test_a_question_about_one_project_stays_with_it(page, shelved, kind: str) -> None:
    first = shelved()
    shelved(performance=2.0, system="Heron")
    assert page("alice", "/shelf/group/", {"results": first.pk, "project": 'A "b" & c'}).status_code == 302
    listed = text(page("alice", "/shelf/?project=A+%22b%22+%26+c"))
    address = unescape(re.search(r'href="(/shelf/institution/explore/\?[^"]*)"', listed)[1])
    assert address == "/shelf/institution/explore/?project=A+%22b%22+%26+c"
    answer = page("alice", f"/shelf/institution/{kind}&project=A+%22b%22+%26+c")
    written = text(answer)
    assert "Otter" in written and "Heron" not in written
    assert "Results of your shelf, project A &quot;b&quot; &amp; c." in written
    scoped = [unescape(link) for link in re.findall(r'(?:href|action)="(/shelf/institution/[^"]*|\?[^"]*)"', written)]
    path = f"/shelf/institution/{kind.split('?')[0]}"
    strays = [link for link in scoped if "project=A+%22b%22+%26+c" not in link and link != path]
    assert strays == [], "the address without a project is that of a form and of the link to the whole shelf"
    for form in re.findall(rf'<form[^>]*action="{path}"[^>]*>.{{0,80}}', written):
        assert 'name="project"' in form
    assert "Heron" in text(page("alice", path + "?" + kind.split("?")[1]))


def test_text_of_a_page_names_runs_and_what_is_copied_keeps_ids() -> None:
    run, other = "0a1b2c3d-0000-4000-8000-000000000000", "0a1b2c3d-0000-4000-8000-000000000001"
    html = (
        f'<title>Lab, {run}</title><a href="/results/{run}/">{run} and {other}</a><input value="{run}">'
        f"<p>see <code>compare {run}</code>, <script>x={run}</script>{run}"
        f"<pre>{run}<code>{run}</code>{run}</pre></code>{other}"
    )
    assert links.ids_on(html) == {run, other}
    assert links.name_runs(html, {run: "<night>/fio.json"}) == (
        f'<title>Lab, &lt;night&gt;/fio.json</title><a href="/results/{run}/">&lt;night&gt;/fio.json and {other}</a>'
        f'<input value="{run}"><p>see <code>compare {run}</code>, <script>x={run}</script>&lt;night&gt;/fio.json'
        f"<pre>{run}<code>{run}</code>{run}</pre></code>{other}"
    )


@pytest.mark.parametrize("results", ["x", "0a1b2c3d"])
def test_wrong_runs_to_compare_are_refused_in_words(page, shelved, results: str) -> None:
    shelved()
    answer = page("bob", "/shelf/compare/", {"results": results})
    assert answer.status_code == 400 and "results" in answer.content.decode()


def test_an_id_that_only_the_record_may_have_is_refused_with_the_wider_scope(page, shelved, published) -> None:
    mine, result = shelved(performance=2.0), published.result
    narrow = page("bob", f"/shelf/institution/compare/?results={mine.pk},{result.public_id}")
    assert narrow.status_code == 404
    assert 'The scope "all" asks the public record, too.' in unescape(narrow.content.decode())
    assert page("bob", f"/shelf/all/compare/?results={mine.pk},{result.public_id}").status_code == 200
    missing = page("bob", f"/shelf/all/compare/?results={mine.pk},hw-999").content.decode()
    assert "The scope" not in missing and "Check the address." in missing


def test_the_form_of_a_study_offers_only_what_a_run_measured(page, shelved) -> None:
    """A number that no run has would stand there without a benchmark, and its study would be empty."""
    shelved()
    form = unescape(text(page("bob", "/shelf/institution/study/")))
    (offered,) = re.findall(r'<select name="metric".*?</select>', form, re.DOTALL)
    assert "(io500)" in offered
    assert "()" not in offered


def test_choices_of_one_title_have_their_names_beside_it(page, shelved, published) -> None:
    form = unescape(text(page("bob", "/shelf/all/ranking/")))
    (offered,) = re.findall(r'<select name="condition".*?</select>', form, re.DOTALL)
    titles = re.findall(r"<option[^>]*>([^<]*)</option>", offered)
    assert len(titles) == len(set(titles)) > 10


def test_an_empty_sweep_says_that_nothing_fills_a_cell(page, shelved) -> None:
    shelved()
    written = text(page("bob", "/shelf/institution/systems/north-lab-otter/sweep/"))
    assert "This system has no IOR or mdtest result that could fill a cell." in written
    assert "were examined" not in written and "names the release" not in written


def test_results_and_own_runs_in_one_view_are_reported_as_mixed(page, shelved) -> None:
    """A reader must not take a run that nobody reviewed for a published one."""
    shelved()
    alone = text(page("alice", "/shelf/institution/explore/"))
    assert "Trust levels are mixed" not in alone and 'name="trust"' not in alone
    make_measurement(make_result(make_release("sc25"), "x-1"), "ior-easy-write", stat="phase")
    both = text(page("alice", "/shelf/all/explore/?metric=ior-easy-write.bandwidth.phase"))
    assert "Trust levels are mixed: 1 imported, 1 checked." in both


def test_a_shelf_is_narrowed_by_path_and_benchmark(page, shelved) -> None:
    shelved(), shelved(performance=2.0, system="Heron")
    everything = text(page("alice", "/shelf/"))
    assert 'name="path"' in everything and 'name="tool"' not in everything, "one benchmark leaves nothing to choose"
    assert "2 runs of your institutions." in text(page("alice", "/shelf/?path=RUN.tar"))
    assert "2 runs of your institutions." in text(page("alice", "/shelf/?tool=io500"))
    for query in ("path=%25", "path=_un", "path=elsewhere", "tool=fio", "path=run&tool=ior"):
        assert "No run of your institutions matches these filters." in text(page("alice", f"/shelf/?{query}")), query


def test_all_runs_of_a_narrowed_shelf_are_grouped_at_once(page, shelved) -> None:
    first, second = shelved(), shelved(performance=2.0, system="Heron")
    answer = page(
        "bob", f"/shelf/group/?submission={first.pk}", {"matching": "1", "project": "Acceptance", "labels": ""}
    )
    assert answer.headers["Location"] == f"/shelf/?submission={first.pk}"
    projects = dict(ShelfRun.objects.values_list("submission", "project"))
    assert projects == {first.pk: "Acceptance", second.pk: ""}
    assert (
        page("charlie", f"/shelf/group/?submission={first.pk}", {"matching": "1", "project": "Mine"}).status_code == 302
    )
    assert dict(ShelfRun.objects.values_list("submission", "project")) == projects, "of others nothing is grouped"


@pytest.mark.parametrize(
    ("query", "form", "status"),
    [
        ("", {"matching": "1", "project": "Acceptance"}, 422),
        ("?submission=", {"matching": "1", "project": "Acceptance"}, 422),
        ("?path=run", {"matching": "1", "project": "", "labels": ""}, 400),
        ("?path=run", {"matching": "1", "project": "a,b"}, 422),
        ("?submission=7", {"matching": "1", "project": "Acceptance"}, 400),
    ],
)
def test_runs_that_nobody_named_are_not_grouped(page, shelved, query, form, status) -> None:
    shelved()
    assert page("alice", f"/shelf/group/{query}", form).status_code == status
    assert ShelfRun.objects.get().project == ""
