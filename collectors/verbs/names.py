"""`names`: which names stand behind pseudonyms, read from this site's own map; nothing is sent."""

import os
import re
import stat
import sys

from collectors import report
from collectors.bundle.redaction import is_address
from collectors.errors import FINDINGS, OK, UsageError
from collectors.files import TooLarge, read_at_most
from collectors.privacy import pseudonyms

ABOUT = "translate pseudonyms back into names, at the site"

EXAMPLES = """examples:
  %(prog)s                                all pseudonyms of this site
  %(prog)s m-0b1c2d3e m-4f5a6b7c
  %(prog)s --text run1/system.json        the file, with names instead of pseudonyms
  %(prog)s m-0b1c2d3e --hosts hosts.txt   also try the names in a file, one per line

The names are in ~/.config/highwater/pseudonyms.json, which only you may read. Nothing is sent.
Do not put the output into a bundle.
"""

PSEUDONYM = re.compile(r"(?<![A-Za-z0-9])m-[0-9a-f]{8}(?![0-9A-Za-z])")
MAX_BYTES = 64 * 1024 * 1024
MAX_HOSTS = 1000000


def define(verb):
    verb.add_argument("pseudonym", metavar="PSEUDONYM", nargs="*", help="pseudonym: m- and eight digits")
    verb.add_argument("--text", metavar="FILE", help="print this file with names; - is standard input")
    verb.add_argument("--hosts", metavar="FILE", help="file with more names to try, one per line")
    verb.add_argument("--json", action="store_true", help="print {pseudonym: name}; null: not known")


def run(options, progress):
    by_pseudonym = known_names(options, progress)
    if options.text:
        return translate(text_of(options.text), by_pseudonym)
    unlike = [word for word in options.pseudonym if not PSEUDONYM.fullmatch(word)]
    if unlike:
        raise UsageError(
            "collector.names", "%s is no pseudonym." % unlike[0], "They are m- and eight digits: m-0b1c2d3e."
        )
    wished = options.pseudonym or sorted(by_pseudonym, key=lambda pseudonym: (by_pseudonym[pseudonym], pseudonym))
    if options.json:
        report.print_json({pseudonym: by_pseudonym.get(pseudonym) for pseudonym in wished})
    else:
        for pseudonym in wished:
            report.print_line("%s  %s" % (pseudonym, by_pseudonym.get(pseudonym, "not known here")), sys.stdout)
    if not by_pseudonym:
        progress.note("this site has no map of names: it is made by `collect`, `run` and `pack`")
    return OK if all(pseudonym in by_pseudonym for pseudonym in wished) else FINDINGS


def known_names(options, progress):
    """{pseudonym: name} of the site's map, and of the names in a file under the site's key.

    Raises UsageError if either cannot be read.
    """
    place = os.path.join(os.path.expanduser(pseudonyms.FOLDER), pseudonyms.MAP_FILE)
    require_private(place)
    try:
        by_pseudonym = {name: value for name, value in pseudonyms.read_map(place).items() if isinstance(value, str)}
    except OSError as error:
        raise UsageError("collector.names", "%s cannot be read: %s" % (place, error.strerror or error))
    if options.hosts:
        site = pseudonyms.of_site(progress.note)
        for line in text_of(options.hosts).splitlines()[:MAX_HOSTS]:
            name = line.strip()
            if name:
                site.of(name if is_address(name) else name.partition(".")[0])
        by_pseudonym.update(site.names)
    return by_pseudonym


def require_private(place):
    """Raises UsageError where others can read the map."""
    try:
        mode = os.stat(place).st_mode
    except OSError:
        return
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = "%s can be read by others (mode %04o); it holds names." % (place, stat.S_IMODE(mode))
        raise UsageError("collector.names", message, "chmod 600 " + place)


def translate(text, by_pseudonym):
    """Print a text with names in it; a pseudonym without one stays."""
    unknown = set()

    def name(match):
        if match.group(0) not in by_pseudonym:
            unknown.add(match.group(0))
        return by_pseudonym.get(match.group(0), match.group(0))

    for line in text.splitlines():
        report.print_line(PSEUDONYM.sub(name, line), sys.stdout)
    return FINDINGS if unknown else OK


def text_of(path):
    """Return the text of a file, or of the standard input for `-`.

    Raises UsageError if it cannot be read or has more than MAX_BYTES bytes.
    """
    try:
        content = read_at_most(sys.stdin.fileno() if path == "-" else path, MAX_BYTES)
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except TooLarge:
        raise UsageError("collector.path", "%s has more than %d bytes." % (path, MAX_BYTES))
    return content.decode("utf-8", "replace")
