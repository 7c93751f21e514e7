"""Arguments that several verbs share, and what they mean."""

import argparse
import os
import sys

from collectors.server import config
from collectors.server.client import Deadline, Server

DEFAULT_TIMEOUT_S = 600.0
MOST_TYPED = 64 * 1024


def add_context(verb):
    verb.add_argument("--metadata", metavar="FILE", help="JSON object with what the results do not say themselves")
    verb.add_argument("--release", metavar="R", help="release that the results are meant for")
    verb.add_argument(
        "--list", metavar="L", dest="lists", action="append", default=[], help="ranked list; again, or a,b, for more"
    )


def add_output(verb):
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def add_timeout(verb, default_s=DEFAULT_TIMEOUT_S):
    verb.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=default_s,
        help="give up after so many seconds, repeating and waiting included (%(default)g)",
    )


def seconds(text):
    """Read seconds, above 0 and at most a day. Raises ArgumentTypeError for other numbers."""
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("between 0 and 86400 seconds")
    return value


def list_names(options):
    return [name.strip() for list_option in options.lists for name in list_option.split(",") if name.strip()]


def is_agreed(statement, progress):
    """Whether a person at the terminal agrees to a statement; anything but yes is no."""
    return typed_line("%s [yes/no] " % statement, progress).lower() in ("y", "yes")


def typed_line(prompt, progress):
    """One line of a person at the terminal, without blanks around it; the prompt is on stderr. "" at the end."""
    progress.ask_user(prompt)
    return sys.stdin.readline(MOST_TYPED).strip()


def connect(options, progress):
    return Server(config.settings(os.environ), Deadline(options.timeout), progress)


def connect_as_reader(options, progress):
    """A Server that is sent no token, for what everybody may read."""
    return Server(config.reader_settings(os.environ), Deadline(options.timeout), progress)
