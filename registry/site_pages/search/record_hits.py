"""Rows of the record that have the words: sites, systems, platforms, lists and releases, results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise
from operator import and_, or_
from typing import Any

from django.contrib.postgres.search import SearchQuery, TrigramSimilarity
from django.db import connection
from django.db.models import CharField, Count, Max, Q, QuerySet, TextField, Value, Window
from django.db.models.expressions import OrderBy
from django.db.models.functions import Cast, Coalesce, Concat, ExtractYear

from registry.models import Fold, ListEntry, RankedList, Release, Result, Site, System
from registry.presentation import numbers
from registry.presentation.result_rows import newest_rows
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.questions import filters
from registry.query.row_sources import RowSource
from registry.site_pages.search.hits import Hit, KindHits, count_all
from registry.site_pages.search.question import NameIds, Question, Words
from registry.web.caching import kept_value

SITE, SYSTEM, PLATFORM, LIST, RELEASE, RESULT = "site", "system", "platform", "list", "release", "result"
SHORT_WORD = 4
"""Letters from which a word is looked for within words: "fio" is not found in "Gefion", "cloud" is in "Pengcloud"."""
MOST_SYSTEMS = 20
"""Systems of that name whose lists are looked up."""
MOST_COUNTED = 1_000
"""Results are counted up to here: to count more costs more the more there are."""
MOST_IDS = 1_000
"""Names with a word that are looked up before what refers to them."""


def find_sites(question: Question, most: int) -> KindHits:
    """Institutions by any of their names, those most alike first."""
    matching = _named_sites(question.readings)
    sites = list(matching.order_by(*_by_likeness(question, "name"))[:most])
    current = public_record.current_results(Q(site__in=sites)).order_by()
    counts = dict(current.values("site").annotate(count=Count("pk")).values_list("site", "count")) if sites else {}
    hits = [
        Hit(SITE, site.name, f"/sites/{site.slug}/", _count_words(counts.get(site.pk, 0), "result")) for site in sites
    ]
    return count_all(hits, most, matching)


def find_systems(question: Question, most: int) -> KindHits:
    """Systems by their names and their institution's; then those that have a matching result."""
    called = _named_systems(question)
    with_results = public_record.current_results(_results_condition(question))
    # One set of ids: with two conditions each system would be looked at.
    ids = called.order_by().values("pk").union(with_results.order_by().values("system"))
    either = public_record.current_systems().filter(pk__in=ids)
    # Counted with the first rows: to look for them a second time costs as much again.
    best = either.select_related("site").order_by(*_by_likeness(question, "name")).annotate(count=Window(Count("pk")))
    rows = list(best[:most])
    totals = _system_totals(rows)
    hits = [Hit(SYSTEM, str(row), f"/systems/{row.slug}/", totals.get(row.pk, ""), row.site.name) for row in rows]
    return KindHits(hits, rows[0].count if rows else 0 if most else either.count())


def _system_totals(systems: Sequence[System]) -> dict[int, str]:
    """By system its current results and their highest score, in words. One query, none without a system."""
    if not systems:
        return {}
    current = public_record.current_results(Q(system__in=systems)).order_by().values("system")
    rows = current.annotate(count=Count("pk"), best=Max("score")).values_list("system", "count", "best")
    return {
        system: _count_words(count, "result") + (f", highest score {numbers.format_decimal(best)}" if best else "")
        for system, count, best in rows
    }


def find_platforms(question: Question, most: int) -> KindHits:
    text = Concat("name", Value(" "), "vendor", output_field=TextField())
    platforms = (
        public_record.current_platforms().alias(folded=Fold(text)).filter(_has_readings("folded", question.readings))
    )
    hits = [Hit(PLATFORM, row.name, f"/platforms/{row.slug}/", "", row.vendor) for row in platforms[:most]]
    return count_all(hits, most, platforms)


def find_lists(question: Question, most: int) -> KindHits:
    """Releases and lists by their names, newest first; then the lists on which the systems of that name stand."""
    if not question.readings:
        return KindHits([], 0)
    releases = Release.objects.alias(folded=_release_text()).filter(_has_readings("folded", question.readings))
    lists = public_record.ranked_lists().alias(folded=_list_text()).filter(_has_readings("folded", question.readings))
    hits = [Hit(RELEASE, row.name, f"/releases/{row.slug}/", "", "release") for row in releases]
    hits += [_list_hit(row, f"{row.length:,} entries") for row in lists]
    systems = list(_named_systems(question).values_list("pk", flat=True)[:MOST_SYSTEMS])
    if systems:
        hits += _lists_with(systems, {hit.url for hit in hits})
    return KindHits(hits[:most], len(hits))


