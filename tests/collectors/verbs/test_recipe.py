"""`recipe` and `reproduce`: what a registry sends is shown and written, and starts nothing that it should not."""

import json
import os
import subprocess
import tarfile

import pytest

from tests.collectors.registry_peer import NOTHING_HERE

RECIPE = {
    "result": "hw-1",
    "schema": "recipe.1",
    "tool": "fio",
    "version": "3.33",
    "arguments": ["fio", "--output-format=json", "job.fio"],
    "commands": [],
    "files": [{"path": "job.fio", "text": "[global]\ndirectory=${TESTDIR}\n"}],
    "variables": [
        {"name": "$TESTDIR", "meaning": "An empty folder.", "value": None},
        {"name": "$RANKS", "meaning": "Processes in all.", "value": 4},
        {"name": "$NODES", "meaning": "Client nodes.", "value": 2},
    ],
    "environment": [{"variable": "UCX_TLS", "value": "rc"}, {"variable": "X", "value": "a; touch planted"}],
    "layout": [],
    "tunables": [{"parameter": "lustre.client.osc.checksums", "nodes": "Clients", "value": "0"}],
    "missing": [{"what": "build", "why": "Not recorded.", "may_change": "Rates."}],
}
RECORD = "/api/v1/results/hw-1/"
ADDRESS = RECORD + "recipe/"


@pytest.fixture
def reader(collector, peer):
    collector.environ["HIGHWATER_URL"] = peer.url
    peer.public[ADDRESS] = RECIPE
    peer.public[RECORD] = {"id": "hw-1", "tool": "fio", "measurements": [], "parameters": {}}
    peer.public[RECORD + "distributions/"] = {"results": []}
    peer.public[RECORD + "system/"] = NOTHING_HERE
    return collector


def reproduce(reader, tmp_path, *arguments, **options):
    folder = tmp_path / "again"
    lake = tmp_path / "lake"
    lake.mkdir(exist_ok=True)
    words = ("--directory", str(lake), "--output", str(folder))
    return reader("reproduce", "hw-1", *(words + arguments), **options), folder


def test_a_recipe_is_printed_line_by_line(every_python, reader):
    done = reader("recipe", "hw-1", python=every_python)
    assert done.returncode == 0, done.stderr
    assert "run      fio --output-format=json job.fio\n" in done.stdout
    assert "missing  build: Not recorded. It may change: Rates.\n" in done.stdout


def test_a_recipe_is_the_document_of_the_registry_with_json(reader):
    assert json.loads(reader("recipe", "hw-1", "--json").stdout) == RECIPE


@pytest.mark.parametrize(("verb", "more"), [("recipe", ()), ("reproduce", ("--directory", "."))])
def test_an_unknown_result_is_refused(reader, peer, verb, more):
    assert "collector.recipe.id" in reader(verb, "no/such", *more).stderr
    assert reader(verb, "hw-2", *more).returncode != 0
    peer.public[ADDRESS] = dict(RECIPE, schema="recipe.2")
    assert "collector.recipe.form" in reader(verb, "hw-1", *more).stderr


def test_a_folder_with_a_job_is_written(every_python, reader, tmp_path):
    done, folder = reproduce(reader, tmp_path, "--nodes", "2", python=every_python)
    assert "must    client nodes: 2, here 2" in done.stdout, done.stderr
    assert "should  lustre.client.osc.checksums: 0, here not read" in done.stdout
    assert "cannot  build: not known, here not compared" in done.stdout
    job = (folder / "job.sh").read_text()
    assert job.count("-- fio --output-format=json job.fio > ") == 1 and "for REPEAT in 1 2 3; do" in job
    assert "export UCX_TLS=rc\n" in job and "planted" not in job
    assert (folder / "job.fio.in").read_text() == RECIPE["files"][0]["text"]


def test_the_job_runs_the_benchmark_three_times(reader, tmp_path):
    _, folder = reproduce(reader, tmp_path)
    (tmp_path / "fio").write_text("#!/bin/sh\ncat job.fio\n")
    (tmp_path / "fio").chmod(0o755)
    start_with_stand_in(folder, tmp_path)
    outputs = sorted(path.read_text() for path in folder.glob("results/run-*/output-1.txt"))
    lake = tmp_path / "lake"
    assert outputs == [f"[global]\ndirectory={lake}/highwater-repeat-{repeat}\n" for repeat in (1, 2, 3)]
    assert list(lake.iterdir()) == []


def test_the_job_packs_all_repeats_with_the_machine_and_compares_even_where_it_cannot(reader, tmp_path):
    _, folder = reproduce(reader, tmp_path)
    (tmp_path / "fio").write_text("#!/bin/sh\n")
    (tmp_path / "fio").chmod(0o755)
    stand_in = tmp_path / "runs.py"
    stand_in.write_text("import sys\nprint(' '.join(sys.argv[1:]))\nsys.exit(sys.argv[1] == 'pack')\n")
    environment = dict(os.environ, HIGHWATER=str(stand_in))
    done = subprocess.run(["sh", str(folder / "job.sh")], env=environment, stdout=-1, stderr=-1, text=True)
    packed = "pack --results results --system run-1/system.json --out repetition.tar.gz"
    assert done.stderr == packed + "\nthe repeats were not packed\n"
    assert (done.returncode, done.stdout) == (0, "agree .\n")


