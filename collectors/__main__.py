"""Entry point. This file alone stays readable to any Python, so that an old one gets a sentence and not a traceback."""

import sys

if sys.version_info < (3, 6):
    sys.stderr.write("The Highwater collector needs Python 3.6 or later; this is %d.%d.\n" % sys.version_info[:2])
    sys.exit(2)

from collectors.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
