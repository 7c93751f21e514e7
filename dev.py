#!/usr/bin/env python3
"""Start, test and check Highwater: `./dev.py --help`. Needs Python 3.11 or later and nothing else."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs it has an older one
    sys.exit("dev.py needs Python 3.11 or later; this is Python {}.{}.".format(*sys.version_info))

sys.dont_write_bytecode = True

from launcher.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
