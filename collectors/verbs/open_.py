"""`open`: the page of a submission, a run of the shelf or a result, in a browser where there is one."""

import os
import sys
import webbrowser

from collectors import report
from collectors.errors import OK, UsageError
from collectors.server import ids, submission
from collectors.server import options as server_options

ABOUT = "print the address of a submission, a run or a result, and open it in a browser"

EXAMPLES = """examples:
  %(prog)s hw-1
  %(prog)s 784c6d71
  %(prog)s hw-1 --no-browser

`open` always prints the address. It opens a browser only on a desktop, and never one in the terminal.
"""

DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")


def define(verb):
    verb.add_argument("id", metavar="ID", help="public id of a result, or id of a submission or of a run on the shelf")
    verb.add_argument("--no-browser", action="store_true", help="print the address only")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    if ids.is_public(options.id):
        address = "%s/results/%s/" % (server_options.connect_as_reader(options, progress).base.geturl(), options.id)
    else:
        server = server_options.connect(options, progress)
        address = "%s/%s" % (server.base.geturl(), find_private_page(server, options.id))
    opened = not options.no_browser and has_desktop() and webbrowser.open(address)
    if options.json:
        report.print_json({"url": address, "opened": opened})
    else:
        report.print_line(address, sys.stdout)
    return OK


def find_private_page(server, text):
    """The path of the page of a submission or of a run of the shelf; a whole id is not asked for.

    Raises UsageError for what means none or several.
    """
    if ids.is_of_run(text):
        return "shelf/runs/%s/" % text.lower()
    try:
        return submission.find_path(server, text)
    except UsageError as missing:
        return "shelf/runs/%s/" % ids.find_shelved(server, text, missing)


def has_desktop():
    return sys.platform == "darwin" or any(os.environ.get(name) for name in DESKTOPS)
