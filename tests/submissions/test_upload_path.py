"""How much code one upload passes from POST to the page of its list: it may only become less.

`./dev.py test tests/submissions/test_upload_path.py -s` prints the stages with their lines.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from django.test import Client

from submissions.checks import processing
from submissions.publication import publish
from submissions.review import decisions
from tests.submissions.cast import submit_to

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("registry", "submissions", "validators")
MOST_LINES, MOST_FILES = 9750, 230
"""All functions that run, with readers and evidence. They only fall, but for checks, log, shelf and recipes.

Measured alone; after other tests it is some 240 lines less, for what they left in memory.
"""
STAGES = {
    "receive": "submissions/intake/receive.py",
    "store": "submissions/bundles/storage.py",
    "queue": "submissions/lifecycle/task_queue.py",
    "process": "submissions/checks/processing.py",
    "check": "validators/checks.py",
    "open": "validators/bundle/__init__.py",
    "cut into outputs": "validators/reading/__init__.py",
    "read": "validators/benchmarks/io500/parser.py",
    "score": "validators/scoring.py",
    "hold against itself": "validators/evidence/__init__.py",
    "review": "submissions/review/decisions.py",
    "publish": "submissions/publication/publish.py",
    "copy": "submissions/publication/snapshot.py",
    "scrub": "submissions/bundles/scrubbed_copy.py",
    "rank": "registry/lists/ranking.py",
    "show": "registry/lists/views.py",
}
"""The way of an upload in sixteen files, which docs/architecture.md names, too. What they call are parts of a stage."""
MOST_STAGE_LINES = 2500


@contextmanager
def called_functions(codes: dict[CodeType, None]) -> Iterator[None]:
    """Add the code of each function of the packages that runs meanwhile in this thread, by first call."""
    roots = tuple(f"{ROOT / package}/" for package in PACKAGES)

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(roots):
            codes.setdefault(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


def docstring_lines(node: ast.FunctionDef) -> int:
    first = node.body[0]
    return first.end_lineno - first.lineno + 1 if ast.get_docstring(node) is not None else 0


@cache
def functions(path: str) -> dict[tuple[str, int], int]:
    """Lines of each function of a file, but its docstring, by its name and the line of `def`."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {
        (node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])): (
            node.end_lineno - node.lineno + 1 - docstring_lines(node)
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def lines_by_file(codes: Iterable[CodeType]) -> dict[str, int]:
    lines: dict[str, int] = defaultdict(int)
    for code in codes:
        name = str(Path(code.co_filename).relative_to(ROOT))
        lines[name] += functions(code.co_filename).get((code.co_name, code.co_firstlineno), 0)
    return {name: count for name, count in lines.items() if count}


def test_the_code_path_of_an_upload_grows_no_longer(cast, release, archive, without_cage) -> None:
    codes: dict[CodeType, None] = {}
    content = archive()
    with called_functions(codes):
        answer = cast.alice.upload(content)
        processing.check_submission(answer.json()["id"])
        submission = cast.alice.account.submissions.get(pk=answer.json()["id"])
        submit_to(release, submission, cast.alice, ("full", "io500"))
        decisions.prepare_for_review(str(submission.pk))
        decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
        publish.publish_release(release, None)
        page = Client().get("/lists/sc99/io500/")
    assert page.status_code == 200 and "sc99" in page.content.decode().lower()
    by_file = lines_by_file(codes)
    largest = sorted(by_file.items(), key=lambda pair: -pair[1])[:30]
    most = "\n".join(f"{lines:5d} {path}" for path, lines in largest)
    assert sum(by_file.values()) <= MOST_LINES and len(by_file) <= MOST_FILES, most
    stages = "\n".join(f"{by_file.get(path, 0):5d} {stage:20s} {path}" for stage, path in STAGES.items())
    print(f"\n{stages}\n{sum(by_file.values()):5d} in all, in {len(by_file)} files")
    assert all(path in by_file for path in STAGES.values()), stages
    assert len(STAGES) <= 16 and sum(by_file[path] for path in STAGES.values()) <= MOST_STAGE_LINES, stages


def test_the_page_on_architecture_names_its_stages() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, way = page.partition("## The way of a run\n")
    assert [path for path in STAGES.values() if f"`{path}`" not in way.partition("\n## ")[0]] == []
