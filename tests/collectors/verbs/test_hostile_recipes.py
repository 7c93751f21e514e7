"""Bytes of a result that would start something: neither the script of its recipe nor the job of `reproduce` does.

Each attack goes the whole way: an output, the check of it, its recipe, a script and a folder with a job. Both are
started, with programs in the place of the benchmarks.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from collectors.node import io_environment
from collectors.reproduction import job
from tests.collectors.registry_peer import NOTHING_HERE
from tests.make_io500 import make_run
from tests.make_system import make_class, make_parameter, make_system
from validators import checks
from validators.recipes import VARIABLES
from validators.recipes.of_run import write_run_recipe
from validators.recipes.script import HINT, WITHOUT_LAUNCHER, steering_variables, write_script

SAMPLES = Path(__file__).resolve().parents[3] / "validators" / "benchmarks"
ATTACKS = [
    "$(touch planted)", "`touch planted`", "1m; touch planted", "1m\ntouch planted\n", "1m\r\ntouch planted",
    "'; touch planted; '", '"; touch planted; "', "${X:=$(touch planted)}", "1m\\\ntouch planted", "|touch planted",
    "&&touch planted", "END_OF_FILE\ntouch planted", "1m\u2028touch planted", "1m\0touch planted", "$PATH", "${PATH}",
    "$SITE_TOKEN", "$IFS", "$TESTDIR$(touch planted)", "%s%n", "x" * 100_000, "9" * 100_000, "--x=$(touch planted)",
]  # fmt: skip
SECRET = "carol-7f3a"
STAND_IN = "import subprocess, sys\nif '--' in sys.argv: subprocess.run(sys.argv[sys.argv.index('--') + 1:])\n"
"""In the place of the single file: `run` starts its command, and every other verb does nothing."""


def make_fio(options, shared=None):
    side = {"io_bytes": 2**30, "bw_bytes": 2**20, "bw": 1024, "iops": 1.0, "runtime": 1024_000, "total_ios": 1024}
    job = {"jobname": "j", "groupid": 0, "error": 0, "job options": options, "write": side}
    document = {"fio version": "fio-3.33", "timestamp": 1795201249, "jobs": [job]}
    return json.dumps({**document, "global options": shared or {}}, indent=1).encode()


def make_ior(*words):
    text = (SAMPLES / "ior/samples/4.1-iorhard/stdout.txt").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Command line")]
    return text.replace(line, f"{line} {' '.join(words)}").encode("utf-8", "surrogateescape")


def make_elbencho(word):
    document = json.loads((SAMPLES / "elbencho/samples/large-file-write-read/results.json").read_text().splitlines()[0])
    document["command"] = f"{document.get('command', '')} {word}"
    return json.dumps(document).encode()


def make_config(tmp_path, text):
    """A run of IO500 whose both configurations are these bytes."""
    files = make_run()
    (home,) = {name.rpartition("/")[0] for name in files if name.endswith("/result.txt")}
    for name in (f"{home}/config.ini", f"{home}/config-orig.ini"):
        files[name] = text
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def recipe_of_bytes(tmp_path, content, name="out.txt", document=None):
    path = tmp_path / "output" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return recipe_of_runs(checks.check(path), document)


def recipe_of_runs(report, document=None):
    runs = [run.as_json() for run in report.runs if run.measurements]
    return write_run_recipe(runs[0], document) if runs else None


@pytest.fixture
def start(collector, peer, tmp_path):
    """Start the script and the job of a recipe; the texts that the benchmarks were started with, and read."""

    def start(recipe):
        programs, lake = tmp_path / "programs", tmp_path / "a lake"
        programs.mkdir(exist_ok=True)
        lake.mkdir(exist_ok=True)
        for name in ("fio", "ior", "mdtest", "elbencho", "io500", "mpirun"):
            (programs / name).write_text('#!/bin/sh\necho "started $0 $*"; cat ./job.fio ./config.ini 2>/dev/null\n:\n')
            (programs / name).chmod(0o755)
        stand_in = programs / "runs.py"
        stand_in.write_text(STAND_IN)
        values = {f"OPTION_{row['name'][1:]}": "1m" for row in recipe["variables"]}
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HIGHWATER": str(stand_in), "SITE_TOKEN": SECRET, "RANKS": "1",
            "NODES": "1", "HOSTS": "h",
        }  # fmt: skip
        script = tmp_path / "again.sh"
        script.write_text(write_script("hw-1", recipe), encoding="utf-8")
        words = ["sh", str(script)]
        done = subprocess.run(
            words, cwd=tmp_path, env=environment | values | {"TESTDIR": str(lake)}, capture_output=True, check=True
        )
        assert b"started " in done.stdout or not (recipe["arguments"] or recipe["commands"])
        texts = [done.stdout.decode("utf-8", "replace")]
        if recipe["arguments"] or recipe["commands"]:
            texts += start_job(recipe, lake, environment)
        assert not list(tmp_path.rglob("*planted*"))
        assert SECRET not in "".join(texts), "a variable of the user is in what was started"
        return texts

    def start_job(recipe, lake, environment):
        publish(collector, peer, recipe)
        folder = tmp_path / "again"
        done = collector("reproduce", "hw-1", "--directory", str(lake), "--output", str(folder))
        assert (folder / "job.sh").exists(), done.stderr
        job = (folder / "job.sh").read_text()
        for row in recipe["variables"]:
            name = row["name"][1:]
            job = job.replace(f"\nOPTION_{name}=''; export", f"\nOPTION_{name}=1m; export")
            job = job.replace(f"\n{name}=''; export", f"\n{name}=1; export")
        (folder / "job.sh").write_text(job)
        subprocess.run(["sh", str(folder / "job.sh")], env=environment, check=True)
        outputs = [*folder.glob("results/run-*/output-*.txt"), *folder.glob("run-*/output-*.txt")]
        assert len(outputs) >= 3 and list(lake.iterdir()) == []
        return [path.read_text(encoding="utf-8") for path in outputs]

    return start


def publish(collector, peer, recipe):
    collector.environ["HIGHWATER_URL"] = peer.url
    record = "/api/v1/results/hw-1/"
    peer.public[record + "recipe/"] = recipe
    peer.public[record] = {"id": "hw-1", "tool": recipe["tool"], "measurements": [], "parameters": {}}
    peer.public[record + "distributions/"] = {"results": []}
    peer.public[record + "system/"] = NOTHING_HERE


def test_values_of_fio_start_nothing(start, tmp_path):
    options = {f"option{n}": attack for n, attack in enumerate(ATTACKS)} | dict.fromkeys(ATTACKS, "1")
    named = {"rw": "write", "exec_prerun": "sync", "filename": ATTACKS[0], "directory": ATTACKS[1]}
    texts = start(recipe_of_bytes(tmp_path, make_fio(named | options, options)))
    assert all("rw=write\n" in text and "exec" not in text for text in texts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("exec_prerun", "sync"), ("exec_postrun", "1"), ("trigger", "sync"), ("exec_prerun", "/1")],
)  # fmt: skip
def test_an_option_that_fio_runs_as_a_command_is_in_no_job_file(tmp_path, name, value):
    recipe = recipe_of_bytes(tmp_path, make_fio({"rw": "write", name: value}, {name: value}))
    assert name not in recipe["files"][0]["text"]
    assert name in [row["what"] for row in recipe["missing"]]


@pytest.mark.parametrize("value", ["/0/1", "/sync", "/1:/2"])
def test_a_path_of_known_words_is_no_value(tmp_path, value):
    recipe = recipe_of_bytes(tmp_path, make_fio({"rw": "write", "bssplit": value}))
    assert value not in recipe["files"][0]["text"] and "bssplit" in [row["what"] for row in recipe["missing"]]


def test_words_of_the_command_of_ior_start_nothing(start, tmp_path):
    attacks = [text for text in ATTACKS if len(text) < 1000 and not {"\0", "\n"} & set(text)]
    words = [word for text in attacks for word in ("-t", text, f"--posix.{text}", text)]
    assert all(" -t " in text for text in start(recipe_of_bytes(tmp_path, make_ior(*words))))


def test_words_of_the_command_of_elbencho_start_nothing(start, tmp_path):
    attacks = [text for text in ATTACKS if len(text) < 1000 and '"' not in text]
    words = " ".join(f'"--threads" "{text}" "--{text}"' for text in attacks)
    recipe = recipe_of_bytes(tmp_path, make_elbencho(words), "results.json")
    assert all("--write --read" in text for text in start(recipe))


def test_options_of_io500_start_nothing(start, tmp_path):
    lines = [line for text in ATTACKS for line in (f"datadir = {text}", f"{text} = {text}", f"[{text}]", f"x = {text}")]
    text = "\n".join(["[global]", "api = POSIX", *lines])
    report = checks.check(make_config(tmp_path / "run", text.encode()), benchmark="io500")
    assert all("api = POSIX\n" in text for text in start(recipe_of_runs(report)))


def config_of(tmp_path, content):
    report = checks.check(make_config(tmp_path / "run", content), benchmark="io500")
    return {file["path"]: file["text"] for file in recipe_of_runs(report)["files"]}["config.ini"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[ior-easy]\ntransferSize = 1m\ntransferSize = 4m\n", "transferSize = 4m\n"),
        (b"[ior-easy]\ntransferSize = 1m\n[find]\nnproc = 2\n[ior-easy]\nTRANSFERSIZE=4m\n", "transferSize = 4m\n"),
        (b"\xef\xbb\xbf[ior-easy]\r\ntransferSize = 4m\r\n", "transferSize = 4m\n"),
        (b"[ior-easy]\ntransferSize = 4m ; $(touch planted)\n", "transferSize = 4m\n"),
        (b"[ior-easy]\ntransferSize = 4m\n\xff\xfe = \xe9\n", "transferSize = 4m\n"),
        (b"[ior-easy]\ntransferSize = 4m\nuniqueDir = TR\0UE\n", "transferSize = 4m\n"),
    ],
    ids=["key twice", "section twice", "byte order mark", "comment", "Latin 1", "zero byte"],
)
def test_an_odd_configuration_gives_each_option_once(tmp_path, content, expected):
    text = config_of(tmp_path, content)
    assert text.count("transferSize") == 1 and expected in text
    assert text.count("[ior-easy]") == 1 and text.isascii() and text.isprintable() is False
    assert not [line for line in text.splitlines() if not line.isprintable()]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp500"])
def test_a_configuration_in_another_code_gives_no_odd_text(tmp_path, codec):
    report = checks.check(make_config(tmp_path / "run", "[global]\napi = POSIX\n".encode(codec)), benchmark="io500")
    for run in report.runs:
        recipe = write_run_recipe(run.as_json(), None)
        texts = [file["text"] for file in recipe["files"]] + [str(recipe["arguments"]), str(recipe["commands"])]
        assert all(line.isprintable() and line.isascii() for text in texts for line in text.splitlines())


def test_options_named_like_variables_of_the_shell_set_none(start, tmp_path):
    names = ["path", "ld_preload", "ifs", "env", "bash_env", "pythonpath", "home", "repeat", "under_test", "highwater"]
    text = "\n".join(["[global]", "api = POSIX", "[find]", *(f"{name} = x y" for name in names)])
    report = checks.check(make_config(tmp_path / "run", text.encode()), benchmark="io500")
    recipe = recipe_of_runs(report)
    assert {f"${name.upper()}" for name in names} <= {row["name"] for row in recipe["variables"]}
    texts = start(recipe)
    assert all(f"{name} = 1m 1m\n" in text for text in texts for name in names)


def test_variables_of_the_described_environment_start_nothing(start, tmp_path):
    names = ("PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "IFS", "HYDRA_LAUNCHER_EXEC", "HIGHWATER", "TESTDIR")
    others = {"OMPI_MCA_plm_rsh_agent": "touch", "UCX_TLS": "rc\ntouch planted", "UCX_SOCKADDR": "$(touch planted)"}
    variables = dict.fromkeys(names, "touch") | others | {"UCX_IB_SL": "1", "FI_PROVIDER": "$(touch planted)"}
    document = make_system(node_classes=[make_class()], job={"environment": variables})
    start(recipe_of_bytes(tmp_path, make_fio({"rw": "write"}), document=document))
    for script in (tmp_path / "again.sh", tmp_path / "again" / "job.sh"):
        lines = script.read_text().splitlines()
        set_names = {line[7:].partition("=")[0] for line in lines if line.startswith("export ") and "=" in line}
        assert "UCX_IB_SL" in set_names and set_names <= {"UCX_IB_SL", "UCX_TLS", "FI_PROVIDER"}


@pytest.mark.parametrize("value", ["0; touch planted", "$(touch planted)", "0\ntouch planted", "' ; touch planted '"])
def test_a_value_of_a_tunable_stays_one_word_of_its_command(tmp_path, value):
    parameters = [
        make_parameter("lustre.version", "2.15.4"),
        make_parameter("lustre.client.llite.statahead_max", value),
    ]
    document = make_system(node_classes=[make_class(parameters=parameters)])
    (tunable,) = recipe_of_bytes(tmp_path, make_fio({"rw": "write"}), document=document)["tunables"]
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "lctl").write_text('#!/bin/sh\necho "$#"\n')
    (programs / "lctl").chmod(0o755)
    words = ["sh", "-c", tunable["set"]]
    environment = {"PATH": f"{programs}:/usr/bin:/bin"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "2\n" and not (tmp_path / "planted").exists()


def test_very_many_jobs_and_options_make_no_recipe_that_is_cut_in_silence(tmp_path):
    document = json.loads(make_fio({"rw": "write"}))
    (job,) = document["jobs"]
    document["jobs"] = [{**job, "job options": {"rw": "write", "offset": str(n)}} for n in range(500)]
    recipe = recipe_of_bytes(tmp_path, json.dumps(document).encode())
    assert recipe["options_sha256"] is None and "options of the jobs" in [row["what"] for row in recipe["missing"]]
    options = {"rw": "write"} | {f"option{n}": "1" for n in range(500)}
    recipe = recipe_of_bytes(tmp_path, make_fio(options))
    (why,) = [row["why"] for row in recipe["missing"] if row["what"] == "further options"]
    assert why == "No more than 400 options are kept." and len(recipe["files"][0]["text"]) < 20_000


@pytest.mark.parametrize("name", ["job.sh", "ORIGINAL.json", "run-1"])
def test_an_input_file_replaces_nothing_of_the_folder(collector, peer, tmp_path, name):
    recipe = recipe_of_bytes(tmp_path, make_fio({"rw": "write"}))
    publish(collector, peer, {**recipe, "files": [{"path": name, "text": "touch planted"}]})
    done = collector("reproduce", "hw-1", "--directory", str(tmp_path), "--output", str(tmp_path / "again"))
    assert "collector.reproduce.file" in done.stderr and not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "words",
    [["sh", "-c", "touch planted"], ["env", "sh"], ["env", "LD_PRELOAD=x", "fio"], ["env", "-S", "x", "fio"],
     ["touch", "planted"], [""], ["./fio"]],
)  # fmt: skip
def test_a_program_that_is_no_benchmark_is_not_written_into_a_job(collector, peer, tmp_path, words):
    recipe = recipe_of_bytes(tmp_path, make_fio({"rw": "write"}))
    publish(collector, peer, {**recipe, "arguments": words})
    done = collector("reproduce", "hw-1", "--directory", str(tmp_path), "--output", str(tmp_path / "again"))
    assert "collector.reproduce.program" in done.stderr and not (tmp_path / "again").exists()


@pytest.mark.parametrize("name", ["a b'c;d|e&f\\g*", '$(touch planted)`touch planted`"'])
def test_a_folder_with_an_odd_name_is_the_folder_under_test(collector, peer, tmp_path, name):
    recipe = recipe_of_bytes(tmp_path, make_fio({"rw": "write", "directory": "/x"}))
    publish(collector, peer, recipe)
    lake, folder, programs = tmp_path / name, tmp_path / f"again {name}", tmp_path / "programs"
    lake.mkdir()
    programs.mkdir()
    (programs / "fio").write_text("#!/bin/sh\ncat job.fio\n")
    (programs / "fio").chmod(0o755)
    (programs / "runs.py").write_text(STAND_IN)
    for script in ("plain", "slurm"):
        words = ("--directory", str(lake), "--output", f"{folder}-{script}", "--script", script)
        assert "written to" in collector("reproduce", "hw-1", *words).stdout
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HIGHWATER": str(programs / "runs.py")}
        subprocess.run(["sh", f"{folder}-{script}/job.sh"], env=environment, check=True)
        outputs = sorted(Path(f"{folder}-{script}").glob("results/run-*/output-1.txt"))
        expected = [f"directory={lake}/highwater-repeat-{repeat}\n" for repeat in (1, 2, 3)]
        assert [line in path.read_text() for path, line in zip(outputs, expected, strict=True)] == [True] * 3
    assert not list(tmp_path.rglob("planted"))


def test_script_and_job_rest_on_the_same_facts():
    """The registry writes the script and the collector the job, and neither imports the other."""
    assert set(job.PLAIN_VARIABLES) == set(VARIABLES)
    assert set(job.WITHOUT_LAUNCHER) == set(WITHOUT_LAUNCHER)
    assert {name for name in io_environment.NAMES if io_environment.is_steering(name)} == steering_variables()
    assert io_environment.is_steering("IOR_HINT__MPI__cb_nodes") and HINT.fullmatch("IOR_HINT__MPI__cb_nodes")