def test_results_below_the_folder_under_test_stay(reader, peer, tmp_path):
    text = "[global]\nresultdir = $TESTDIR/results\n"
    files = [{"path": "config.ini", "text": text}]
    peer.public[ADDRESS] = dict(RECIPE, tool="io500", arguments=["io500", "config.ini"], files=files)
    _, folder = reproduce(reader, tmp_path)
    (tmp_path / "mpirun").write_text('#!/bin/sh\nmkdir "$TESTDIR/results"\ncp config.ini "$TESTDIR/results"\n')
    (tmp_path / "mpirun").chmod(0o755)
    start_with_stand_in(folder, tmp_path)
    copies = [path.read_text() for path in sorted(folder.glob("results/run-*/config.ini"))]
    lake = tmp_path / "lake"
    assert copies == [f"[global]\nresultdir = {lake}/highwater-repeat-{repeat}/results\n" for repeat in (1, 2, 3)]
    assert list(lake.iterdir()) == []


def test_results_of_io500_are_packed_with_their_machine(reader, peer, tmp_path):
    """The whole job with the collector itself: what io500 wrote below the folder under test is what was sealed."""
    files = [{"path": "config.ini", "text": "[global]\nresultdir = $TESTDIR/results\n"}]
    peer.public[ADDRESS] = dict(RECIPE, tool="io500", arguments=["io500", "config.ini"], files=files)
    _, folder = reproduce(reader, tmp_path)
    (tmp_path / "mpirun").write_text(
        '#!/bin/sh\nmkdir -p "$TESTDIR/results/now"\ndate +%N > "$TESTDIR/results/now/result.txt"\necho done\n'
    )
    (tmp_path / "mpirun").chmod(0o755)
    start = tmp_path / "highwater.py"
    start.write_text("import runpy\nrunpy.run_module('collectors', run_name='__main__', alter_sys=True)\n")
    path = os.pathsep.join((str(tmp_path), os.environ["PATH"]))
    environment = dict(reader.environ, PATH=path, HIGHWATER=str(start))
    done = subprocess.run(["sh", str(folder / "job.sh")], env=environment, stdout=-1, stderr=-1, text=True)
    assert "not packed" not in done.stderr, done.stderr
    with tarfile.open(folder / "repetition.tar.gz") as archive:
        names = [name for name in archive.getnames() if name.endswith("result.txt")]
    assert [name.rpartition("/results/")[2] for name in sorted(names)] == [f"run-{n}/now/result.txt" for n in (1, 2, 3)]


def start_with_stand_in(folder, tmp_path):
    """Start the job with programs of `tmp_path`, where `run` starts its command and every other verb does nothing."""
    stand_in = tmp_path / "runs.py"
    stand_in.write_text(
        "import subprocess, sys\nif '--' in sys.argv: subprocess.run(sys.argv[sys.argv.index('--') + 1:])\n"
    )
    environment = dict(os.environ, PATH=os.pathsep.join((str(tmp_path), os.environ["PATH"])), HIGHWATER=str(stand_in))
    subprocess.run(["sh", str(folder / "job.sh")], env=environment, check=True)


def test_each_variable_of_a_job_has_its_meaning_above_it(reader, peer, tmp_path):
    variable = {"name": "$BS", "meaning": "Block size,\nexport planted", "value": None}
    peer.public[ADDRESS] = dict(RECIPE, variables=[*RECIPE["variables"], variable])
    _, folder = reproduce(reader, tmp_path)
    job = (folder / "job.sh").read_text()
    assert "\n# Block size, export planted\nOPTION_BS=''; export OPTION_BS\n" in job
    assert "\n# Processes in all.\nRANKS=4; export RANKS\n" in job


def test_another_number_of_nodes_does_not_match(reader, tmp_path):
    done, folder = reproduce(reader, tmp_path, "--nodes", "3", "--script", "slurm")
    assert done.returncode == 1 and "must    client nodes: 2, here 3" in done.stdout
    assert "#SBATCH --nodes=3\n#SBATCH --ntasks=4\n" in (folder / "job.sh").read_text()


def test_an_unknown_command_line_writes_nothing(reader, peer, tmp_path):
    peer.public[ADDRESS] = dict(RECIPE, arguments=None)
    done, folder = reproduce(reader, tmp_path)
    assert "collector.reproduce.unknown" in done.stderr and not folder.exists()


def test_a_folder_that_is_there_stays_as_it_is(reader, tmp_path):
    (tmp_path / "again").mkdir()
    done, folder = reproduce(reader, tmp_path)
    assert "collector.reproduce.exists" in done.stderr and list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["../planted", "/tmp/planted", ".profile", "a b", "a;b", ""])
def test_a_file_outside_of_the_folder_is_not_written(reader, peer, tmp_path, name):
    peer.public[ADDRESS] = dict(RECIPE, files=[{"path": name, "text": "x"}])
    done, folder = reproduce(reader, tmp_path)
    assert "collector.reproduce.file" in done.stderr and not folder.exists()


@pytest.mark.parametrize(
    "word", ["; touch planted", "$(touch planted)", "`touch planted`", "$X`touch planted`", '"$A"; touch planted']
)
def test_hostile_arguments_start_nothing(reader, peer, tmp_path, word):
    peer.public[ADDRESS] = dict(
        RECIPE,
        arguments=["fio", word],
        variables=[{"name": "$X", "value": word}, {"name": "$Y;touch planted", "value": 1}],
    )
    _, folder = reproduce(reader, tmp_path)
    stand_in = tmp_path / "runs.py"
    stand_in.write_text("")
    environment = dict(os.environ, HIGHWATER=str(stand_in))
    subprocess.run(["sh", str(folder / "job.sh")], env=environment, check=True)
    assert not list(tmp_path.rglob("planted"))
