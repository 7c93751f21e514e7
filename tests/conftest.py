"""What every test may use, and the last lines of a run: how many deep and real-data tests ran or were left out."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("HIGHWATER_SHARED") or ROOT.parent / "shared")

# Tests that share a running registry; they wait more than they work, and so begin first.
TOGETHER = "flows"
LONG = (
    "tests/flows/test_first_steps.py",
    "tests/launcher/test_up.py",
    "tests/launcher/test_databases.py",
    "tests/collectors/capture/test_launch.py",
    "tests/submissions/test_worker.py",
    "tests/submissions/test_outage.py",
    "tests/submissions/publication/test_whole_release.py",
    "tests/collectors/bundle/test_redaction.py",
)
"""Files that take or wait longest of all others; last, they would leave the other processes without work.

The first have a registry or a state folder of their own, and so need not stay with those of their folder."""

FUZZ_REQUESTS, FUZZ_REQUESTS_DEEP = 1, 25

_real_data: Counter[str] = Counter()
_deep: Counter[str] = Counter()

# Also for the web servers that tests start.
os.environ.setdefault("KEPT_ANSWERS_BYTES", "0")

# A busy machine is no failure of what is tested.
settings.register_profile("highwater", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("highwater")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="also the tests that are too long for every run")
    earlier_state_help = "begin the upgrade drill with a copy of this folder, which tests.deep.earlier_release made"
    parser.addoption("--earlier-state", metavar="DIR", help=earlier_state_help)
    parser.addoption("--faults", type=int, default=1000, help="faults of the long drill (default: 1000)")
    words = f"requests of each operation that tests/submissions/test_fuzz.py makes (default: {FUZZ_REQUESTS}, "
    parser.addoption("--fuzz", type=int, help=f"{words}with --deep {FUZZ_REQUESTS_DEEP})")


def pytest_configure(config: pytest.Config) -> None:
    """Each test client starts its own middleware; that WhiteNoise lists 200 files then is a fifth of a small test."""
    if config.option.fuzz is None:
        config.option.fuzz = FUZZ_REQUESTS_DEEP if config.option.deep else FUZZ_REQUESTS
    if django_settings.configured:
        django_settings.WHITENOISE_AUTOREFRESH = True
        # Tests read what they have just written, often before it is committed; those of kept answers turn them on.
        django_settings.KEPT_ANSWERS_BYTES = 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each process of a run of all tests imports them from another place on: the first to meet a file compiles it."""
    config = session.config
    if hasattr(config, "workerinput") and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        number, count = int(config.workerinput["workerid"].removeprefix("gw")), config.workerinput["workercount"]
        files = sorted((ROOT / "tests").rglob("test_*.py"))
        first = len(files) * number // count
        for file in files[first:] + files[:first]:
            with contextlib.suppress(Exception, pytest.skip.Exception):  # told when the file is collected
                importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: Any) -> None:
    """The database of each process of a run begins as a copy of the migrated one, and is emptied quickly."""
    from django.db import connection

    from tests.migrated import migrated_database
    from tests.quick_flush import QuickFlush

    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated_database()
    connection.ops = QuickFlush(connection)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: real submissions, real outputs, expected values. Skips where it is not there."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared data at {SHARED} (set HIGHWATER_SHARED)")
    return SHARED


@pytest.fixture(scope="session")
def every_nth(request: pytest.FixtureRequest) -> Callable[[Sequence[Any], int], Sequence[Any]]:
    """What a long loop goes through: all items in a deep run, every so many-th in others."""
    return lambda items, step: items if request.config.option.deep else items[::step]


@pytest.fixture(scope="session")
def published_archives(every_nth: Callable[[Sequence[Path], int], Sequence[Path]], shared: Path) -> Sequence[Path]:
    """Archives that IO500 published: all in a deep run, every sixth in others."""
    archives = sorted((shared / "data" / "io500" / "submissions").glob("*.tar.gz"))
    assert len(archives) > 150
    return every_nth(archives, 6)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Whoever asks for shared data is a real-data test; a distributed run begins with what takes or waits longest.

    Deep tests are left out last, so that those are counted which -k and -m chose.
    """
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real_data)
    yield
    if not config.option.deep:
        leave_out_deep(config, items)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (not is_deep(item), place_of(group_of(item.nodeid))))
    gc.freeze()  # all that was collected stays to the end: it need not be looked at again and again


def is_deep(item: pytest.Item) -> bool:
    return item.get_closest_marker("deep") is not None


def leave_out_deep(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if is_deep(item)]
    items[:] = [item for item in items if not is_deep(item)]
    config.hook.pytest_deselected(items=left_out)
    _deep["left out"] = len(left_out)
    if hasattr(config, "workerinput"):
        config.workeroutput["deep tests left out"] = len(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Each process of a distributed run collects all tests, and none of them tells pytest what it left out."""
    worker_output = getattr(node, "workeroutput", {})
    _deep["left out"] = max(_deep["left out"], worker_output.get("deep tests left out", 0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """With `--dist loadfile`, the tests of a group stay in one process, whose fixtures are then made once."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Grouped(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Grouped(config, log)


def place_of(group: str) -> int:
    """When a group of tests begins: the smallest first."""
    order = (TOGETHER, *LONG)
    return order.index(group) if group in order else len(order)


def group_of(nodeid: str) -> str:
    """The folder of tests that share a registry, otherwise the file."""
    file = nodeid.partition("::")[0]
    return TOGETHER if Path(file).parent.name == TOGETHER and file not in LONG else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_newgateway(gateway) -> None:
    """Each process of a distributed run has a broker and a cache of its own, as it has a database."""
    number = 2 + 2 * int(gateway.id.removeprefix("gw"))
    numbers = {"BROKER_URL": number, "CACHE_URL": number + 1}
    own = {name: with_number(os.environ[name], number) for name, number in numbers.items() if name in os.environ}
    gateway.remote_exec("import os; os.environ.update(channel.receive())").send(own)


def with_number(url: str, number: int) -> str:
    """The address of another of a Valkey server's databases, which are numbered at the end."""
    changed, replacements = re.subn(r"(?<=[/=])\d+$", str(number), url)
    return changed if replacements else f"{url.rstrip('/')}/{number}"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for keyword, counted in (("real_data", _real_data), ("deep", _deep)):
        if keyword in report.keywords and (report.when == "call" or report.skipped):
            counted["skipped" if report.skipped else "ran"] += 1


def pytest_unconfigure(config: pytest.Config) -> None:
    """After everything else that pytest prints; workers of a distributed run stay silent."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        if _deep["left out"]:
            print(f"deep tests: {_deep['left out']} left out; ./dev.py test --deep runs them, too")
        elif config.option.deep:
            print(f"deep tests: {_deep['ran']} ran, {_deep['skipped']} skipped")
        print(f"real-data tests: {_real_data['ran']} ran, {_real_data['skipped']} skipped")
