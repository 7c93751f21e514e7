"""A registry, asked over HTTP. Reading needs no account."""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, Union

from highwater import columns
from highwater.answers import Ranking, Row, Study, Table
from highwater.version import VERSION

FilterValue = Union[None, str, int, float, bool, Sequence[Union[str, int, float, bool]]]  # Python 3.9
TIMEOUT_S = 120
PAGE = 500


class Refused(Exception):
    """The registry refused: `code` never changes, `hint` says what to do, `status` is that of HTTP."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = problem.get("code", "")
        self.hint: str = problem.get("hint", "")
        title, detail = problem.get("title", ""), problem.get("detail", "")
        why = title if detail in ("", title) else f"{title}: {detail}"
        parts = [f"{why.rstrip('.')}." if why else f"HTTP {status}", self.hint, f"({self.code})" if self.code else ""]
        super().__init__(" ".join(text for text in parts if text))


class Unreachable(Exception):
    """No registry answered at this address."""


class Registry:
    """One registry. `url` is where its pages are, by default $HIGHWATER_URL.

    Filters are those of the API under their own names: tool="io500", release="SC23", client_nodes__gte=10. A list means
    any of them. Parameters stand in `p`, what measurements say of themselves in `context`: p={"fabric": "TCP"}.
    Every method raises Refused for what the registry refuses, and Unreachable.
    """

    def __init__(self, url: str = "", timeout_s: float = TIMEOUT_S) -> None:
        url = url or os.environ.get("HIGHWATER_URL", "")
        if not url.startswith(("http://", "https://")):
            raise ValueError("give the address of a registry: https://...")
        self.url = url.rstrip("/").removesuffix("/api/v1").rstrip("/")
        self.timeout_s = timeout_s

    def results(self, limit: int = 1000, **filters: FilterValue | Mapping[str, FilterValue]) -> Table:
        """The newest results that the filters leave, at most `limit`."""
        rows: list[Row] = []
        for row in self._pages("results/", {"page_size": min(limit, PAGE)} | filters):
            rows.append(row)
            if len(rows) >= limit:
                break
        return _table_of(rows, columns.RESULTS)

    def result(self, id: str) -> Row:
        """One result with its measurements and parameters."""
        row: Row = self._json(f"results/{_quoted(id)}/")
        return row

    def measurements(self, id: str) -> Table:
        """The measurements of one result: canonical value and unit, and both as printed."""
        return _table_of(self.result(id)["measurements"], columns.MEASUREMENTS)

    def compare(self, *ids: str, per: str = "") -> Row:
        """2 to 20 results side by side: measurements, ratios, and what else differed."""
        comparison: Row = self._json("compare/", {"results": ",".join(ids), "per": per})
        return comparison

    def study(
        self,
        slug: str = "",
        *,
        metric: FilterValue = None,
        x: str = "",
        series: FilterValue = None,
        **filters: FilterValue | Mapping[str, FilterValue],
    ) -> Study:
        """A study by its name, or a question: a metric along an axis, one series for each value of others.

        `per`, `unit`, `chart` and `as_of` may stand among the filters.
        """
        names = series if isinstance(series, Sequence) and not isinstance(series, str) else [series or ""]
        joined = ",".join(map(str, names))
        query = {"metric": metric, "x": x, "series": joined} | filters
        path = f"studies/{_quoted(slug)}/" if slug else "study/"
        return Study(
            self._json(path, query | {"theme": "light"}),
            lambda form, theme: self._bytes(path, query | {"format": form, "theme": theme}),
        )

    def studies(self) -> Table:
        """The studies that have names: curated ones, and those that people saved."""
        return _table_of(self._json("studies/")["results"], columns.STUDIES)

    def rank(self, formula: str, **filters: FilterValue | Mapping[str, FilterValue]) -> Ranking:
        """Results in the order of a formula: "[ior-easy-write.bandwidth.phase] / client_nodes"."""
        return Ranking(self._json("ranking/", {"formula": formula} | filters))

    def metrics(self) -> list[str]:
        """Every kind of number that some result has."""
        return [row["metric"] for row in self._json("study/metrics/")["results"]]

    def axes(self) -> Table:
        """Everything that results can be asked by, with title and unit."""
        return _table_of(self._json("study/axes/")["results"], columns.AXES)

    def export(self, name: str, folder: str | Path = ".") -> Path:
        """The whole record as a file: results.csv, results.ndjson, results.parquet or record.sqlite.

        Raises ValueError where the bytes have another sha256 than the manifest says; then there is no file.
        """
        sha256_by_name = {file["name"]: file["sha256"] for file in self._json("export/manifest.json")["files"]}
        with self._open(f"export/{_quoted(name)}") as answer:
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
            for chunk in iter(lambda: self._read(answer, 1 << 20), b""):
                digest.update(chunk)
                file.write(chunk)
        return digest.hexdigest()

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Row]:
        page = self._json(path, query)
        yield from page["results"]
        while page["next"]:
            page = self._json(path + "?" + urllib.parse.urlsplit(page["next"]).query)
            yield from page["results"]

    def _json(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        try:
            return json.loads(self._bytes(path, query))
        except ValueError:
            raise Unreachable(f"{self.url}: what answers is no registry") from None

    def _bytes(self, path: str, query: Mapping[str, Any] | None = None) -> bytes:
        with self._open(path, query) as answer:
            return self._read(answer)

    def _read(self, answer: Any, most: int | None = None) -> bytes:
        try:
            content: bytes = answer.read(most)
        except (OSError, HTTPException) as error:
            raise Unreachable(f"{self.url}: {error}") from error
        return content

    def _open(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        encoded = urllib.parse.urlencode(list(_pairs(query or {})))
        address = f"{self.url}/api/v1/{path}{'?' + encoded if encoded else ''}"
        request = urllib.request.Request(
            address, headers={"User-Agent": f"highwater-client/{VERSION}", "Accept": "*/*"}
        )
        try:
            return urllib.request.urlopen(request, timeout=self.timeout_s)
        except urllib.error.HTTPError as refusal:
            raise Refused(refusal.code, _problem(refusal)) from None
        except (OSError, HTTPException) as error:
            raise Unreachable(f"{self.url}: {error}") from error


def _table_of(rows: list[Row], column_names: Sequence[str]) -> Table:
    """Rows under the columns that the registry gives, which may be newer; without rows under those of this version."""
    return Table(list(rows[0]) if rows else list(column_names), rows)


def _problem(refusal: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        document = json.loads(refusal.read())
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values of a query; what is not given is left out."""
    for name, value in query.items():
        if isinstance(value, Mapping):
            yield from _pairs({f"{name}.{key}": inner for key, inner in value.items()})
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from ((name, _text(element)) for element in value)
        elif value not in (None, ""):
            yield name, _text(value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
