"""The page of a search."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.query.names.canonical_names import plain_text
from registry.query.questions import filters
from registry.site_pages.search import find, question, record_hits
from registry.site_pages.search.hits import KindHits, mark_words
from registry.web.caching import public_page

QUESTIONS = ("how ", "what ", "why ", "where ", "who ", "when ", "can ", "may ", "must ", "do ", "does ", "is ")


def _distance_of_kind(name: str, kind_hits: KindHits, text: str) -> int:
    """0 where a hit is named as typed, 1 where one begins so, else 2.

    Documents explain what others are, so they come one later; they answer questions. Codes begin with the benchmark
    that they are of.
    """
    titles = [hit.title.casefold().replace(" ", "") for hit in kind_hits.hits]
    typed = text.casefold().replace(" ", "")
    if typed in titles or (name == "documents" and text.casefold().startswith(QUESTIONS)):
        return int(name == "documents")
    begins = name not in ("parameters", "rules", "documents") and any(title.startswith(typed) for title in titles)
    return 1 if begins else 2


@public_page
def search_page(request: HttpRequest) -> HttpResponse:
    """What the words may mean; the id of a result leads straight to it."""
    text = plain_text(" ".join(filters.values_of(request.GET, "q")))
    if public_id := record_hits.find_id(text):
        return redirect("result", public_id=public_id)
    kind, literally = find.parse_options(request.GET)
    answer = find.find_everything(text, kind, literally=literally)
    words = [word for reading in answer.question.readings for word in reading]
    groups = [
        {
            "name": name,
            "label": find.FINDERS[name][0],
            "kind_hits": kind_hits,
            "hits": [(hit, mark_words(hit.title, words), mark_words(hit.summary, words)) for hit in kind_hits.hits],
        }
        for name, kind_hits in sorted(answer.kinds.items(), key=lambda kind: _distance_of_kind(kind[0], kind[1], text))
    ]
    literal_query = {"q": text, "literally": "true", **({"kind": kind} if kind else {})}
    context = {
        "text": text,
        "literal_query": urlencode(literal_query),
        "kind": kind,
        "kind_label": find.FINDERS[kind][0] if kind else "",
        "answer": answer,
        "groups": groups,
        "synonyms": question.load_synonyms(),
    }
    return render(request, "site_pages/search.html", context)
