"""What tests unpack stays in its folder, with any Python."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.unpacking import extract


def archive_of(name: str, **facts: object) -> tarfile.TarFile:
    """An archive with one empty member."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        member = tarfile.TarInfo(name)
        for fact, value in facts.items():
            setattr(member, fact, value)
        packed.addfile(member)
    out.seek(0)
    return tarfile.open(fileobj=out)


@pytest.mark.parametrize("filter", ["data", "tar"])
def test_a_name_that_leads_out_is_refused(tmp_path: Path, filter: str) -> None:
    with pytest.raises(tarfile.TarError):
        extract(archive_of("a/../../outside"), tmp_path / "in", filter=filter)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "facts",
    [
        {"type": tarfile.SYMTYPE, "linkname": "../../outside"},
        {"type": tarfile.LNKTYPE, "linkname": "../outside"},
        {"type": tarfile.FIFOTYPE},
    ],
)
def test_data_has_no_link_that_leads_out_and_no_pipe(tmp_path: Path, facts: dict[str, object]) -> None:
    with pytest.raises(tarfile.TarError):
        extract(archive_of("a/b", **facts), tmp_path / "in", filter="data")


@pytest.mark.parametrize("filter", ["data", "tar", "fully_trusted"])
def test_a_file_and_a_link_inside_are_unpacked(tmp_path: Path, filter: str) -> None:
    extract(archive_of("a/file"), tmp_path, filter=filter)
    extract(archive_of("a/link", type=tarfile.SYMTYPE, linkname="file"), tmp_path, filter=filter)
    assert (tmp_path / "a/link").resolve() == tmp_path / "a/file"
