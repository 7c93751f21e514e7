"""manage.py import_io500: a copy of the archives, made of our own sample, becomes derived results, once."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

import validators
from registry.models import CatalogueLoad, Fact, Measurement, Release, Result
from tests.registry.record import empty, make_release

pytestmark = pytest.mark.django_db

SAMPLE = Path(validators.__file__).parent / "benchmarks" / "io500" / "samples" / "standard-debug-n2" / "files"
NUMBER = 90001
PUBLIC_ID = f"io500-{NUMBER}"
FOLDER = f"Site/Alpha/Lustre/2026/submission-{NUMBER}"


@pytest.fixture
def record() -> None:
    empty()
    CatalogueLoad.objects.create(digest="0" * 64)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout with the sample as its one submission."""
    for file in (path for path in SAMPLE.rglob("*") if path.is_file()):
        target = tmp_path / "copy" / FOLDER / file.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return tmp_path / "copy"


def run(*arguments: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("import_io500", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


@pytest.mark.usefixtures("record")
def test_an_imported_copy_becomes_derived_results(copy: Path) -> None:
    assert run(copy) == "1 archives: 1 derived, new\n"
    result = Result.objects.get(public_id=PUBLIC_ID)
    assert (result.trust, result.release, result.opted_in) == ("derived", None, False)
    assert (result.institution, result.system_name, result.filesystem_type) == ("Site", "Alpha", "Lustre")
    assert result.tool_version == "02091cf254d8"
    phase = result.measurements.get(op="ior-easy-write", quantity="bandwidth")
    assert (phase.printed_value, phase.context) == (0.22322, {"invalid": True})
    assert phase.value == pytest.approx(0.22322 * 2**30)
    archive = result.snapshot["archive"]
    assert archive["address"] == f"https://github.com/IO500/submission-data/tree/master/{FOLDER}"
    assert archive["status"] == "invalid"
    assert Fact.objects.filter(result=result, name="api", text="POSIX").exists()


@pytest.mark.usefixtures("record")
def test_a_second_import_changes_nothing(copy: Path) -> None:
    run(copy)
    before = list(Result.objects.values())
    assert run(copy) == "1 archives: 1 derived\n"
    assert list(Result.objects.values()) == before


def everything() -> list[Any]:
    return [*Result.objects.values(), *Measurement.objects.order_by("pk").values()]


@pytest.mark.usefixtures("record")
def test_a_truncated_copy_removes_no_result(copy: Path) -> None:
    run(copy)
    before = everything()
    shutil.rmtree(copy / FOLDER / "results")
    (copy / FOLDER / "stdout.txt").unlink()
    assert run(copy) == (
        f"{PUBLIC_ID}: This copy has no run that counts; the record keeps the figures that it has.\n"
        "1 archives: 1 derived before, and kept\n"
    )
    assert everything() == before


@pytest.mark.usefixtures("record")
def test_another_archive_under_a_number_changes_nothing(copy: Path) -> None:
    run(copy)
    Result.objects.update(score=7.5)
    before = everything()
    assert run(copy) == (
        f"{PUBLIC_ID}: This copy has other figures than the record, which keeps its own; "
        "1 values differ from the record\n"
        "1 archives: 1 derived before, and kept\n"
    )
    assert everything() == before


@pytest.mark.usefixtures("record")
def test_a_folder_of_another_name_renames_nothing(copy: Path) -> None:
    run(copy)
    before = everything()
    (copy / "Site").rename(copy / "Other")
    run(copy)
    assert [row["institution"] for row in everything() if "institution" in row] == ["Site"]
    assert [row["system_id"] for row in everything() if "system_id" in row] == [before[0]["system_id"]]


@pytest.mark.usefixtures("record")
def test_a_dry_run_stores_nothing(copy: Path) -> None:
    assert run(copy, dry_run=True) == "would be: 1 archives: 1 derived, new\n"
    assert not Result.objects.exists()


@pytest.mark.usefixtures("record")
def test_an_unreadable_archive_makes_no_result(tmp_path: Path) -> None:
    folder = tmp_path / "copy" / FOLDER
    folder.mkdir(parents=True)
    (folder / "io500.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    answer = run(tmp_path / "copy")
    assert answer.endswith("1 archives: 1 without a result\n")
    assert answer.startswith(f"{PUBLIC_ID}: ")
    assert not Result.objects.exists()


@pytest.mark.usefixtures("record")
def test_links_inside_a_submission_are_not_read(copy: Path, tmp_path: Path) -> None:
    linking = tmp_path / "linking" / FOLDER
    linking.mkdir(parents=True)
    (linking / "results").symlink_to(copy / FOLDER / "results")
    (linking / "result_summary.txt").symlink_to(copy / FOLDER / "results" / "result_summary.txt")
    assert run(tmp_path / "linking").endswith("1 archives: 1 without a result\n")


@pytest.mark.usefixtures("record")
def test_a_decompression_bomb_makes_no_result(tmp_path: Path) -> None:
    """A gzip of a tar whose one file unpacks to 300 MiB of zeros."""
    (tmp_path / "submissions").mkdir()
    index = f"id,institution,system,filesystem,year\n{NUMBER},Site,Alpha,Lustre,2026\n"
    (tmp_path / "index.csv").write_text(index, encoding="utf-8")
    with tarfile.open(tmp_path / "submissions" / f"submission-{NUMBER}.tar.gz", "w:gz", compresslevel=9) as archive:
        member = tarfile.TarInfo("results/result.txt")
        member.size = 300 * 2**20
        archive.addfile(member, Zeros())
    answer = run(tmp_path)
    assert answer.endswith("1 archives: 1 without a result\n")
    assert not Result.objects.exists()


class Zeros(io.RawIOBase):
    """As many zeros as anybody reads."""

    def read(self, size: int = -1) -> bytes:
        return bytes(size)


@pytest.mark.usefixtures("record")
def test_folders_without_archives_are_refused(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(CommandError, match="has no archive"):
        run(copy, tmp_path / "photos")
    with pytest.raises(CommandError, match="have one number"):
        run(copy, copy)
    assert not Result.objects.exists()


def test_without_a_catalogue_it_is_refused(copy: Path) -> None:
    empty()
    with pytest.raises(CommandError, match="run load_catalogue first"):
        run(copy)


@pytest.mark.usefixtures("record")
def test_a_release_run_here_gets_no_imported_results(copy: Path) -> None:
    make_release("SC19", "2019-11-01")
    run(copy)
    assert not Release.objects.get(slug="SC19").results.exists()
