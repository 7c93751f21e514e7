"""Run the benchmarks by name; without one, all small sizes in under ten minutes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import django
from django.conf import settings
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from bench import check, collector, comparison, export, intake, kept, lists, parsers, publication, studies  # noqa: E402  (their models need Django set up)

SMALL: dict[str, Callable[[], None]] = {
    "check": check.run,
    "collector": collector.run,
    "parsers": parsers.run,
    "intake": intake.run,
    "lists": lambda: lists.run([300, 10_000]),
    "kept": lambda: kept.run(10_000),
    "comparison": lambda: comparison.run(10_000),
    "studies": lambda: studies.run(10_000),
    "export": lambda: export.run(10_000),
    "publication": lambda: publication.run(500, 10_000),
}
BY_NAME: dict[str, Callable[[], None]] = SMALL | {
    "lists-100000": lambda: lists.run([100_000]),
    "comparison-100000": lambda: comparison.run(100_000),
    "studies-100000": lambda: studies.run(100_000),
    "export-100000": lambda: export.run(100_000),
}


def main(names: list[str]) -> int:
    """Exit status 2 for an unknown name, else 0: a benchmark measures, it does not judge."""
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(BY_NAME)}", file=sys.stderr)
        return 2
    call_command("migrate", verbosity=0)
    settings.KEPT_ANSWERS_BYTES = 0  # `kept` asks a web server that keeps answers; nothing in this process does
    for name in names or SMALL:
        BY_NAME[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