def find_results(question: Question, most: int) -> KindHits:
    """Current results that have the words and meet the filters, newest first. Raises InvalidValue."""
    condition = _results_condition(question)
    counted = public_record.current_results(condition, question.source).order_by()[: MOST_COUNTED + 1].count()
    rows = _with_best_ranks(newest_rows(condition, most, question.source)) if counted and most else []
    return KindHits(
        [_result_hit(row, question.source) for row in rows], min(counted, MOST_COUNTED), counted > MOST_COUNTED, rows
    )


def _with_best_ranks(rows: Sequence[Row]) -> list[Row]:
    """Rows with `ranked_on`: best rank, title of the list and release, or empty. One query."""
    entries = ListEntry.objects.filter(result__public_id__in=[row["id"] for row in rows])
    names = ("rank", "ranked_list__title", "ranked_list__release__name")
    best: dict[str, str] = {}
    for public_id, rank, title, release in entries.order_by(
        "rank", "-ranked_list__release__held_on", "ranked_list"
    ).values_list("result__public_id", *names):
        best.setdefault(public_id, f"rank {rank:,}, {title}, {release}")
    return [row | {"ranked_on": best.get(row["id"], "")} for row in rows]


def find_id(text: str) -> str:
    """The id of the result, withdrawn or not, that `text` is in any case; else empty. One query."""
    return Result.objects.filter(_has_id(text)).values_list("public_id", flat=True).first() or ""


def _has_id(text: str) -> Q:
    return Q(public_id__in=[text, text.lower()])


def _has_number(text: str) -> Q:
    """Of a copied result that `text` is its number at IO500."""
    return Q(public_id=f"io500-{text}") if text.isdecimal() else Q()


def _result_hit(row: Row, source: RowSource) -> Hit:
    when = row["release_name"] or f"{row['submitted_on'] or ''}"
    score = "" if row["score"] == numbers.MISSING else f"score {row['score']}"
    facts = (row["institution"], row["filesystem_type"], when, row["trust_label"], score)
    title = f"{row['system'] or row['id']}, {row['tool']}"
    return Hit(RESULT, title, source.result_page(row["id"]), "", ", ".join(filter(None, facts)))


def nearest_words(words: Words) -> Words | None:
    """The words with each that no name begins with replaced by the name's word most like it; None where none is.

    Words of fewer than SHORT_WORD letters are mostly abbreviations, which other letters make another thing: they stay.
    Two letters that changed places make a word less alike than they should: put back, they come first.

    Two queries, the first of them once until the record changes.
    """
    name_words = _known_words()
    with connection.cursor() as cursor:
        cursor.execute(_NEAREST, {"words": list(words), "least": LEAST_ALIKE, "known": name_words, "short": SHORT_WORD})
        alike = cursor.fetchall()
    known_words = frozenset(name_words)
    nearest = tuple(_undo_swap(word, known_words) or nearest or word for word, nearest in alike)
    return nearest if nearest != words else None


def _undo_swap(word: str, known_words: Collection[str]) -> str:
    """The known word that this is with two neighbouring letters in each other's place; empty for a known word."""
    if word in known_words:
        return ""
    swapped = (word[:place] + word[place + 1] + word[place] + word[place + 2 :] for place in range(len(word) - 1))
    return next((each for each in swapped if each in known_words), "")


def words_of_names(words: Words) -> Words:
    """Of these words those of SHORT_WORD letters or more that are words of names of sites, systems or platforms."""
    named = frozenset(kept_value("words-of-names-3", partial(_list_words, _NAMES)))
    return tuple(word for word in words if len(word) >= SHORT_WORD and word in named)


def join_neighbours(words: Words) -> Iterator[tuple[Words, str]]:
    """The words with two neighbours as the one word of a name that they are together, as "isc 25"; and that word."""
    pairs = list(pairwise(words))
    known_words = frozenset(_known_words()) if pairs else frozenset[str]()
    for place, pair in enumerate(pairs):
        joined = "".join(pair)
        if joined in known_words:
            yield (*words[:place], joined, *words[place + 2 :]), joined


