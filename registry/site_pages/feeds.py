"""Atom feeds for those who want to hear of calls and lists without looking every day."""

from __future__ import annotations

from datetime import UTC, datetime, time

from django.contrib.syndication.views import Feed
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed

from registry.models import RankedList, Release
from registry.presentation import numbers
from registry.presentation.verdict_words import verdict_sentences, verdict_title
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.questions import filters
from registry.timeseries import series
from registry.timeseries.views_series import step_changes
from registry.web.caching import public_page

ENTRIES = 50


class Releases(Feed):  # type: ignore[type-arg]  # it takes none at run time
    """Calls for submissions that are open or were, newest first; an entry is updated when its lists are published."""

    feed_type = Atom1Feed
    title = "Highwater: releases"
    subtitle = "Calls for submissions, and when their lists are published"
    link = "/releases/"
    feed_url = "/releases/feed.atom"

    def items(self) -> QuerySet[Release]:
        return Release.objects.filter(imported=False).order_by("-held_on", "-id")[:ENTRIES]

    def item_title(self, release: Release) -> str:
        return f"{release.name}: {'published' if release.published_at else 'call for submissions'}"

    def item_description(self, release: Release) -> str:
        opens = f"Opens {numbers.format_datetime(release.opens)}. " if release.opens else ""
        lists = f" Lists: {', '.join(release.list_names)}." if release.list_names else ""
        closes = f"Closes {numbers.format_datetime(release.deadline)}." if release.deadline else ""
        return f"{opens}{closes}{lists}"

    def item_link(self, release: Release) -> str:
        return f"/releases/#{release.slug}"

    def item_updateddate(self, release: Release) -> datetime:
        """Never in the future: readers sort by it."""
        opened = release.opens if release.opens and release.opens <= timezone.now() else None
        return release.published_at or opened or release.called_at


class Lists(Feed):  # type: ignore[type-arg]  # as above
    """Ranked lists, newest first; an entry is updated when its list is amended. `?list=NAME` keeps those of a name."""

    feed_type = Atom1Feed
    subtitle = "Ranked lists as they are published and amended"
    link = "/lists/"

    def get_object(self, request: HttpRequest) -> str:
        filters.refuse_unknown(request.GET, ("list",))
        return request.GET.get("list", "")

    def title(self, name: str) -> str:
        return f"Highwater: lists {name}" if name else "Highwater: lists"

    def feed_url(self, name: str) -> str:
        return "/lists/feed.atom" + (f"?list={name}" if name else "")

    def items(self, name: str) -> QuerySet[public_record.CountedList]:
        frozen = public_record.ranked_lists().filter(frozen_at__isnull=False)
        return (frozen.filter(name=name) if name else frozen)[:ENTRIES]

    def item_title(self, ranked_list: RankedList) -> str:
        return f"{ranked_list.title}, {ranked_list.release.name}"

    def item_description(self, ranked_list: public_record.CountedList) -> str:
        copied = "Copied as published elsewhere. " if ranked_list.release.imported else ""
        entries = numbers.pluralize(ranked_list.length, "entry", "entries")
        return " ".join(filter(None, [f"{copied}{entries}.", ranked_list.note]))

    def item_link(self, ranked_list: RankedList) -> str:
        return f"/lists/{ranked_list.release.slug}/{ranked_list.name}/"

    def item_updateddate(self, ranked_list: RankedList) -> datetime | None:
        """Of a copy the day of its release: when it was loaded here is no news."""
        if ranked_list.release.imported:
            return datetime.combine(ranked_list.release.held_on, time(), UTC)
        return ranked_list.frozen_at


class Steps(Feed):  # type: ignore[type-arg]  # as above
    """Where the numbers of a system moved, and runs that were lower or higher than expected, newest first.

    All that moved between the same two results is one entry, and so is each run; what went on from a run is none.
    """

    feed_type = Atom1Feed
    subtitle = "Steps in series of results, with what else differed behind the link, and runs outside of the expected"

    def get_object(self, request: HttpRequest, slug: str) -> Row:
        query = filters.without_empty(request.GET)
        address = f"/systems/{slug}/history/"
        query_string = f"?{query.urlencode()}" if query else ""
        addresses = {"address": f"{address}{query_string}", "feed": f"{address}feed.atom{query_string}"}
        return addresses | series.series_document(slug, series.parse_selection(query))

    def title(self, history: Row) -> str:
        return f"Highwater: {history['system']['name'] or history['system']['slug']} over time"

    def link(self, history: Row) -> str:
        return str(history["address"])

    def feed_url(self, history: Row) -> str:
        return str(history["feed"])

    def items(self, history: Row) -> list[Row]:
        runs = [_run_entry(row) for row in history["unexpected"] if not row["continues"]]
        entries = [*(_step_entry(move) for move in step_changes(history)), *runs]
        return sorted(entries, key=lambda entry: entry["day"], reverse=True)[:ENTRIES]

    def item_title(self, move: Row) -> str:
        return str(move["title"])

    def item_description(self, move: Row) -> str:
        return " ".join(move["sentences"])

    def item_link(self, move: Row) -> str:
        return str(move["link"])

    def item_updateddate(self, move: Row) -> datetime:
        """Never in the future: readers sort by it."""
        return min(datetime.combine(move["day"], time(), UTC), timezone.now())


def _step_entry(move: Row) -> Row:
    title = f"{numbers.pluralize(len(move['sentences']), 'number')} moved on {move['day']}"
    return move | {"title": title, "link": f"/compare/?results={move['before']},{move['after']}"}


def _run_entry(row: Row) -> Row:
    title = f"{verdict_title(row)}, {row['day']}"
    return {
        "day": row["day"],
        "sentences": verdict_sentences(row),
        "title": title,
        "link": f"/results/{row['result']}/",
    }


@public_page
def releases(request: HttpRequest) -> HttpResponse:
    return Releases()(request)


@public_page
def lists(request: HttpRequest) -> HttpResponse:
    return Lists()(request)


@public_page
def steps(request: HttpRequest, slug: str) -> HttpResponse:
    return Steps()(request, slug=slug)
