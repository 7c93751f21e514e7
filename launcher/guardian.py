"""The last guard against orphans: ends what the launcher started once the launcher is gone.

The kernel's signal at the launcher's death reaches only its own children, and a Celery worker with a task in hand may
hang on a broker that has just died. This process runs beside the launcher, reads `watch GROUP PATIENCE` and
`forget GROUP` lines from it, and when the line breaks it kills each process group left after its patience (seconds).
"""

import os
import signal
import sys
import time


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_after_patience(read_groups())


def read_groups() -> dict[int, float]:
    """The process groups and their patience, as they stand when the launcher ends."""
    groups: dict[int, float] = {}
    for line in sys.stdin:
        order, group, *patience = line.split()
        if order == "watch":
            groups[int(group)] = float(patience[0])
        else:
            groups.pop(int(group), None)
    return groups


def end_after_patience(groups: dict[int, float]) -> None:
    """Wait for the groups to end; kill those that take longer than they may."""
    begun = time.monotonic()
    while groups:
        for group, patience_s in list(groups.items()):
            late = time.monotonic() - begun > patience_s
            try:
                os.killpg(group, signal.SIGKILL if late else 0)
            except ProcessLookupError:
                late = True
            if late:
                del groups[group]
        time.sleep(0.05)


if __name__ == "__main__":
    main()
