"""How much code one upload passes from POST to the page of its list: it may only become less."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
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
MOST_LINES, MOST_FILES = 8000, 310
"""The goal is 2,500 lines in 16 files. These only fall, but for new checks: 21 kinds of evidence took 280 lines."""


@contextmanager
def called_functions(codes: set[CodeType]) -> Iterator[None]:
    """Adds the code of each function of the packages that runs meanwhile in this thread."""
    roots = tuple(f"{ROOT / package}/" for package in PACKAGES)

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(roots):
            codes.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


@cache
def functions(path: str) -> dict[tuple[str, int], int]:
    """Lines of each function of a file by its name and the line of `def`, without those of functions inside of it."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {
        (node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])): (
            node.end_lineno - node.lineno + 1
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def lines_by_file(codes: set[CodeType]) -> dict[str, int]:
    lines: dict[str, int] = defaultdict(int)
    for code in codes:
        name = str(Path(code.co_filename).relative_to(ROOT))
        lines[name] += functions(code.co_filename).get((code.co_name, code.co_firstlineno), 0)
    return {name: count for name, count in lines.items() if count}


def test_the_way_of_an_upload_becomes_no_longer(cast, release, archive) -> None:
    codes: set[CodeType] = set()
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
    most = "\n".join(f"{lines:5d} {path}" for path, lines in sorted(by_file.items(), key=lambda pair: -pair[1])[:30])
    assert sum(by_file.values()) <= MOST_LINES and len(by_file) <= MOST_FILES, most
