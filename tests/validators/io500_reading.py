"""Read made files the way the checks do: through an archive and an opened bundle."""

from tests.make_io500 import make_run, pack
from validators.benchmarks.io500 import parser
from validators.bundle import open_bundle


def read_files(tmp_path, files):
    """The Reading of files by path, packed as an archive first."""
    with open_bundle(pack(tmp_path / "run.tar.gz", files)) as bundle:
        return parser.find_runs(bundle)


def read_made(tmp_path, **changes):
    """The Reading of a made run."""
    return read_files(tmp_path, make_run(**changes))


def codes(reading, level=None):
    """All finding codes of a reading, in the order of the findings."""
    findings = [*reading.findings, *(finding for run in reading.runs for finding in run.findings)]
    return [finding.code for finding in findings if level in (None, finding.level)]
