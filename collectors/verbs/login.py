"""`login`: check a token, and keep it with the registry's address."""

import getpass
import os
import sys
import warnings

from collectors import report
from collectors.errors import OK, ServerRefusal, UsageError
from collectors.files import unwritable_file, write_whole
from collectors.server import config
from collectors.server import options as server_options
from collectors.server.client import Deadline, Server
from collectors.verbs import whoami

ABOUT = "check your token with the registry, and store it with the registry's address"

EXAMPLES = """examples:
  %(prog)s https://registry.example/
  %(prog)s https://registry.example/ < token.txt
  %(prog)s

Create a token on your account page, /account/, and paste it: it is not shown. If standard input is not
a terminal, its first line is the token. Address and token are stored in ~/.config/highwater/config.ini,
mode 0600; the collector refuses a file that others can read. Without URL, the address is the one that
was set before, or the one that this collector was downloaded from.
"""

TIMEOUT_S = 60.0
MAX_TOKEN_CHARACTERS = 1024


def define(verb):
    verb.add_argument("url", metavar="URL", nargs="?", default="", help="the registry's address")
    server_options.add_output(verb)
    server_options.add_timeout(verb, TIMEOUT_S)


def run(options, progress):
    url = config.find_server_address(options.url, os.environ)
    # Before anything is asked: a file that cannot take the token.
    path, _text = config.edit_config(config.Settings(url, ""))
    token = config.check_token(read_token(url), url)
    account = known_account(Server(config.Settings(url, token), Deadline(options.timeout), progress))
    keep_settings(path, config.Settings(url, token))
    progress.note("stored in %s, which only you can read" % path)
    for name in ("HIGHWATER_URL", "HIGHWATER_TOKEN"):
        if os.environ.get(name):
            progress.note("%s is set, and overrides that file" % name)
    if options.json:
        report.print_json(dict(account, url=url))
    else:
        whoami.print_account(account, url, sys.stdout)
    return OK


def keep_settings(path, settings):
    """Write the configuration file. Raises UsageError where it cannot be written."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        raise unwritable_file("collector.config", path, error, "Set HIGHWATER_URL and HIGHWATER_TOKEN instead.")
    write_whole(*config.edit_config(settings))


def read_token(url):
    """The token that is pasted, or the first line of standard input. Raises UsageError where it would be shown."""
    if not sys.stdin.isatty():
        token = sys.stdin.readline(MAX_TOKEN_CHARACTERS).strip()
        if not token:
            raise UsageError(
                "collector.token",
                "The first line of standard input is empty; it must be the token.",
                "Create one at %s/account/, or run `login` on a terminal and paste it." % url,
            )
        return token
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass("Token of %s/account/ (not shown): " % url, sys.stderr).strip()
    except getpass.GetPassWarning:
        raise UsageError("collector.token", "This terminal would show the token.", "Give it on standard input.")
    except EOFError:
        return ""


def known_account(server):
    """The account of the token; {} for a token that may not read, which is good for uploads alone.

    Raises ServerRefusal for a token that the registry does not know.
    """
    try:
        return whoami.read_account(server)
    except ServerRefusal as error:
        if error.code == "permission.scope":
            server.progress.note("this token may not read: it is good for uploads, and most verbs will be refused")
            return {}
        raise
