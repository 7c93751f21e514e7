"""The answer of a search: hits by kind with their counts, and what was looked for where nothing has the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.http import QueryDict

from registry.query.public_record import Row
from registry.query.questions import study_query, unknown_values
from registry.query.row_sources import PUBLIC, RowSource
from registry.site_pages.search import record_hits, text_hits, texts
from registry.site_pages.search.hits import KindHits
from registry.site_pages.search.question import MOST_READINGS, Question, Words, parse_text

MOST_OF_EACH, MOST_OF_ONE = 10, 100
"""Hits of each kind beside the others, and of one kind alone."""
MOST_NAMES = 3
"""Words of a question that nothing answers, each looked for alone."""
FEW_WORDS = 4
"""Words of such a question up to which each is left out in turn: the last first, as people begin with what matters."""
NO_HITS = KindHits([], 0)

Finder = Callable[[Question, int], KindHits]


def _texts_of(kind: str) -> Finder:
    return lambda question, most: text_hits.find_texts(kind, question.readings, most)


FINDERS: Mapping[str, tuple[str, Finder]] = {
    "sites": ("Sites", record_hits.find_sites),
    "systems": ("Systems", record_hits.find_systems),
    "platforms": ("Platforms", record_hits.find_platforms),
    "results": ("Results", record_hits.find_results),
    "lists": ("Lists", record_hits.find_lists),
    "studies": ("Studies", _texts_of(texts.STUDY)),
    "parameters": ("Parameters", _texts_of(texts.PARAMETER)),
    "rules": ("Rules, findings and problems", _texts_of(texts.RULE)),
    "documents": ("Documents", _texts_of(texts.DOCUMENT)),
}
"""By the name of a kind in addresses its label and what finds it, in the order in which they are shown."""


@dataclass(frozen=True)
class Answer:
    """`kinds`: the hits of each kind, of those without any too.

    `instead`: the words that were looked for where nothing has those typed; `unknown`: where nothing was found, the
    values of filters that no result has, as unknown_values.explain_empty says them.
    """

    question: Question
    kinds: Mapping[str, KindHits]
    instead: Words = ()
    unknown: Sequence[Row] = ()

    @property
    def count(self) -> int:
        return sum(kind_hits.count for kind_hits in self.kinds.values())

    @property
    def hit_count(self) -> int:
        return sum(len(kind_hits.hits) for kind_hits in self.kinds.values())

    @property
    def at_least(self) -> bool:
        return any(kind_hits.at_least for kind_hits in self.kinds.values())


def parse_options(query: QueryDict) -> tuple[str, bool]:
    """`kind`, empty for all, and `literally` of a query. Raises InvalidValue for other values, or several."""
    kind = study_query.single_choice(query, "kind", FINDERS)
    return kind, study_query.single_choice(query, "literally", ("true", "false")) == "true"


def find_everything(text: str, kind: str = "", *, literally: bool = False, source: RowSource = PUBLIC) -> Answer:
    """What the words of `text` find: up to MOST_OF_EACH of every kind, or MOST_OF_ONE of one kind; counts are of all.

    Results are those of the source; all else is of the record. Where nothing has the words, names like them are looked
    for, then those of the words that are names. Raises InvalidValue for a filter's wrong value.
    """
    question = replace(parse_text(text, literally=literally), source=source)
    if not literally:
        question = _with_joined_words(question)
    answer = _search_kinds(question, kind)
    if answer.count:
        return answer
    for words in () if literally or not question.words else _other_words(question):
        second = _search_kinds(replace(question, readings=[words], synonyms=[]), kind)
        if second.count:
            return replace(second, instead=words)
    return replace(answer, unknown=unknown_values.explain_empty(question.filters, empty=True, source=source))


def _with_joined_words(question: Question) -> Question:
    free = MOST_READINGS - len(question.readings)
    joined = list(record_hits.join_neighbours(question.words))[: max(free, 0)]
    return replace(
        question,
        readings=[*question.readings, *(words for words, _ in joined)],
        synonyms=[*question.synonyms, *(word for _, word in joined)],
    )


def _other_words(question: Question) -> Iterator[Words]:
    """What to look for where nothing has the words: the likeliest first.

    The words of names in them, as in "what limits Aurora"; then all words but one, as of "random read iops".
    """
    nearest = record_hits.nearest_words(question.words)
    if nearest is not None:
        yield nearest
    words = nearest or question.words
    if len(words) > 1:
        named = record_hits.words_of_names(words)
        yield from dict.fromkeys([named, *((word,) for word in named[:MOST_NAMES])]) if named else ()
        if len(words) <= FEW_WORDS:
            shorter = ((*words[:place], *words[place + 1 :]) for place in reversed(range(len(words))))
            yield from filter(text_hits.is_in_texts, shorter)


def _search_kinds(question: Question, kind: str) -> Answer:
    """With filters only results are looked for: nothing else has a trust or a file system."""
    names: Sequence[str] = ("results",) if question.filters else tuple(FINDERS)
    if not question.readings and not question.filters:
        names = ()
    question = replace(question, name_ids=record_hits.name_ids(question))
    sizes = {name: MOST_OF_ONE if name == kind else 0 if kind else MOST_OF_EACH for name in FINDERS}
    return Answer(
        question, {name: FINDERS[name][1](question, sizes[name]) if name in names else NO_HITS for name in FINDERS}
    )
