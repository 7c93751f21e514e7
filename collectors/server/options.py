"""Arguments that several verbs share, and what they mean.

What reads settings and what speaks HTTP is loaded by those that need it: without them a verb takes a third less time.
"""

import argparse
import os
import sys

DEFAULT_TIMEOUT_S = 600.0
MOST_TYPED = 64 * 1024
PUBLIC = "public"
SCOPES = {PUBLIC: PUBLIC, "own": "institution", "both": "all", "institution": "institution", "all": "all"}
"""What is typed for whose results are meant, and the API's word for it; the last two are typed in older scripts."""


def add_context(verb):
    verb.add_argument("--metadata", metavar="FILE", help="JSON object of run details that results lack")
    verb.add_argument("--release", metavar="R", help="release to submit the results to")
    verb.add_argument(
        "--list", metavar="L", dest="lists", action="append", default=[], help="ranked list; repeat, or give a,b"
    )


def add_output(verb):
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def add_scope(verb, what):
    verb.add_argument(
        "--scope",
        choices=list(SCOPES),
        metavar="public|own|both",
        help="%s: public results, checked runs of your institutions and those shared with you, or both" % what,
    )


def asked_scope(options):
    """The API's word for the scope that was asked for; public without one."""
    return SCOPES[options.scope or PUBLIC]


def add_timeout(verb, default_s=DEFAULT_TIMEOUT_S):
    verb.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=default_s,
        help="give up after this many seconds, with retries and waiting (%(default)g)",
    )


def seconds(text):
    """Read seconds, above 0 and at most a day. Raises ArgumentTypeError for other numbers."""
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("between 0 and 86400 seconds")
    return value


def open_server(settings, options, progress, token_if_closed=None):
    """A Server within the time that was asked for."""
    from collectors.server.client import Deadline, Server

    return Server(settings, Deadline(options.timeout), progress, token_if_closed)


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
    from collectors.server import config

    return open_server(config.settings(os.environ), options, progress)


def connect_to_ask(options, progress):
    """A Server for a scope: a reader's for the public record, else one with a token. Raises UsageError without one."""
    return (connect_as_reader if asked_scope(options) == PUBLIC else connect)(options, progress)


def connect_as_reader(options, progress):
    """A Server that is sent no token, for what everybody may read; a closed registry is sent the one that it is for."""
    from collectors.server import config

    return reader_of(config.load_reader_settings(os.environ), options, progress)


def reader_of(settings, options, progress):
    """As `connect_as_reader`, for the Settings of a reader."""
    from collectors.server import config

    def token_if_closed():
        return config.find_token(settings.url, os.environ)

    return open_server(settings, options, progress, token_if_closed)