LEAST_ALIKE = 0.4
"""Share of common trigrams from which a word may be meant: "arora" and "aurora" have 0.44."""
_WORDS = "SELECT DISTINCT regexp_split_to_table(btrim(highwater_fold(name)), ' ') FROM ({names}) AS names"
_NAMES = (
    "SELECT name FROM registry_site"
    " WHERE slug <> %(erased)s AND EXISTS (SELECT 1 FROM registry_result WHERE site_id = registry_site.id)",
    "SELECT name FROM registry_system WHERE slug <> %(erased)s AND merged_into_id IS NULL",
    "SELECT name FROM registry_platform WHERE merged_into_id IS NULL",
)
_NAMES_AND_TITLES = (
    *_NAMES,
    "SELECT DISTINCT filesystem_family FROM registry_result",
    "SELECT slug FROM registry_release",
    "SELECT title FROM registry_searchtext",
)
_NEAREST = """
WITH known AS MATERIALIZED (SELECT unnest(%(known)s::text[]) AS word)
SELECT typed.word, (
    SELECT known.word FROM known
    WHERE (known.word LIKE typed.word || '%%' OR similarity(known.word, typed.word) >= %(least)s)
    AND char_length(typed.word) >= %(short)s
    ORDER BY (known.word LIKE typed.word || '%%') DESC, similarity(known.word, typed.word) DESC, known.word LIMIT 1
) FROM unnest(%(words)s::text[]) WITH ORDINALITY AS typed (word, place) ORDER BY place
"""


def _known_words() -> list[str]:
    """The words of all public names, kept until the record changes."""
    return kept_value("words-of-names-2", partial(_list_words, _NAMES_AND_TITLES))


def _list_words(names: Sequence[str]) -> list[str]:
    """Every word of the names that these queries select."""
    with connection.cursor() as cursor:
        cursor.execute(_WORDS.format(names=" UNION ALL ".join(names)), {"erased": public_record.ERASED_SLUG})
        return [word for (word,) in cursor.fetchall()]


def _named_sites(readings: Sequence[Words]) -> QuerySet[Site]:
    names = Concat("name", Value(" "), Cast("also_printed_as", TextField()), output_field=TextField())
    return public_record.current_sites().alias(folded=Fold(names)).filter(_has_readings("folded", readings))


def name_ids(question: Question) -> NameIds:
    """Of each word the ids of sites, systems and releases that have it in their names, where they are not too many.

    PostgreSQL finds the rows of known ids by indexes, and not those of a query among alternatives. One query.
    Other sources than the record have systems of their own.
    """
    if not question.source.is_public or not question.readings:
        return {}
    kinds_and_words = [(kind, word) for word in sorted(set().union(*question.readings)) for kind in _NAMED]
    columns = ("kind", "word", "pk")
    parts = [
        _NAMED[kind](word).annotate(kind=Value(kind), word=Value(word)).values_list(*columns)[: MOST_IDS + 1]
        for kind, word in kinds_and_words
    ]
    ids: dict[tuple[str, str], list[int]] = {kind_and_word: [] for kind_and_word in kinds_and_words}
    for kind, word, pk in parts[0].union(*parts[1:], all=True):
        ids[kind, word].append(pk)
    return {kind_and_word: pks for kind_and_word, pks in ids.items() if len(pks) <= MOST_IDS}


def _sites_with_word(word: str) -> QuerySet[Site]:
    return Site.objects.order_by().alias(folded=Fold("name")).filter(_has_word("folded", word))


def _systems_with_word(word: str) -> QuerySet[System]:
    return System.objects.order_by().alias(folded=Fold("name")).filter(_has_word("folded", word))


def _releases_with_word(word: str) -> QuerySet[Release]:
    return Release.objects.order_by().alias(folded=_release_text()).filter(_has_word("folded", word))


_NAMED: Mapping[str, Callable[[str], QuerySet[Any]]] = {
    SITE: _sites_with_word,
    SYSTEM: _systems_with_word,
    RELEASE: _releases_with_word,
}


