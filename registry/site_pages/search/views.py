"""The page of a search."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.query.names.canonical_names import plain_text
from registry.query.questions import filters
from registry.site_pages.search import find, question, record_hits
from registry.site_pages.search.hits import mark_words
from registry.web.caching import public_page


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
        for name, kind_hits in answer.kinds.items()
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
