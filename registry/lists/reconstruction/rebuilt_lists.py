"""A list rebuilt when it is asked for, out of what the record holds: nothing is stored, and no official list reads it.

It goes on from the last list of that name that is known whole, adds what came with later releases, and ranks by the
rules that lists are made by. What the archives do not say, such as who was entered for ranking, the answer says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.db.models.fields.json import KeyTransform

from registry.errors import Problem
from registry.lists.definitions import SCORED
from registry.lists.ranking import Exclusion, natural_key
from registry.lists.reconstruction.rebuilt_ranking import PRODUCTION, RULES, rank_rebuilt
from registry.models import ListEntry, RankedList, Release, Result
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.responses.trust_levels import count_caveat, join_caveat

TITLES = {"io500": "IO500", "ten": "10-node", "full": "Full"}
REBUILT_AS = {"io500": "io500", "production": "io500", "ten": "ten", "ten-production": "ten", "full": "full"}
"""By name of a list the reconstruction that its entries stand on."""
_OTHER_ROUND = "mlperf-"
"""How the slugs of imported rounds begin that are none of IO500."""
_FIRST_RANKS = (Release.Completeness.TOP10, Release.Completeness.PARTIAL, Release.Completeness.MISSING)
_FIGURES = (
    *(
        "public_id",
        "institution",
        "system_name",
        "filesystem_type",
        "client_nodes",
        "trust",
        "rules_violated",
        "submitted_on",
    ),
    *("score", "bandwidth_gib_per_s", "rate_kiops", "site__slug", "system__slug", "release__slug"),
    "release__held_on",
)

ENTERED = (
    "Whether a run that no list shows was entered for ranking, no archive says: each is taken as entered. What the "
    "committee decided about it, if anything, is not known."
)
NOT_SPLIT = (
    "Since ISC23 the official lists part systems in production from research. No archive says which a system is, so "
    "both stand together here."
)


class NotReconstructed(Problem):
    """No reconstruction is made of that list; the detail says why, the hint where to look."""

    status = 404
    code = "list.not-reconstructed"
    title = "That list is not reconstructed"


@dataclass(frozen=True)
class Reconstruction:
    """A rebuilt list: `entries` by rank, and `facts` about them, under the names of the API."""

    release: Release
    name: str
    facts: Row
    entries: list[Row]


def reconstruction_name(ranked_list: RankedList) -> str | None:
    """The name of the reconstruction beside an official list; None where the list is known whole, or none is made."""
    misses_ranks = not ranked_list.complete and can_be_reconstructed(ranked_list.release)
    return REBUILT_AS.get(ranked_list.name) if misses_ranks else None


def describe_completeness(ranked_list: RankedList, length: int) -> str:
    """How many entries of a list are known, and of how many, in words."""
    if ranked_list.complete:
        return f"{length} of {length} entries"
    return f"{length} entries, the first ranks only; how many the list has is not known"


def can_be_reconstructed(release: Release) -> bool:
    return release.imported and is_of_io500(release) and release.completeness in _FIRST_RANKS


def is_of_io500(release: Release) -> bool:
    """Whether IO500 made lists of a release; other rounds have no list that could be rebuilt."""
    return not release.slug.casefold().startswith(_OTHER_ROUND)


def rebuild_list(release_text: str, name: str) -> Reconstruction:
    """The reconstruction of a list, in six queries however long it is. Raises NotOnRecord and NotReconstructed."""
    release = public_record.find_release(release_text)
    last_complete = _last_known_whole(release, name.lower())
    official_names = _official_names(last_complete.name)
    official_lists = list(release.ranked_lists.filter(name__in=official_names).order_by("position"))
    published = _published_since(last_complete, release)
    pool = _candidates(last_complete, release)
    best_per = last_complete.definition.body.get("best_per", []) if last_complete.definition else []
    listed, exclusions = rank_rebuilt(last_complete.name, best_per, pool, published, release.pk)
    ranks = {(row["list"], row["result"]): row["rank"] for row in published if row["release"] == release.pk}
    by_id = {row["public_id"]: row for row in pool}
    entries = [_as_entry(rank, by_id[result], ranks, official_names) for rank, result in listed]
    is_split = any(row["list"] in PRODUCTION for row in published)
    title = TITLES[last_complete.name]
    expected_lists = [name for name in official_names if is_split or name not in PRODUCTION]
    undated = public_record.current_results(Q(tool=SCORED, trust=Result.Trust.DERIVED, release=None)).count()
    archives = sum(row["trust"] == Result.Trust.DERIVED for row in pool)
    facts = {
        "release": release.slug,
        "release_name": release.name,
        "list": last_complete.name,
        "title": f"{title}, production and research together" if is_split else title,
        "statement": f"Reconstructed by Highwater from {archives} published archives; not an IO500 list.",
        "archives": archives,
        "copied": len(pool) - archives,
        "goes_on_from": f"{last_complete.release.slug}/{last_complete.name}",
        "rules": _rules_text(last_complete, release),
        "not_known": [
            *_unknown_lists_text(release, expected_lists, official_lists),
            *([NOT_SPLIT] if is_split else []),
            ENTERED,
            *_undated_text(undated),
        ],
        "official": [_compare_official(ranked_list, ranks, by_id, listed) for ranked_list in official_lists],
        "left_out": _group_reasons(exclusions),
        "length": len(entries),
    }
    return Reconstruction(release, last_complete.name, facts, entries)


def _last_known_whole(release: Release, name: str) -> RankedList:
    """The newest official list of that name before the release that is known whole. Raises NotReconstructed."""
    if not can_be_reconstructed(release):
        why = f"{release.name} is known whole" if release.imported else f"The lists of {release.name} are made here"
        why = why if is_of_io500(release) or not release.imported else f"IO500 made no list of {release.name}"
        raise NotReconstructed(hint=f"{why}: see /lists/{release.slug}/.")
    if name in PRODUCTION:
        why = "The committee decides which systems are in production, and no archive says it."
        address = f"/lists/{release.slug}/{REBUILT_AS[name]}/reconstructed/"
        raise NotReconstructed(hint=f"{why} {address} has production and research together.")
    if name not in RULES:
        raise NotReconstructed(hint=f"Lists that are reconstructed: {', '.join(RULES)}.")
    complete_lists = RankedList.objects.filter(name=name, complete=True, trust=Result.Trust.IMPORTED)
    last_complete = (
        complete_lists.filter(release__held_on__lt=release.held_on, release__completeness=Release.Completeness.COMPLETE)
        .select_related("release", "definition")
        .order_by("-release__held_on", "-release_id")
        .first()
    )
    if last_complete is None:
        raise NotReconstructed(hint=f"No list {name} before {release.name} is known whole, from which one could go on.")
    return last_complete


def _official_names(name: str) -> list[str]:
    """Official lists whose entries stand on the reconstruction of that name."""
    return [official for official, rebuilt in REBUILT_AS.items() if rebuilt == name]


def _published_since(last_complete: RankedList, release: Release) -> list[Row]:
    """Rows of the official lists since the one known whole, up to this release: who stands there met their rules."""
    rows = ListEntry.objects.filter(
        ranked_list__name__in=_official_names(last_complete.name),
        ranked_list__trust=Result.Trust.IMPORTED,
        ranked_list__release__held_on__gt=last_complete.release.held_on,
        ranked_list__release__held_on__lte=release.held_on,
    )
    columns = {
        "result": "result_id",
        "rank": "rank",
        "score": "score",
        "list": "ranked_list__name",
        "complete": "ranked_list__complete",
        "release": "ranked_list__release_id",
        "held_on": "ranked_list__release__held_on",
    }
    return public_record.rows_of(columns, rows.order_by("ranked_list__release__held_on", "ranked_list_id", "position"))


def _candidates(last_complete: RankedList, release: Release) -> list[Row]:
    """Current results that stood on the list known whole, or came since, up to this release."""
    carried = Exists(ListEntry.objects.filter(ranked_list=last_complete, result=OuterRef("pk")))
    since = Q(
        tool=SCORED,
        trust__in=(Result.Trust.DERIVED, Result.Trust.IMPORTED),
        release__held_on__gt=last_complete.release.held_on,
        release__held_on__lte=release.held_on,
    )
    results = Result.objects.annotate(
        carried_over=carried,
        scc=KeyTransform("scc", "parameters"),
        inferred=KeyTransform("release_inferred", KeyTransform("archive", "snapshot")),
    )
    columns = {name: name for name in ("id", *_FIGURES, "carried_over", "scc", "inferred")}
    current = results.filter(Q(carried_over=True) | since, withdrawn_at=None, revised_by=None)
    return public_record.rows_of(columns, current.order_by("id"))


def _group_reasons(exclusions: Iterable[Exclusion]) -> list[Row]:
    """By code, in their order, the sentence and the results that were left out for it."""
    groups: dict[str, Row] = {}
    for row in sorted(exclusions, key=lambda exclusion: (exclusion.code, natural_key(exclusion.entry))):
        groups.setdefault(row.code, {"code": row.code, "why": row.why, "results": []})["results"].append(row.entry)
    return list(groups.values())


def _as_entry(rank: int, row: Mapping[str, Any], ranks: Mapping[tuple[str, int], int], official: Sequence[str]) -> Row:
    """`ranks` are the known official ones; `official` names the list itself first, then that of production."""
    return {
        "rank": rank,
        "official_rank": ranks.get((official[0], row["id"])),
        "official_production_rank": ranks.get((official[-1], row["id"])) if len(official) > 1 else None,
        "result": row["public_id"],
        "institution": row["institution"],
        "institution_slug": row["site__slug"],
        "system": row["system_name"],
        "system_slug": row["system__slug"],
        "filesystem_type": row["filesystem_type"],
        "client_nodes": row["client_nodes"],
        "score": row["score"],
        "bandwidth_gib_per_s": row["bandwidth_gib_per_s"],
        "rate_kiops": row["rate_kiops"],
        "trust": row["trust"],
        "trust_label": join_caveat(row["trust"], count_caveat(row["trust"], row["rules_violated"])),
        "entered": row["release__slug"],
        "entered_inferred": row["inferred"] is not None,
    }


def _compare_official(
    ranked_list: RankedList,
    ranks: Iterable[tuple[str, int]],
    by_id: Mapping[str, Row],
    listed: Sequence[tuple[int, str]],
) -> Row:
    """How much is known of an official list, how much of that archives hold, and how much stands here."""
    ranked_ids = {result for name, result in ranks if name == ranked_list.name}
    candidates = [row for row in by_id.values() if row["id"] in ranked_ids]
    return {
        "list": ranked_list.name,
        "title": ranked_list.title,
        "known_entries": len(ranked_ids),
        "complete": ranked_list.complete,
        "archives": sum(row["trust"] == Result.Trust.DERIVED for row in candidates),
        "here": sum(by_id[result]["id"] in ranked_ids for _, result in listed),
    }


def _rules_text(last_complete: RankedList, release: Release) -> str:
    """The rules in words, as far as archives can tell them."""
    nodes = {"io500": " on ten client nodes or more", "ten": " on exactly ten client nodes", "full": ""}[
        last_complete.name
    ]
    best = "" if last_complete.name == "full" else "; the best of each institution, system and file system, as printed"
    begun = f"the {last_complete.title} list of {last_complete.release.name}"
    return (
        f"Entries of {begun}, the last that is known whole, and runs{nodes} "
        f"that came since, up to {release.name}{best}. What stands on a known official rank stands here too."
    )


def _unknown_lists_text(release: Release, names: Iterable[str], official_lists: Iterable[RankedList]) -> list[str]:
    """Of which official lists no rank is known, with the reason where there is one."""
    why = dict.fromkeys(names, release.note if release.completeness == Release.Completeness.MISSING else "")
    for ranked_list in official_lists:
        why.pop(ranked_list.name, None)
    reasons = {name: release.unknown_lists.get(name, text) for name, text in why.items()}
    return [
        f"No rank of the official list {name} of {release.name} is known. {text}".strip()
        for name, text in reasons.items()
    ]


def _undated_text(undated: int) -> list[str]:
    if not undated:
        return []
    archives = "1 archive tells" if undated == 1 else f"{undated} archives tell"
    return [f"{archives} no day of the run and has no release: left out."]