def _ids_of(kind: str, question: Question, word: str) -> Sequence[int] | QuerySet[Any]:
    """Ids, or the query that finds them."""
    ids = question.name_ids.get((kind, word))
    return _NAMED[kind](word).values("pk") if ids is None else ids


def _named_systems(question: Question) -> QuerySet[System]:
    """Systems that have the words in their name, a former name, or their institution's."""

    def has_word(word: str) -> Q:
        return _has_word("folded", word) | Q(site__in=_ids_of(SITE, question, word))

    by_names = System.objects.order_by().alias(folded=Fold("name")).filter(_meet_reading(question.readings, has_word))
    now = by_names.filter(public_record.is_public_name("system")).values(now=Coalesce("merged_into", "pk"))
    return public_record.current_systems().filter(pk__in=now)


def _results_condition(question: Question) -> Q:
    """Of results that they meet all filters, and have every word of one of the readings, or the text as their id."""
    met = filters.result_conditions(question.filters, question.source)
    if not question.readings:
        return met
    return met & (
        _meet_reading(question.readings, partial(_result_has_word, question))
        | _has_id(question.text)
        | _has_number(question.text)
    )


def _result_has_word(question: Question, word: str) -> Q:
    """In the names that a result prints, its release, its benchmark, or the names of its system and institution."""
    condition = Q(search=SearchQuery(f"'{word}':*", search_type="raw", config="simple")) | Q(tool=word)
    condition |= Q(release__in=_ids_of(RELEASE, question, word)) | Q(system__in=_ids_of(SYSTEM, question, word))
    return condition | Q(site__in=_ids_of(SITE, question, word))


def _has_readings(folded: str, readings: Sequence[Words]) -> Q:
    """Of a folded text that it has every word of one of the readings."""
    return _meet_reading(readings, partial(_has_word, folded))


def _meet_reading(readings: Sequence[Words], has_word: Callable[[str], Q]) -> Q:
    """Of rows that have every word of one of the readings; none where there is no reading.

    A word of all readings is looked for once: making the query costs more than what it reads.
    """
    if not readings:
        return Q(pk__in=[])
    common = set(readings[0]).intersection(*readings[1:])
    others = [[word for word in dict.fromkeys(words) if word not in common] for words in readings]
    shared = reduce(and_, map(has_word, sorted(common)), Q())
    if not all(others):
        return shared
    return shared & reduce(or_, (reduce(and_, map(has_word, words)) for words in others))


def _has_word(folded: str, word: str) -> Q:
    """A folded text has a space before each word."""
    return Q(**{f"{folded}__contains": word if len(word) >= SHORT_WORD else f" {word}"})


def _by_likeness(question: Question, field: str) -> tuple[OrderBy, str, str]:
    return TrigramSimilarity(Fold(field), " ".join(question.words)).desc(), field, "pk"


def _release_text() -> Fold:
    year = Cast(ExtractYear("held_on"), CharField())
    return Fold(Concat("slug", Value(" "), "name", Value(" "), year, output_field=TextField()))


def _list_text() -> Fold:
    year = Cast(ExtractYear("release__held_on"), CharField())
    parts = ("title", "name", "release__slug", "release__name", year)
    spaced = [piece for part in parts for piece in (part, Value(" "))]
    return Fold(Concat(*spaced, Value("list"), output_field=TextField()))


def _list_hit(row: RankedList, summary: str) -> Hit:
    return Hit(LIST, f"{row.title}, {row.release.name}", f"/lists/{row.release.slug}/{row.name}/", summary)


def _lists_with(systems: Sequence[int], known_addresses: set[str]) -> list[Hit]:
    """The lists on which results of these systems stand, newest first, each with the best rank; not withdrawn ones."""
    standing = ListEntry.objects.filter(result__system__in=systems, result__withdrawn_at=None)
    entries = standing.order_by("ranked_list", "rank")
    best = {
        ranked_list: f"rank {rank}: {name or institution}"
        for ranked_list, rank, name, institution in entries.distinct("ranked_list").values_list(
            "ranked_list", "rank", "system_name", "institution"
        )
    }
    rows = [_list_hit(row, best[row.pk]) for row in public_record.ranked_lists().filter(pk__in=best)]
    return [hit for hit in rows if hit.url not in known_addresses]


def _count_words(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
