"""`submit`: hand a checked run in for a release."""

import sys

from collectors import report
from collectors.errors import OK, ServerRefusal, UsageError
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "submit a checked run to an open release"

EXAMPLES = """examples:
  %(prog)s 784c6d71 --release sc26 --list full
  %(prog)s 784c6d71 --release sc26 --list io500 --list ten --acknowledge
  %(prog)s 784c6d71 --release sc26 --list full --run 1 --embargo-until 2026-12-01T00:00:00Z

You acknowledge two things: that you know the rules of the release, and that the result is published.
On a terminal it asks for each; elsewhere it needs --acknowledge. Without --release and --list it uses
those of the upload. Submitting twice is not an error: nothing changes.
"""

CONFLICT = "state.conflict"
RUN_NEEDED = "review.primary-needed"
STATEMENTS = (
    ("acknowledge_rules", "I know the rules of the release."),
    ("acknowledge_publication", "I agree that the result is published with its scrubbed files."),
)


def define(verb):
    verb.add_argument("id", metavar="ID", help="the submission")
    verb.add_argument("--release", metavar="R", help="an open release")
    verb.add_argument(
        "--list",
        metavar="L",
        dest="lists",
        action="append",
        default=[],
        help="ranked list; repeat it, or give a,b, for several",
    )
    verb.add_argument(
        "--acknowledge", action="store_true", help="confirm that you know the rules and agree to publication"
    )
    verb.add_argument("--run", metavar="N", type=int, help="the run that counts, from 0, if there are several")
    verb.add_argument("--embargo-until", metavar="TIME", help="keep the result private until then (RFC 3339)")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    if not options.acknowledge and not sys.stdin.isatty():
        raise not_acknowledged()
    server = server_options.connect(options, progress)
    path = submission.find_path(server, options.id)
    request = request_of(options, server, path)
    for _name, statement in () if options.acknowledge else STATEMENTS:
        if not server_options.is_agreed(statement, progress):
            raise not_acknowledged()
    try:
        document = hand_in(server, path, request, progress)
    except ServerRefusal as error:
        if error.code == RUN_NEEDED:
            error.hint = "Say with --run N which one counts; `status %s` numbers them." % options.id
        elif error.code == CONFLICT:
            error.hint = "Before the deadline, edit it on its page: it is checked again, and you submit it anew."
        raise
    if options.json:
        report.print_json(document)
    else:
        report.print_state(document, sys.stdout)
    return OK


def request_of(options, server, path):
    """The body of the request; release and lists that were not given are those of the upload.

    Raises UsageError where neither names a release.
    """
    release, lists = options.release, server_options.list_names(options)
    if not release or not lists:
        stored = submission.load_submission(server, path)
        release = release or stored.get("release")
        lists = lists or stored.get("lists") or []
    if not release:
        raise UsageError(
            "collector.release", "No release is named.", "Give --release; the open ones are at /releases/."
        )
    request = dict({name: True for name, _statement in STATEMENTS}, release=release, lists=lists)
    if options.run is not None:
        request["primary"] = options.run
    if options.embargo_until:
        request["embargo_until"] = options.embargo_until
    return request


def not_acknowledged():
    return UsageError(
        "collector.acknowledge",
        "Nothing was submitted: both statements have to be acknowledged.",
        "--acknowledge says: " + " ".join(statement for _name, statement in STATEMENTS),
    )


def hand_in(server, path, request, progress):
    """Submit; return the submission, also where it was submitted already, to the same release and lists."""
    document, is_new = submission.move_submission(
        server, path, "submit/", request, lambda stored: is_handed_in(stored, request)
    )
    if not is_new:
        progress.note("it was submitted already, to the same release and lists")
    return document


def is_handed_in(stored, request):
    """Whether a submission already is where the request would bring it."""
    return (
        submission.state_of(stored) in ("submitted", "in_review", "accepted")
        and str(stored.get("release")).lower() == request["release"].lower()
        and sorted(map(str, stored.get("lists") or [])) == sorted(request["lists"])
    )
