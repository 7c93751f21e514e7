"""`whoami`: whose token it is, and what it may do."""

import sys

from collectors import report
from collectors.errors import OK, NetworkError
from collectors.server import options as server_options

ABOUT = "show your account, its institutions, and what your token may do"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s --json
"""


def define(verb):
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    server = server_options.connect(options, progress)
    account = read_account(server)
    if options.json:
        report.print_json(dict(account, url=server.base.geturl()))
    else:
        print_account(account, server.base.geturl(), sys.stdout)
    return OK


def read_account(server):
    """The account of the token. Raises NetworkError for an answer that names none."""
    document = server.get("account/").document
    if not isinstance(document, dict) or not isinstance(document.get("account"), str):
        raise NetworkError("collector.not-the-api", "The server named no account.", "Check the registry's address.")
    return document


def print_account(account, url, stream):
    """The registry, and what it says of the account; {} is one that the token may not read."""
    report.print_line("registry     %s" % url, stream)
    if not account:
        return
    report.print_line("account      {} ({})".format(account["account"], account.get("role")), stream)
    for row in report.list_of_dicts(account, "institutions"):
        report.print_line("institution  {} ({})".format(row.get("name"), row.get("role")), stream)
    token = account.get("token")
    if isinstance(token, dict):
        scopes = token.get("scopes")
        may = ", ".join(map(str, scopes)) if isinstance(scopes, list) else "?"
        until = report.day_of(token.get("expires_at")) or "no end"
        report.print_line("token        {}..., may {}, until {}".format(token.get("id"), may, until), stream)
