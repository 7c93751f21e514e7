"""The command line: reads arguments, calls one function per verb, says what came of it."""

import argparse
import errno
import os
import signal
import sys

from collectors import VERSION
from collectors.errors import OK, USAGE, CollectorError, UsageError
from collectors.progress import Progress
from collectors.verbs import VERBS, define_verb, load_verb

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

ABOUT = """Record machines, check benchmark results, and send them to a Highwater registry.

`login` stores the registry's address and your token in ~/.config/highwater/config.ini (mode 0600).
HIGHWATER_URL and HIGHWATER_TOKEN override that file:

  [highwater]
  url = https://registry.example/
  token = ...
"""

AFTERWARDS = """exit status:
  0 ok   1 error findings, or refused   2 wrong usage   3 nothing found   4 network   130 interrupted

`%(prog)s VERB --help` shows examples.
"""


def main(arguments=None):
    """Run one command; return the exit status."""
    open_streams()
    progress = Progress()
    signal.signal(signal.SIGTERM, leave_on_signal)
    arguments = sys.argv[1:] if arguments is None else arguments
    command = parser(arguments)
    options = command.parse_args(arguments)
    if options.verb is None:
        command.print_help(sys.stderr)
        return USAGE
    try:
        status = options.verb.run(options, progress)
        sys.stdout.flush()
        return status
    except CollectorError as error:
        return print_error(error, options, progress)
    except KeyboardInterrupt:
        progress.note("interrupted; no temporary file remains")
        return INTERRUPTED
    except BrokenPipeError:
        give_up_output()  # whoever read it has left
        return OK
    except OSError as error:
        flush_output()
        return print_error(system_error(error), options, progress)
    finally:
        progress.clear()


def system_error(error):
    """What this machine refused, as a CollectorError: what, where, and what helps against a full disk."""
    place = f": {error.filename}" if error.filename else ""
    hint = ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        import tempfile  # with what it loads, a tenth of the time of a short command

        hint = f"Free some space, or let TMPDIR name another folder than {tempfile.gettempdir()}; then run it again."
    return UsageError("collector.os", f"{error.strerror or error}{place}.", hint)


def flush_output():
    """Write what stdout still holds, or give it up."""
    try:
        sys.stdout.flush()
    except OSError:
        give_up_output()


def give_up_output():
    """Let stdout lead nowhere: what it still holds would be tried again at our end, and change our exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_streams():
    """Give us the standard streams that we were started without: else files that we open would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
            if nowhere != number:
                os.close(nowhere)


def leave_on_signal(number, frame):
    """Leave as an exception, so that temporary files go. Raises SystemExit for every signal."""
    raise SystemExit(TERMINATED)


def print_error(error, options, progress):
    """Show an error as one or two lines, and as the JSON document where one was asked for."""
    progress.note(f"error: {error.message} [{error.code}]")
    if error.hint:
        progress.note("       " + error.hint)
    if getattr(options, "json", False):
        from collectors import report

        try:
            report.print_json({"error": error.as_json()})
        except OSError:
            give_up_output()
    return error.exit_status


def parser(arguments=()):
    """The parser of all verbs, or of the one that the arguments begin with: the others need not be loaded for it."""
    top = argparse.ArgumentParser(
        prog=command_name(), description=ABOUT, epilog=AFTERWARDS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version="highwater collector " + VERSION)
    verbs = top.add_subparsers(metavar="VERB", dest="verb_name")
    for name in [name for name in arguments[:1] if name in VERBS] or VERBS:
        add_verb(verbs, name, load_verb(name))
    top.set_defaults(verb=None)
    return top


def command_name():
    """How the user called this: the single file by its name, the package by its module."""
    single_files = [part for part in sys.argv[0].split(os.sep) if part.endswith(".pyz")]
    return single_files[-1] if single_files else "python -m collectors"


def add_verb(verbs, name, verb):
    arguments = verbs.add_parser(
        name,
        help=verb.ABOUT,
        description=verb.ABOUT[0].upper() + verb.ABOUT[1:] + ".",
        epilog=verb.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.set_defaults(verb=verb)
    define_verb(name, arguments)
