"""Packing: the same files give the same bundle, and what cannot travel is said before anything is sent."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zlib

import pytest

from tests.unpacking import extract

RESULTS = "highwater-bundle/data/results/"


def contents(path):
    """Every file of a bundle by its name in it."""
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}


def packed_results(path):
    """The results in a bundle, by their name in the folder's parent."""
    return {name[len(RESULTS) :]: content for name, content in contents(path).items() if name.startswith(RESULTS)}


def test_a_bundle_holds_every_text_under_the_folder_name_and_with_full_consent_everything(collector, results, tmp_path):
    expected = {
        str(path.relative_to(results.parent)): path.read_bytes() for path in results.rglob("*") if path.is_file()
    }
    done = collector("pack", "--results", results, "--profile", "full-consent", "--out", tmp_path / "all.tar.gz")
    assert done.returncode == 0, done.stderr
    assert packed_results(tmp_path / "all.tar.gz") == expected
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    assert f"left out, binary: {results.name}/ior-easy/write.txt" in done.stderr
    del expected[f"{results.name}/ior-easy/write.txt"]
    assert packed_results(tmp_path / "run.tar.gz") == expected


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum command here")
def test_a_bundle_is_a_bag_that_sha256sum_verifies(collector, results, tmp_path):
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    with tarfile.open(tmp_path / "run.tar.gz") as archive:
        extract(archive, tmp_path / "out", filter="data")
    bag = tmp_path / "out" / "highwater-bundle"
    assert (bag / "bagit.txt").read_text() == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    for manifest in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        checked = subprocess.run(["sha256sum", "-c", "--strict", manifest], cwd=bag, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    listed = {line[66:] for line in (bag / "manifest-sha256.txt").read_text().splitlines()}
    assert listed == {str(path.relative_to(bag)) for path in (bag / "data").rglob("*") if path.is_file()}
    identity = hashlib.sha256((bag / "manifest-sha256.txt").read_bytes()).hexdigest()
    assert f"bundle {identity}" in done.stderr
    octets = sum(path.stat().st_size for path in (bag / "data").rglob("*") if path.is_file())
    assert f"Payload-Oxum: {octets}.{len(listed)}\n" in (bag / "bag-info.txt").read_text()


def test_the_printed_sha256_is_that_of_the_archive(collector, results, tmp_path):
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    assert done.stdout.split()[0] == hashlib.sha256((tmp_path / "run.tar.gz").read_bytes()).hexdigest()


def test_every_python_writes_the_same_tar_and_the_same_zlib_the_same_archive(
    every_python, collector, results, tmp_path
):
    collector("pack", "--results", results, "--out", tmp_path / "here.tar.gz")
    done = collector("pack", "--results", results, "--out", tmp_path / "there.tar.gz", python=every_python)
    assert done.returncode == 0, done.stderr
    here, there = (tmp_path / "here.tar.gz").read_bytes(), (tmp_path / "there.tar.gz").read_bytes()
    assert zlib.decompress(here, wbits=31) == zlib.decompress(there, wbits=31)
    completed = subprocess.run(
        [every_python, "-c", "import zlib; print(zlib.ZLIB_RUNTIME_VERSION)"], capture_output=True
    )
    if completed.stdout.decode().strip() == zlib.ZLIB_RUNTIME_VERSION:
        assert here == there


def test_times_modes_and_order_of_creation_do_not_matter(collector, results, tmp_path):
    collector("pack", "--results", results, "--out", tmp_path / "one.tar.gz")
    copy = tmp_path / "elsewhere" / results.name
    copy.mkdir(parents=True)
    for path in sorted(results.rglob("*"), reverse=True):
        if path.is_file():
            target = copy / path.relative_to(results)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(0o600)
            os.utime(target, (1, 1))
    collector("pack", "--results", copy, "--out", tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()


def test_names_are_sorted_by_their_bytes(collector, results, tmp_path):
    """Folders are listed in an order of the file system's own; the archive must not follow it."""
    for name in ("z", "a", "Z", "ä", "ior-easy.txt", "ior-easy/a"):
        (results / name).touch()
    collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    with tarfile.open(tmp_path / "run.tar.gz") as archive:
        names = [name.encode() for name in archive.getnames()]
    assert names == sorted(names)


def test_the_length_of_a_name_beyond_ascii_may_be_any(collector, tmp_path):
    """Around 91 bytes the length that a pax record counts gains a digit, which counts too."""
    folder = tmp_path / "r"
    folder.mkdir()
    for length in range(80, 110):
        (folder / ("n" * (length - 4) + "ü")).write_bytes(b"%d" % length)  # `r/` and two bytes of ü
    assert collector("pack", "--results", folder, "--out", tmp_path / "r.tgz").returncode == 0
    assert packed_results(tmp_path / "r.tgz") == {f"r/{path.name}": path.read_bytes() for path in folder.iterdir()}


def test_names_of_every_length_and_files_of_every_size_survive(collector, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    for length in (97, 98, 99, 100, 250):  # the field of a tar header holds 100 bytes, `r/` included
        (folder / ("n" * length)).write_bytes(b"x" * length)
    for size in (0, 511, 512, 513, 1024 * 1024 + 1):
        (folder / f"size-{size}").write_bytes((b"y" * 63 + b"\n") * (size // 64) + b"y" * (size % 64))
    assert collector("pack", "--results", folder, "--out", tmp_path / "r.tgz").returncode == 0
    assert packed_results(tmp_path / "r.tgz") == {f"r/{path.name}": path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(shutil.which("tar") is None, reason="no tar command here")
def test_gnu_tar_unpacks_without_a_message(collector, results, tmp_path):
    collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    (tmp_path / "out").mkdir()
    done = subprocess.run(
        ["tar", "-xzf", tmp_path / "run.tar.gz", "-C", tmp_path / "out"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    unpacked = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert unpacked == set(contents(tmp_path / "run.tar.gz"))


def test_a_dry_run_lists_and_writes_nothing(collector, results, tmp_path):
    done = collector("pack", "--results", results, "--dry-run", "--out", tmp_path / "run.tar.gz")
    assert done.returncode == 0
    summary = (results / "result_summary.txt").read_bytes()
    line = f"{len(summary):>12} {hashlib.sha256(summary).hexdigest()} {RESULTS}{results.name}/result_summary.txt"
    assert line in done.stdout.splitlines()
    assert f"left out, binary: {results.name}/ior-easy/write.txt" in done.stdout.splitlines()
    assert not (tmp_path / "run.tar.gz").exists()


def test_empty_folders_are_left_out_with_a_message(collector, results, tmp_path):
    (results / "nothing-here").mkdir()
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    assert done.returncode == 0
    assert "nothing-here" in done.stderr


@pytest.mark.parametrize("make", ["link", "dangling", "pipe"])
def test_links_and_devices_are_refused_by_name(collector, results, tmp_path, make):
    odd = results / "odd-one"
    {
        "link": lambda: odd.symlink_to(results / "result.txt"),
        "dangling": lambda: odd.symlink_to("/nowhere"),
        "pipe": lambda: os.mkfifo(odd),
    }[make]()
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    assert done.returncode == 1
    assert "odd-one" in done.stderr
    assert "bundle.not-regular" in done.stderr
    assert not (tmp_path / "run.tar.gz").exists()


def test_a_name_that_is_not_utf8_is_refused(oldest_and_this_python, collector, results, tmp_path):
    (results / os.fsdecode(b"caf\xe9.txt")).touch()
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz", python=oldest_and_this_python)
    assert done.returncode == 1
    assert "caf\\xe9.txt (name is not UTF-8)" in done.stderr.replace("\\\\", "\\")


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2Jb", "a\u202eb"])
def test_a_name_that_moves_the_cursor_is_refused(oldest_and_this_python, collector, results, tmp_path, name):
    (results / name).touch()
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz", python=oldest_and_this_python)
    assert done.returncode == 1
    assert "name has control characters" in done.stderr
    assert name not in done.stderr


def test_more_than_2000_files_are_refused(collector, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1995):  # with the five files that make a bag of them: 2,000
        (folder / str(number)).touch()
    assert collector("pack", "--results", folder, "--out", tmp_path / "many.tgz").returncode == 0
    (folder / "one-more").touch()
    done = collector("pack", "--results", folder, "--out", tmp_path / "more.tgz")
    assert done.returncode == 1
    assert "bundle.too-many-files" in done.stderr
    assert not (tmp_path / "more.tgz").exists()


def test_more_than_one_gib_is_refused_before_it_is_read(collector, tmp_path):
    folder = tmp_path / "big"
    folder.mkdir()
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(1024**3 + 1)
    done = collector("pack", "--results", folder, "--out", tmp_path / "big.tgz")
    assert done.returncode == 1
    assert "bundle.unpacked-too-large" in done.stderr


def test_more_than_64_mib_packed_is_refused(collector, tmp_path):
    folder = tmp_path / "noise"
    folder.mkdir()
    for number in range(3):
        (folder / str(number)).write_bytes(os.urandom(22 * 1024 * 1024))
    done = collector("pack", "--results", folder, "--profile", "full-consent", "--out", tmp_path / "noise.tgz")
    assert done.returncode == 1
    assert "larger than 64 MiB" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if "highwater" in path.name or path.suffix == ".tgz"] == []


def test_repetition_that_the_server_takes_for_a_bomb_is_refused(collector, tmp_path):
    folder = tmp_path / "zeros"
    folder.mkdir()
    with (folder / "zeros").open("wb") as stream:
        stream.truncate(33 * 1024 * 1024)
    done = collector("pack", "--results", folder, "--profile", "full-consent", "--out", tmp_path / "zeros.tgz")
    assert done.returncode == 1
    assert "bundle.bomb" in done.stderr


def test_an_empty_folder_ends_with_nothing_collected(collector, tmp_path):
    (tmp_path / "empty").mkdir()
    done = collector("pack", "--results", tmp_path / "empty", "--out", tmp_path / "run.tgz")
    assert done.returncode == 3
    assert "holds no file" in done.stderr


@pytest.mark.parametrize("out", ["results/run.tar.gz", "run.zip", "missing/run.tar.gz"])
def test_an_archive_is_not_written_among_results_or_into_a_missing_folder(collector, tmp_path, out):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "result.txt").write_text("x")
    done = collector("pack", "--results", tmp_path / "results", "--out", tmp_path / out)
    assert done.returncode == 2
    assert "collector.out" in done.stderr
    assert not (tmp_path / out).exists()


def test_a_file_that_grows_while_it_is_packed_is_refused(tmp_path, collectors_alone):
    """A listing made before the benchmark wrote more: the archive would hold half a line."""
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "result.txt").write_text("one")
    script = (
        "import io, sys; from collectors.bundle import archive_limits\n"
        "listing = archive_limits.scan('r'); open('r/result.txt', 'a').write(' more')\n"
        "try: archive_limits.write(listing.members, io.BytesIO())\n"
        "except archive_limits.BundleError as error: print(error.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(collectors_alone)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "bundle.changed\n"
