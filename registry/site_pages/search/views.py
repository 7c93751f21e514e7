"""The page of a search."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.models import Result
from registry.query import filters
from registry.site_pages.search import find, question
from registry.site_pages.search.hits import mark_words
from registry.web.caching import public_page


@public_page
def search_page(request: HttpRequest) -> HttpResponse:
    """What the words may mean; the id of a result leads straight to it."""
    text = " ".join(filters.values_of(request.GET, "q"))
    if text and Result.objects.filter(public_id=text).exists():
        return redirect("result", public_id=text)
    kind = request.GET.get("kind", "")
    if kind and kind not in find.FINDERS:
        raise filters.InvalidValue("kind", f"one of {', '.join(find.FINDERS)}")
    answer = find.find_everything(text, kind, literally=bool(request.GET.get("literally")))
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
    context = {"text": text, "kind": kind, "answer": answer, "groups": groups, "synonyms": question.load_synonyms()}
    return render(request, "site_pages/search.html", context)
