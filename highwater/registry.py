"""A registry, asked over HTTP. Reading needs no account."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import urllib.parse
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union, cast

from highwater import columns
from highwater import rows as shapes
from highwater.answers import Phases, Ranking, Row, RowType, Study, Table
from highwater.errors import Refused, UnknownValue, Unreachable
from highwater.kept_answers import AnswerCache
from highwater.transport import RETRIES, TIMEOUT_S, Transport
from highwater.uploads import UploadBody
from highwater.wide_rows import widen_rows

__all__ = ["PAGE", "Refused", "Registry", "Unreachable"]

FilterValue = Union[None, str, int, float, bool, Sequence[Union[str, int, float, bool]]]  # Python 3.9
Filters = Union[FilterValue, Mapping[str, FilterValue]]
PAGE = 500
HERE = Path(__file__).parent
MOST_IDS = 100
"""Ids that one address names."""


class Registry:
    """One registry. `url` is where its pages are, by default $HIGHWATER_URL; `token` by default $HIGHWATER_TOKEN.

    Filters are those of the API under their own names: tool="io500", release="SC23", client_nodes__gte=10. A list means
    any of them; an empty one raises ValueError. Parameters stand in `p`, what measurements say of themselves in
    `context`: p={"fabric": "TCP"}.
    Answers are kept by their ETag for as long as this object lives; those asked for without a token also in the folder
    `cache`, where one is named. After 429 and 503 reading is tried again up to `retries` times.
    Every method raises Refused for what the registry refuses, and Unreachable.
    """

    def __init__(
        self,
        url: str = "",
        timeout_s: float = TIMEOUT_S,
        *,
        token: str | None = None,
        cache: Union[str, Path, None] = None,
        retries: int = RETRIES,
    ) -> None:
        key = os.environ.get("HIGHWATER_TOKEN", "") if token is None else token
        address = url or os.environ.get("HIGHWATER_URL", "")
        self.transport = Transport(address, timeout_s, key.strip(), AnswerCache(cache), retries)

    @property
    def url(self) -> str:
        """Where the pages of the registry are."""
        return self.transport.url

    @property
    def timeout_s(self) -> float:
        """Seconds after which a registry that is silent is Unreachable."""
        return self.transport.timeout_s

    @timeout_s.setter
    def timeout_s(self, seconds: float) -> None:
        self.transport.timeout_s = seconds

    # Results

    def results(self, limit: int = 1000, **filters: Filters) -> Table[shapes.Result]:
        """The newest results that the filters leave, at most `limit`."""
        return self._table("results/", columns.RESULTS, limit, filters)

    def result(self, id: str) -> shapes.ResultDetail:
        """One result with its measurements and parameters."""
        return cast(shapes.ResultDetail, self._json(f"results/{_quoted(id)}/"))

    def measurements(self, id: str) -> Table[shapes.Measurement]:
        """The measurements of one result: canonical value and unit, and both as printed."""
        return _table_of(self.result(id)["measurements"], columns.MEASUREMENTS)

    def phases(self, ids: Iterable[str] | None = None, *, limit: int = 1000, **filters: Filters) -> Phases:
        """All numbers of many results, a row for each: of these ids in their order, or what the filters leave.

        One request for 500 results, or 100 ids. Ids of which no result counts today are named by a warning.
        """
        if isinstance(ids, str):
            ids = [ids]
        if ids is None:
            rows = self._rows("results/", limit, {**filters, "include": "measurements"})
        else:
            rows = self._of_ids(list(dict.fromkeys(ids)), filters)[:limit]
        metrics, wide, units, varies = widen_rows(rows)
        facts = [name for name in rows[0] if name != "measurements"] if rows else list(columns.RESULTS)
        return Phases([*facts, *metrics], wide, units, varies)

    def compare(self, *ids: str, per: str = "", scope: str = "") -> shapes.ComparisonShape:
        """2 to 20 results side by side: measurements, ratios, and what else differed.

        With `scope="all"` ids may be those of runs on your shelf; that needs a token.
        """
        query = {"results": ",".join(ids), "per": per, "scope": scope}
        return cast(shapes.ComparisonShape, self._json("compare/", query))

    def ceilings(self, id: str) -> Table[shapes.Efficiency]:
        """The measurements of a result in % of what each layer of its system can deliver."""
        return self._table(f"results/{_quoted(id)}/ceilings/", columns.CEILINGS)

    def members(self, id: str, share: float | None = None) -> shapes.ResultMembersShape:
        """The targets, drives and ranks of a result one by one; `share`: slow at so many % of the best."""
        return cast(shapes.ResultMembersShape, self._json(f"results/{_quoted(id)}/members/", {"share": share}))

    def distributions(self, id: str) -> Table[shapes.Distribution]:
        """What lies under the numbers of a result: iterations, ranks, targets, epochs."""
        return self._table(f"results/{_quoted(id)}/distributions/", columns.DISTRIBUTIONS)

    # Studies and rankings

    def study(
        self,
        slug: str = "",
        *,
        metric: FilterValue = None,
        x: str = "",
        series: FilterValue = None,
        **filters: Filters,
    ) -> Study:
        """A study by its name, or a question: a metric along an axis, one series for each value of others.

        `per`, `unit`, `chart` and `as_of` may stand among the filters.
        """
        names = series if isinstance(series, Sequence) and not isinstance(series, str) else [series or ""]
        joined = ",".join(map(str, names))
        query = {"metric": metric, "x": x, "series": joined, **filters}
        path = f"studies/{_quoted(slug)}/" if slug else "study/"
        study = Study(
            self._json(path, {**query, "theme": "light"}),
            lambda form, theme: self.transport.read(path, {**query, "format": form, "theme": theme}),
        )
        warn_of_values(study.unknown_values)
        return study

    def studies(self) -> Table[shapes.StudyListed]:
        """The studies that have names: curated ones, and those that people saved."""
        return self._table("studies/", columns.STUDIES)

    def rank(self, formula: str, **filters: Filters) -> Ranking:
        """Results in the order of a formula: "[ior-easy-write.bandwidth.phase] / client_nodes"."""
        ranking = Ranking(self._json("ranking/", {"formula": formula, **filters}))
        warn_of_values(ranking.unknown_values)
        return ranking

    def rankings(self) -> Table[shapes.StudyListed]:
        """Rankings that people saved, newest first."""
        return self._table("rankings/", columns.STUDIES)

    def ranking(self, slug: str) -> Ranking:
        """A ranking that somebody saved, as it stands today."""
        return Ranking(self._json(f"rankings/{_quoted(slug)}/"))

    def metrics(self) -> list[str]:
        """Every kind of number that some result has."""
        return [row["metric"] for row in self.metric_table()]

    def metric_table(self) -> Table[shapes.MetricRow]:
        """Every kind of number with its title, tools, unit, group and how many results have it."""
        return self._table("study/metrics/", columns.METRICS)

    def axes(self) -> Table[shapes.AxisRow]:
        """Everything that results can be asked by, with title and unit."""
        return self._table("study/axes/", columns.AXES)

    # Lists

    def releases(self) -> Table[shapes.Release]:
        """All releases, newest first, each with its lists."""
        return self._table("releases/", columns.RELEASES)

    def lists(self, **filters: Filters) -> Table[shapes.RankedList]:
        """The facts of all ranked lists, newest release first; filters `release` and `list`."""
        return self._table("lists/", columns.LISTS, None, filters)

    def entries(self, release: str, list: str, limit: int = 10_000, **filters: Filters) -> Table[shapes.Entry]:
        """The entries of one ranked list, by rank."""
        path = f"lists/{_quoted(release)}/{_quoted(list)}/"
        return self._table(path, columns.ENTRIES, limit, filters, "entries")

    # Systems and platforms

    def systems(self, limit: int = 10_000, **filters: Filters) -> Table[shapes.System]:
        """Storage systems by name; filters of results leave those that have such a result."""
        return self._table("systems/", columns.SYSTEMS, limit, filters)

    def system(self, slug: str) -> shapes.SystemDetail:
        """One storage system with its best score of each release."""
        return cast(shapes.SystemDetail, self._json(f"systems/{_quoted(slug)}/"))

    def history(self, slug: str, metric: FilterValue = None, **filters: Filters) -> shapes.SystemHistoryShape:
        """Each number of a system over time, where its level moved, and what else differed there."""
        document = self._json(f"systems/{_quoted(slug)}/history/", {"metric": metric, **filters})
        return cast(shapes.SystemHistoryShape, document)

    def sites(self, limit: int = 10_000) -> Table[shapes.Site]:
        """Institutions by name."""
        return self._table("sites/", columns.SITES, limit)

    def platforms(self, limit: int = 10_000, **filters: Filters) -> Table[shapes.Platform]:
        """Product generations of storage by name; filter `vendor`."""
        return self._table("platforms/", columns.PLATFORMS, limit, filters)

    def lines(self) -> Table[shapes.LineShape]:
        """Every line of two platforms and more, each before the one that followed it."""
        return self._table("generations/", columns.LINES)

    def generations(
        self, platform: str, metric: FilterValue = None, x: str = "", per: str = "", **filters: Filters
    ) -> shapes.Generations:
        """The line that a platform stands in: the best of each step, x-factors, and what they come from."""
        query = {"metric": metric, "x": x, "per": per, **filters}
        return cast(shapes.Generations, self._json(f"generations/{_quoted(platform)}/", query))

    def sizing(
        self,
        platform: str,
        target: float,
        unit: str = "",
        direction: str = "",
        kind: str = "",
        **filters: Filters,
    ) -> shapes.SizingShape:
        """How many enclosures of a platform a rate takes. `qualifier` of `units` says whether that is a bound."""
        query = {"platform": platform, "target": target, "unit": unit, "direction": direction, "kind": kind}
        return cast(shapes.SizingShape, self._json("sizing/", {**query, **filters}))

    def stragglers(self, members: int, slow: int, stripes: Iterable[int] = ()) -> Table[shapes.Chance]:
        """The chance, in %, that a file meets one of the slow members, by its number of stripes."""
        query = {"members": members, "slow": slow, "stripes": ",".join(map(str, stripes))}
        return self._table("stragglers/", columns.CHANCES, None, query)

    def hardware(self) -> Any:
        """The hardware catalogue: drives, network adapters, processors, enclosures, each number with its source."""
        return self._json("hardware/")

    # Writing

    def upload(
        self,
        path: Union[str, Path],
        metadata: Mapping[str, Any] | None = None,
        *,
        release: str = "",
        lists: Union[str, Sequence[str]] = (),
        test: bool = False,
    ) -> shapes.Receipt:
        """Send an archive of a run to be checked. The same bytes again are the same submission. It needs a token.

        Raises ValueError where `path` is no file, or there is no token.
        """
        self._need_token()
        body = UploadBody(Path(path), metadata, release, [lists] if isinstance(lists, str) else lists, test)
        return cast(shapes.Receipt, self.transport.send("submissions/", body, body.headers))

    def submission(self, id: str) -> shapes.SubmissionDetail:
        """One of your submissions: its state, its findings, its scores. It needs a token."""
        self._need_token()
        return cast(shapes.SubmissionDetail, self._json(f"submissions/{_quoted(id)}/"))

    def submit(
        self,
        id: str,
        release: str,
        list: Union[str, Sequence[str]],
        *,
        acknowledge_rules: bool = False,
        acknowledge_publication: bool = False,
        embargo_until: str | None = None,
        primary: int | None = None,
    ) -> shapes.SubmissionDetail:
        """Hand a checked submission to the reviewers of a release, for one list or several. It needs a token.

        The registry refuses what you have not acknowledged: its rules, and that the result is published.
        """
        self._need_token()
        document: Row = {
            "release": release,
            "lists": [list] if isinstance(list, str) else [*list],
            "acknowledge_rules": acknowledge_rules,
            "acknowledge_publication": acknowledge_publication,
        }
        document |= {"embargo_until": embargo_until} if embargo_until is not None else {}
        document |= {"primary": primary} if primary is not None else {}
        headers = {"Content-Type": "application/json"}
        answer = self.transport.send(f"submissions/{_quoted(id)}/submit/", json.dumps(document).encode(), headers)
        return cast(shapes.SubmissionDetail, answer)

    # Files

    def export(self, name: str, folder: Union[str, Path] = ".") -> Path:
        """The whole record as a file: results.csv, results.ndjson, results.parquet or record.sqlite.

        Raises ValueError where the bytes have another sha256 than the manifest says; then there is no file.
        """
        sha256_by_name = {file["name"]: file["sha256"] for file in self._json("export/manifest.json")["files"]}
        with self.transport.open(f"export/{_quoted(name)}") as answer:
            out = Path(folder) / name
            part = out.with_name(f"{name}.part")
            try:
                digest = self._save(answer, part)
                if name in sha256_by_name and digest != sha256_by_name[name]:
                    raise ValueError(f"{name} has another sha256 than the manifest says: the record changed, ask again")
                part.replace(out)
            finally:
                part.unlink(missing_ok=True)
        return out

    def _save(self, answer: Any, out: Path) -> str:
        """Write an answer to a file; its sha256."""
        digest = hashlib.sha256()
        with out.open("wb") as file:
            for chunk in iter(lambda: self.transport.read_part(answer, 1 << 20), b""):
                digest.update(chunk)
                file.write(chunk)
        return digest.hexdigest()

    def _json(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        return self.transport.read_json(path, query)

    def _need_token(self) -> None:
        if not self.transport.token:
            raise ValueError("this needs a token: Registry(url, token=...) or $HIGHWATER_TOKEN")

    def _of_ids(self, ids: Sequence[str], filters: Mapping[str, Any]) -> list[Row]:
        """Results with their measurements, in the order of their ids, so many ids at a time."""
        rows_by_id: dict[str, Row] = {}
        for start in range(0, len(ids), MOST_IDS):
            names = ",".join(ids[start : start + MOST_IDS])
            query = {**filters, "ids": names, "include": "measurements"}
            rows_by_id |= {row["id"]: row for row in self._rows("results/", MOST_IDS, query)}
        return [rows_by_id[id] for id in ids if id in rows_by_id]

    def _table(
        self,
        path: str,
        column_names: Sequence[str],
        limit: int | None = None,
        query: Mapping[str, Any] | None = None,
        part: str = "results",
    ) -> Table[Any]:
        """Rows under the columns that the registry gives, which may be newer; without any, under those known here."""
        unknown_values: list[shapes.UnknownValue] = []
        rows = self._rows(path, limit, query or {}, part, unknown_values)
        return Table(list(rows[0]) if rows else column_names, rows, unknown_values=unknown_values)

    def _rows(
        self,
        path: str,
        limit: int | None,
        query: Mapping[str, Any],
        part: str = "results",
        unknown_values: list[shapes.UnknownValue] | None = None,
    ) -> list[Row]:
        """Rows of all pages, at most `limit`; without one, of an address that answers whole."""
        rows: list[Row] = []
        sized = {} if limit is None else {"page_size": max(1, min(limit, PAGE))}
        for page in self._pages(path, {**sized, **query}):
            if not rows:
                unknown = page.get("unknown_values") or []
                warn_of_values(unknown)
                if unknown_values is not None:
                    unknown_values += unknown
            if not isinstance(page.get(part), list):
                raise Unreachable(f"{self.url}: what answers is no registry")
            rows += page[part]
            if limit is not None and len(rows) >= limit:
                break
        return rows[:limit]

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Row]:
        page = self._json(path, query)
        yield page
        addresses: set[str] = set()
        while page.get("next"):
            onward = urllib.parse.urlsplit(str(page["next"])).query
            if onward in addresses:
                raise Unreachable(f"{self.url}: its pages never end")
            addresses.add(onward)
            page = self._json(path + "?" + onward)
            yield page


def warn_of_values(unknown_values: Iterable[shapes.UnknownValue]) -> None:
    """Warn of each value of a filter that no result has, with the nearest."""
    for row in unknown_values:
        near = f" Nearest: {', '.join(row['nearest'])}." if row["nearest"] else ""
        warnings.warn(f"{row['message']}{near}", UnknownValue, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """How far above the function that warns the code lies that called this package."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and Path(frame.f_code.co_filename).parent == HERE:
        frame, levels = frame.f_back, levels + 1
    return levels


def _table_of(rows: Sequence[RowType], column_names: Sequence[str]) -> Table[RowType]:
    return Table(list(rows[0]) if rows else column_names, rows)


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")
