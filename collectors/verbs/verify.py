"""`verify`: whether a public result, a list, or a saved proof is in the registry's log, which nobody can rewrite.

A kept proof asks nobody, so what asks a registry is loaded by the functions that do.
"""

import json
import os
import re
import time

from collectors import files
from collectors.errors import FINDINGS, NOTHING, OK, BundleError, ServerRefusal, UsageError
from collectors.files import TooLarge, read_at_most, write_whole
from collectors.server import options as server_options
from collectors.server.log import proof as proofs
from collectors.server.log import shown, signed_note
from collectors.server.log.verification import PROVEN, REFUTED, UNKNOWN, LogFiles, Verification
from collectors.verbs import known_logs

ABOUT = "verify that the registry's log contains a result, a list or a receipt exactly as it is shown"

EXAMPLES = """examples:
  %(prog)s hw-1
  %(prog)s sc26/full
  %(prog)s releases/sc26                  dates and rules of a release
  %(prog)s name-changes/7                 a merge or split of names
  %(prog)s reproductions/hw-2             the outcome of a result that reproduces another
  %(prog)s sites/north-lab                a name; also systems/SLUG and platforms/SLUG
  %(prog)s hw-1 --out hw-1.proof.json     also store the proof
  %(prog)s hw-1.proof.json                later, without a network
  %(prog)s receipt.json                   of your own upload
  %(prog)s run.tar.gz                     with run.tar.gz.receipt.json beside it
  %(prog)s old.proof.json --log /mirrors/highwater/log

You need an account only if the registry is closed. The log is append-only and signed. `verify` stores
the last checkpoint in ~/.config/highwater/log/, and detects a log that does not continue it. The first
time there is no checkpoint, so `verify` trusts the log. To avoid this, give a key or a checkpoint that
you have from elsewhere (--key, --checkpoint).

exit status:
  0 verified   1 not verified   2 usage   3 unknown   4 network
"""

TIMEOUT_S = 60.0
MAX_PROOF_BYTES = 32 * 1024 * 1024
MAX_PAGES = 1000
RECEIPT_SUFFIX = ".receipt.json"
RECEIPT_PROOF = "proof"
RECEIPT_FIELDS = (
    ("id", "submission"),
    ("sha256", "sha256"),
    ("size_bytes", "size_bytes"),
    ("received_at", "received_at"),
)
"""Names of the same thing in a receipt and in its record."""
ID = re.compile(r"[A-Za-z0-9_.*-]{1,80}(?:/[A-Za-z0-9_-]{1,160})?\Z")
ADDRESSES = ("releases/", "name-changes/", "reproductions/", "sites/", "systems/", "platforms/")
"""How targets begin that are addresses of the API as they stand."""
EXIT = {PROVEN: OK, REFUTED: FINDINGS, UNKNOWN: NOTHING}
VERDICT = {PROVEN: "verified", REFUTED: "not verified", UNKNOWN: "unknown"}
NOT_PROVEN = (
    "that the numbers are true: the log has what was published, not what was measured",
    "that no newer record exists, unless the registry was asked just now",
    "that others see the same log: compare checkpoints with somebody else",
)


def define(verb):
    what = "a result, RELEASE/LIST, releases/RELEASE, name-changes/ID, reproductions/ID, sites/SLUG, or a file"
    verb.add_argument("target", metavar="ID|PATH", help=what)
    verb.add_argument("--log", metavar="URL|DIR", help="where the log's files are (default: the registry's /log/)")
    verb.add_argument("--key", metavar="KEY", help="the log's verifier key from another source, NAME+HASH+BASE64")
    verb.add_argument("--checkpoint", metavar="FILE", help="a checkpoint that you kept, which the log must continue")
    verb.add_argument("--out", metavar="FILE", help="file to write the proof to")
    server_options.add_output(verb)
    server_options.add_timeout(verb, TIMEOUT_S)


