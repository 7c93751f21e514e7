"""What `collect --emit` printed on many nodes, as launchers hand it on: labelled, in pieces, amid banners."""

import json
import re

from collectors.document.fold import CRASHED, INVALID_OUTPUT, PYTHON_MISSING, TIMEOUT, TRUNCATED, UNREACHABLE
from collectors.errors import UsageError

# More than any node has to say; documents of real nodes are below 100 KiB.
MAX_DOCUMENT_CHARACTERS = 4 * 1024 * 1024
MAX_COMPLAINT_CHARACTERS = 4000
MAX_LABELS = 100000
# `node1: ` of pdsh and clush, `12: ` of srun --label, `[12] ` of mpiexec -prepend-rank.
LABEL = re.compile(r"^\s*(?:\[(\d{1,9})\]|([A-Za-z0-9_][A-Za-z0-9_.-]{0,119}):)(?: |$)")
# How a node document begins; a part of one may begin with any other brace.
BEGINNINGS = ('{"captures"', '{"schema_version"', '{"collector"')
# Open MPI writes its tag before every piece that it forwards, also in the middle of a line.
MPI_TAG = re.compile(r"\[\d{1,9},(\d{1,9})\]<std(?:out|err)>:")
MPI_TAG_WORDS = "<std"
# So does Intel MPI's Hydra before every piece that it reads, where MPICH's does at the beginning of a line only.
HYDRA_TAG = re.compile(r"\[(\d{1,9})\] ")
# Open MPI 5 puts a space behind its tag, Open MPI 4 none: there, a space belongs to the document.
SPACED_BEGINNINGS = tuple(" " + beginning for beginning in BEGINNINGS)

# `pdsh@login1: node7: ssh exited with exit code 127`: the launcher speaks of a node.
SPEAKS_OF = re.compile(r"^(?:(?:pdsh|clush)@[^\s:]+|clush|pdsh): (?=\S)")
# `srun: error: node7: task 6: Killed`: of a rank.
SPEAKS_OF_RANK = re.compile(r"^srun: error: [^\s:]{1,120}: task (\d{1,9}): ")
# What a launcher, or the ssh that it started, says of a node that it did not reach.
NOT_REACHED = re.compile(
    r"""^ssh:\ (?:connect\ to\ host|Could\ not\ resolve\ hostname)\ (?P<by_ssh>[\w.-]{1,120})[:\ ]
    |^(?:[^\s:@]{1,120}@)?(?P<refusing>[\w.-]{1,120}):\ Permission\ denied\ \(
    |^\[mpiexec@[^\s\]]{1,120}\]\ Error:\ Unable\ to\ run\ bstrap_proxy\ on\ (?P<by_hydra>[\w.-]{1,120})\b
    |^srun:\ error:\ Task\ launch\ for\ \S{1,60}\ failed\ on\ node\ (?P<by_srun>[\w.-]{1,120}):""",
    re.VERBOSE,
)

# First match wins.
COMPLAINTS = (
    (PYTHON_MISSING, re.compile(r"python\S*['’]?:? .*not found|no such file|needs python|cannot execute", re.I)),
    (TIMEOUT, re.compile(r"timed? ?out", re.I)),
    (
        UNREACHABLE,
        re.compile(
            r"connection refused|resolve|unreachable|unable to run bstrap_proxy|no route to|host key"
            r"|permission denied(?!\(\d)|publickey|communication.{0,20}fail",
            re.I,
        ),
    ),
    (CRASHED, re.compile(r"killed|signal|fault|traceback|exited? with|aborted|error", re.I)),
)


