"""`search`: look for words in the public record."""

import sys
from urllib.parse import urlsplit

from collectors import report
from collectors.errors import OK
from collectors.server import options as server_options
from collectors.server import submission
from collectors.server.client import not_the_api

ABOUT = "search sites, systems, results, lists, studies and documents of the registry"

EXAMPLES = """examples:
  %(prog)s lustre frontier
  %(prog)s fs:lustre --kind result
  %(prog)s stonewall --json
  %(prog)s otter --scope both

You need an account only if --scope includes checked runs of your institutions. Each line is a hit: kind,
name, details, address.
"""

MOST_TITLE = 60
MOST_SUMMARY = 70
TEXTS = (("title", MOST_TITLE), ("summary", MOST_SUMMARY))


def define(verb):
    verb.add_argument(
        "words", metavar="WORDS", nargs="+", help="search terms, their beginnings, or filters such as fs:lustre"
    )
    server_options.add_scope(verb, "whose results are searched")
    verb.add_argument("--kind", metavar="K", help="only hits of this kind: site, system, result, list, document, ...")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    query = {"q": " ".join(options.words)}
    server = server_options.connect_to_ask(options, progress)
    if server_options.asked_scope(options) != server_options.PUBLIC:
        query["scope"] = server_options.asked_scope(options)
    if options.kind:
        query["kind"] = options.kind
    document = submission.load_object(server, "search/", query)
    if not isinstance(document.get("results"), list):
        raise not_the_api(server.base)
    if options.json:
        report.print_json(document)
        return OK
    hits = report.list_of_dicts(document, "results")
    site = "{0.scheme}://{0.netloc}".format(server.base)
    report.print_table([hit_row(hit, site) for hit in hits], sys.stdout)
    for note in reading_notes(document, len(hits)):
        progress.note(note)
    return OK


def hit_row(hit, base):
    """Kind, name, summary and address of a hit; the address is below the registry's own, whatever the answer says."""
    try:
        place = urlsplit(str(hit.get("url") or ""))._replace(scheme="", netloc="").geturl()
    except ValueError:
        place = ""
    title, summary = (report.cut_text(hit.get(name) or "", most) for name, most in TEXTS)
    return str(hit.get("kind")), title, summary, base + "/" + place.lstrip("/")


def reading_notes(document, count):
    """What a reader of the hits must know: nothing found, more than shown, words that were changed or left out."""
    counts = document.get("counts")
    numbers = list(counts.values()) if isinstance(counts, dict) else []
    total = sum(number for number in numbers if isinstance(number, int))
    if not count:
        yield "nothing has these words"
    elif total > count:
        least = "at least " if document.get("counts_are_least") else ""
        yield "%d of %s%d hits are shown; --kind narrows them" % (count, least, total)
    if document.get("searched_instead"):
        yield "nothing has these words; searched instead: {}".format(document["searched_instead"])
    for name, words in (("also_searched", "searched as well"), ("not_searched", "not searched")):
        if isinstance(document.get(name), list) and document[name]:
            yield "{}: {}".format(words, ", ".join(map(str, document[name])))
    for unknown in report.list_of_dicts(document, "unknown_values"):
        yield str(unknown.get("message"))