def run(options, progress):
    saved = options.target if is_path(options.target) else None
    registry = None if saved else server_options.reader_of(registry_settings(options.log), options, progress)
    subject = None if saved else subject_of(options.target)
    document = read_saved(saved) if saved else registry.get(subject + "/proof/").document
    inclusion = proof_in(document, options.target)
    log_address = address_of_log(options.log, registry)
    remembered = known_logs.find_known_log(inclusion.checkpoint.origin if inclusion.checkpoint else None, log_address)
    verification = Verification(
        remembered=remembered,
        key=parse_option(signed_note.read_key, options.key, "--key"),
        brought=parse_option(signed_note.read_checkpoint, read_text(options.checkpoint), "--checkpoint"),
        log=log_files(log_address, registry, options, progress),
        today=time.strftime("%Y-%m-%d", time.gmtime()),
        address=log_address or "",
    )
    verification.judge_proof(inclusion)
    verification.judge_history(inclusion, document, None if saved else fetch_earlier(registry, subject))
    differences = []
    if saved:
        check_saved_files(verification, document, inclusion, saved)
    else:
        differences = compare_with_answer(verification, inclusion, subject, registry)
    if verification.memory not in (None, remembered):
        remember(remembered, verification, min(options.timeout, known_logs.WAIT_S))
    if options.out:
        write_whole(options.out, json.dumps(document, indent=1) + "\n")
    show_outcome(verification, inclusion, differences, options, progress)
    return EXIT[verification.worst_outcome()]


# Where the log is


def registry_settings(log):
    """The registry that is asked; where none is set, the one that the address of the log begins with."""
    from collectors.server import config

    environ = dict(os.environ)
    if log and not os.path.isdir(log) and not (config.find_registry_of_download() or environ.get("HIGHWATER_URL")):
        environ["HIGHWATER_URL"] = re.sub(r"/log/?\Z", "", log)
    return config.load_reader_settings(environ)


def address_of_log(log, registry):
    """The URL or folder of the log's files, without a slash at its end; None for a saved proof that asks nobody."""
    if log is None:
        return registry.base.geturl() + "/log" if registry else None
    if os.path.isdir(log):
        return os.path.abspath(log)
    from collectors.server import config

    url = config.check_url(log)
    config.require_safe_transport(url, os.environ, "change the answers")
    return url if url.endswith("/log") else url + "/log"


def log_files(address, registry, options, progress):
    """The LogFiles at a URL or in a folder; None for no address. Only the registry's own log is ever sent a token."""
    if address is None:
        return None
    if os.path.isdir(address):
        return LogFiles(lambda path, limit_bytes: read_if_there(os.path.join(address, path), limit_bytes))
    from collectors.server import config

    own = registry if registry and address == registry.base.geturl() + "/log" else None
    server = server_options.open_server(config.Settings(address, ""), options, progress, own and own.token_if_closed)
    server.token = own.token if own else ""
    return LogFiles(lambda path, limit_bytes: server.read_file("/" + path, limit_bytes))


def read_if_there(path, limit_bytes):
    """The bytes of a file of a mirror, None where it has none. Raises UsageError where it cannot be read."""
    try:
        return read_at_most(path, limit_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except TooLarge:
        return b""
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))


# What is verified


def is_path(target):
    return os.path.exists(target) or target.lower().endswith((".json",) + files.ARCHIVE_SUFFIXES)


def subject_of(target):
    """The API's path of a result, a list, or one of ADDRESSES as it stands. Raises UsageError for other words."""
    if not ID.match(target) or ".." in target:
        raise UsageError(
            "collector.id", "%s is neither a result, nor RELEASE/LIST, nor a file." % target, "Write hw-1 or sc26/full."
        )
    if target.lower().startswith(ADDRESSES):
        return target
    return ("lists/" if "/" in target else "results/") + target


def read_saved(path):
    """The JSON of a saved proof or receipt; of a bundle, of the receipt beside it. Raises UsageError for no JSON."""
    if files.is_archive(path):
        path += RECEIPT_SUFFIX
        if not os.path.exists(path):
            hint = "Keep one: receipt ID --out %s" % path
            raise UsageError("collector.proof", "There is no receipt beside the bundle: %s." % path, hint)
    try:
        return json.loads(read_bytes(path).decode("utf-8"))
    except (ValueError, RecursionError):
        raise UsageError("collector.proof", "%s is not JSON." % path, "Keep a proof: verify ID --out FILE")