class LauncherOutput:
    """Takes lines, gives documents: `feed` a line, then `finish`. What was said by whom and was no document is kept.

    `take(document, label)` is called with each document; `complaints` are {label: text} of labels that gave none.
    """

    def __init__(self, take):
        self.take = take
        self.open = {}
        self.gave = set()
        self.truncated = []
        self.complaints = {}
        self.spaced = False

    def feed(self, line):
        tag = HYDRA_TAG if HYDRA_TAG.match(line) else MPI_TAG
        # Most lines are long and have no tag; a plain search is quicker than the pattern.
        parts = tag.split(line) if tag is HYDRA_TAG or MPI_TAG_WORDS in line else [line]
        if len(parts) == 1:
            self.piece(*split_label(line))
            return
        if parts[0]:
            self.piece(None, parts[0])
        for label, text in zip(parts[1::2], parts[2::2]):
            self.spaced = self.spaced or tag is MPI_TAG and text.startswith(SPACED_BEGINNINGS)
            self.piece(label, text[1:] if self.spaced and text.startswith(" ") else text)

    def piece(self, label, text):
        """Take what one node wrote: a document, the beginning or a further part of one, or anything else.

        Raises UsageError where more than MAX_LABELS nodes speak.
        """
        if len(self.complaints) + len(self.open) > MAX_LABELS:
            raise UsageError(
                "collector.nodes", "More than %d nodes speak here." % MAX_LABELS, "Is this the right file?"
            )
        text = text.rstrip("\r\n")
        if text.startswith(BEGINNINGS) or (text.startswith("{") and label not in self.open):
            self.broken(label)
            document = decode_document(text)
            if document is None:
                self.open[label] = text
            else:
                self.accept_document(label, document)
            return
        if label in self.open:
            self.further(label, text)
        elif text.strip() and len(self.complaints.get(label, "")) < MAX_COMPLAINT_CHARACTERS:
            self.complaints[label] = self.complaints.get(label, "") + text[:MAX_COMPLAINT_CHARACTERS] + "\n"

    def further(self, label, text):
        """Add a part to an unfinished document: launchers break lines that are longer than their buffers."""
        joined_text = self.open[label] + text
        document = decode_document(joined_text)
        if document is not None:
            del self.open[label]
            self.accept_document(label, document)
        elif len(joined_text) > MAX_DOCUMENT_CHARACTERS:
            self.broken(label)
        else:
            self.open[label] = joined_text

    def accept_document(self, label, document):
        self.gave.add(label)
        self.take(document, label)

    def of_nobody(self):
        """The lines before which no node's name stands, without rules and empty ones."""
        return [line for line in self.complaints.get(None, "").splitlines() if re.search(r"\w", line)]

    def broken(self, label):
        if self.open.pop(label, None) is not None:
            self.truncated.append(label)

    def finish(self):
        for label in list(self.open):
            self.broken(label)

    def failures(self):
        """(label, reason) of what gave no document; the label is None for lines that nobody's name stands before.

        Where documents came without labels, `Warning: ...` is no node either.
        """
        for label in self.truncated:
            if label is None or label not in self.gave:
                yield label, TRUNCATED
        unlabelled = self.gave == {None}
        nobody = [text for label, text in self.complaints.items() if label is None or unlabelled]
        if nobody:
            yield None, reason_of("\n".join(nobody))
        for label, text in self.complaints.items():
            if label is not None and not unlabelled and label not in self.gave and label not in self.truncated:
                yield label, reason_of(text)


def split_label(line):
    """(label, text): of which node or rank a line speaks, None where it says nothing of that."""
    of_rank = SPEAKS_OF_RANK.match(line)
    if of_rank:
        return of_rank.group(1), line[of_rank.end() :]
    not_reached = NOT_REACHED.match(line)
    if not_reached:
        return not_reached.group(not_reached.lastgroup), line
    line = SPEAKS_OF.sub("", line)
    match = None if line.startswith("srun: ") else LABEL.match(line)
    if not match:
        return None, line
    return match.group(1) or match.group(2), line[match.end() :]


def decode_document(text):
    """The JSON object that a text is, or None. NaN and infinities are no JSON; nesting has an end."""
    if not text.rstrip().endswith("}"):
        return None
    try:
        document = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def no_number(name):
    """Raises ValueError for NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def reason_of(text):
    """Why a node gave nothing, from the words that were said instead."""
    return next((reason for reason, words in COMPLAINTS if words.search(text)), INVALID_OUTPUT)


def read_file(path, take):
    """Give every document of a file to `take(document, label)`; yield (label, reason) for what was none.

    The file is one document, or has one a line. Raises UsageError for a file that cannot be read.
    """
    emitted = LauncherOutput(take)
    stands_alone = path != "-"
    try:
        with open(path if stands_alone else 0, encoding="utf-8", errors="replace", closefd=stands_alone) as stream:
            start = stream.read(MAX_DOCUMENT_CHARACTERS)
            document = decode_document(start)
            if document is not None:
                take(document, None)
                return
            for line in lines(start, stream):
                emitted.feed(line)
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror), "Name another file.")
    emitted.finish()
    yield from emitted.failures()


def lines(start, stream):
    """The lines of a stream whose start was read; one without end comes in pieces of a document's size."""
    yield from (start + stream.readline(MAX_DOCUMENT_CHARACTERS)).split("\n")
    yield from iter(lambda: stream.readline(MAX_DOCUMENT_CHARACTERS), "")