def read_bytes(path):
    """All of a file that is read whole. Raises UsageError where it is too large or cannot be read."""
    try:
        return read_at_most(path, MAX_PROOF_BYTES)
    except TooLarge:
        raise UsageError("collector.proof", "%s is too large for a proof." % path)
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))


def read_text(path):
    """The text of a file that is inclusion, None for none. Raises UsageError where it cannot be read."""
    try:
        return None if path is None else read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("collector.proof", "%s is not a text." % path)


def parse_option(reader, text, option):
    """What a reader of notes makes of an option's text, None for none. Raises UsageError where it makes nothing."""
    try:
        return None if text is None else reader(text)
    except signed_note.NoteError as error:
        raise UsageError("collector.proof", "%s: %s" % (option, error), "docs/log.md shows the form of keys and notes.")


def proof_in(document, name):
    """The Proof of an answer, a saved proof or a receipt. Raises BundleError where there is none, or a damaged one."""
    if isinstance(document, dict) and "receipt" in document:
        document = document.get(RECEIPT_PROOF)
    try:
        return proofs.read_proof(document)
    except proofs.ProofError as error:
        raise BundleError("collector.proof", "%s is no proof: %s" % (name, error), "Get one: verify ID --out FILE")


def compare_with_answer(verification, inclusion, subject, registry):
    """Hold the record against what the registry shows now; the differences, as (name, logged, shown)."""
    proven_subject = shown.subject_of(inclusion.record)
    if proven_subject is None or proven_subject.lower() != subject.lower():
        verification.add_statement(
            "shown", REFUTED, "The proof is of %s, not of %s." % (proven_subject or "something else", subject)
        )
        return []
    try:
        answer = fetch_shown(registry, subject)
    except ServerRefusal as error:
        if error.http_status not in (404, 410):
            raise
        verification.add_statement(
            "shown", REFUTED, "The log has it, and the registry does not show it: %s" % error.message
        )
        return []
    comparison = shown.compare_facts(shown.facts_of(inclusion.record), answer)
    if comparison.differences:
        for name, logged, now in comparison.differences[: shown.MOST_DIFFERENCES]:
            text = "%s: the log has %s, the registry shows %s." % (name, shorten_value(logged), shorten_value(now))
            verification.add_statement("shown", REFUTED, text)
        more = len(comparison.differences) - shown.MOST_DIFFERENCES
        if more > 0:
            verification.add_statement("shown", REFUTED, "And %d more values differ." % more)
    elif comparison.equal:
        unshown = " It does not show: %s." % ", ".join(comparison.unshown) if comparison.unshown else ""
        text = "The registry shows the same %d values as the record." % comparison.equal
        verification.add_statement("shown", UNKNOWN if comparison.unshown else PROVEN, text + unshown)
    else:
        verification.add_statement("shown", UNKNOWN, "The registry's answer has nothing that the record has.")
    compare_parts(verification, inclusion.record, subject, registry)
    return comparison.differences


def compare_parts(verification, record, subject, registry):
    """Hold the digests of a record against what the registry shows at addresses of their own."""
    from collectors.server.log import parts

    same = []
    for part, digest in parts.recorded_parts(record):
        is_same = parts.is_as_logged(digest, document_or_none(registry, subject + "/" + part.path), part)
        if is_same:
            same.append(part.name)
        elif is_same is None:
            verification.add_statement("parts", UNKNOWN, "%s: the registry's answer is not one." % part.name)
        else:
            verification.add_statement("parts", REFUTED, "%s: the registry does not show what the log has." % part.name)
    if same:
        verification.add_statement("parts", PROVEN, "The registry shows as recorded, too: %s." % ", ".join(same))


def fetch_earlier(registry, subject):
    """What asks for the proof of an earlier record by its leaf."""
    return lambda leaf: document_or_none(registry, subject + "/proof/", {"leaf": leaf})


def document_or_none(registry, path, query=None):
    """The JSON of an address, None where the registry has nothing there."""
    try:
        return registry.get(path, query).document
    except ServerRefusal as error:
        if error.http_status not in (404, 410):
            raise
        return None


def fetch_shown(registry, subject):
    """What the API says of a result, or of a list with all its pages. Raises UsageError where that is no object."""
    from collectors.server.client import query_of_next

    answer = registry.get(subject + "/", {"page_size": 1000} if subject.startswith("lists/") else None).document
    if not isinstance(answer, dict):
        raise UsageError("collector.not-the-api", "The registry's answer is no JSON object.")
    document, pages = answer, 1
    while isinstance(document.get("next"), str) and isinstance(answer.get("entries"), list) and pages < MAX_PAGES:
        cursor = query_of_next(document, registry.base).get("cursor", "")
        document, pages = registry.get(subject + "/", {"page_size": 1000, "cursor": cursor}).document, pages + 1
        if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
            break
        answer["entries"] += document["entries"]
    return answer


def check_saved_files(verification, document, inclusion, path):
    """Hold a receipt against its own record, and a bundle against its receipt."""
    receipt = document.get("receipt")
    if not isinstance(receipt, dict):
        if files.is_archive(path):
            verification.add_statement("bundle", UNKNOWN, "Beside the bundle lies no receipt.")
        return
    recorded = inclusion.record.get("receipt")
    if not isinstance(recorded, dict):
        verification.add_statement("receipt", REFUTED, "The proof beside the receipt is of something else.")
        return
    wrong = [name for name, logged in RECEIPT_FIELDS if not is_same_text(recorded.get(logged), receipt.get(name))]
    for name in wrong:
        verification.add_statement("receipt", REFUTED, "%s: the receipt does not say what the log has." % name)
    if not wrong:
        verification.add_statement("receipt", PROVEN, "The log has the bytes of the receipt: SHA-256 and size.")
    if files.is_archive(path):
        with open(path, "rb") as stream:
            is_same = files.measure(stream)[1] == receipt.get("sha256")
        verification.add_statement(
            "bundle",
            PROVEN if is_same else REFUTED,
            "The bundle %s the one of the receipt." % ("is" if is_same else "is not"),
        )


def is_same_text(logged, signed):
    """Whether a value of a record is that of a receipt, which gives times to the second."""
    first, second = str(logged), str(signed)
    return logged is not None and (first == second or first[:19] + "Z" == second)


def shorten_value(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def remember(remembered, verification, wait_s):
    """Write what is remembered of the log now; say so where another `verify` wrote, or still writes."""
    try:
        if known_logs.replace_known_log(remembered, verification.memory, wait_s):
            return
        text = "Another `verify` remembered other checkpoints of this log meanwhile. Run it again."
    except known_logs.StillLocked as error:
        text = "Another `verify` holds %s for longer than %g s. Run it again when it has ended." % error.args
    verification.add_statement("consistency", UNKNOWN, text)


# What is told


def show_outcome(verification, inclusion, differences, options, progress):
    """Print each statement, the verdict, and what was not proven; or all of it as JSON."""
    verdict = verification.worst_outcome()
    subject = shown.subject_of(inclusion.record) or str(inclusion.record.get("type"))
    if options.json:
        from collectors import report

        point = inclusion.checkpoint
        report.print_json(
            {
                "subject": subject,
                "verdict": VERDICT[verdict].replace(" ", "-"),
                "statements": [statement._asdict() for statement in verification.statements],
                "differences": [dict(zip(("name", "logged", "shown"), row)) for row in differences],
                "digest": inclusion.digest.hex(),
                "leaf_index": inclusion.index,
                "checkpoint": {"origin": point.origin, "size": point.size, "root": point.root.hex()} if point else None,
                "act": inclusion.record.get("act"),
                "recorded_at": inclusion.record.get("recorded_at"),
                "not_proven": list(NOT_PROVEN),
            }
        )
        return
    for statement in verification.statements:
        progress.print_line("%-8s %-12s %s" % (statement.outcome, statement.name, statement.text))
    recorded = [str(inclusion.record.get(name)) for name in ("act", "recorded_at")]
    progress.print_line("recorded %s: %s" % (recorded[1], recorded[0]))
    progress.print_line("%s  %s" % (VERDICT[verdict], subject))
    for text in NOT_PROVEN:
        progress.print_line("not proven: " + text)
