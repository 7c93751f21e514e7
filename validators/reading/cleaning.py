"""What terminals, launchers and `ts` put into the lines of a text, and how to take it out. Lines keep their numbers."""

from __future__ import annotations

import re
from itertools import islice

_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78A-Z])"
)
_DATE = rb"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_MONTH_DAY = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?"
_ANCHORED = (
    rb"\[" + _DATE + rb"\] ?",
    _DATE + rb"(?:[ \t]|(?=$))",
    _MONTH_DAY + rb"(?:[ \t]|(?=$))",
    rb"\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[ \t]|(?=$))",
    rb"\d{9,10}\.\d{3,9}(?:[ \t]|(?=$))",
    rb" {0,6}\d{1,7}:(?: |(?=$))",
    rb" {0,6}\d{1,7}\t",
    rb">(?: |(?=$))",
)
"""Time stamps as `ts`, containers and services write them, the labels of `srun -l`, line numbers, quotations."""
_LONGEST_LABEL = 200
_OF_COMMENTS = b"#;%*/!-"
_PARTS_OF_LABELS = re.compile(
    rb"(?P<padded> {1,20}(?=[0-9]))|(?P<digits>[0-9]+)|(?P<words>\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun"
    rb"|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)|(?P<stream>std(?:out|err))|(?P<half>\b[AP]M\b)"
)
_ANY_PART = {
    "padded": rb" {0,9}",
    "digits": rb"[0-9]{1,20}",
    "words": rb"[A-Z][a-z]{2}",
    "stream": rb"std(?:out|err)",
    "half": rb"[AP]M",
}
_BRACKETED = (rb"(?<!=)\[\d{1,7}(?:,\d{1,7})?\](?:<std(?:out|err)>:)? ?", rb"(?<!=)\[\d{1,7}\] ?")
"""Labels of mpirun; they stand inside of lines as well, where a rank's output came in pieces. `=[548]` is a value."""
_HOST = rb"[A-Za-z][\w.-]{0,63}: ?"
_KINDS = tuple(re.compile(kind) for kind in (*_ANCHORED, *_BRACKETED))
_FENCE = re.compile(rb"^(?:```|~~~)[^\n`]{0,40}$", re.MULTILINE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WIDE_TEXT = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_QUOTED = ((b"\\n", b"\n"), (b'\\"', b'"'), (b"&quot;", b'"'), (b"\xc2\xa0", b" "))
"""How JSON, HTML and text editors write a new line, quotation marks and blanks."""
_SAMPLED_LINES = 200
_LEAST_LINES = 3
_DECORATIONS = 3


def cleaned(content: bytes) -> bytes:
    """A text without colours, and of each line what a terminal shows last; the same object where there are none."""
    content = content.removeprefix(_BYTE_ORDER_MARK)
    if b"\x1b" in content:
        content = _ESCAPE.sub(b"", content)
    if b"\r" in content and b"\r" in content.replace(b"\r\n", b"\n"):
        content = _without_overwritten(content)
    return content


def _without_overwritten(content: bytes) -> bytes:
    if b"\n" not in content:
        return content.replace(b"\r", b"\n")
    return b"\n".join(_last_shown(line) if b"\r" in line else line for line in content.split(b"\n"))


def _last_shown(line: bytes) -> bytes:
    """What stands behind the last carriage return that something follows."""
    return next((piece for piece in reversed(line.split(b"\r")) if piece.strip()), b"")


def readable(content: bytes) -> tuple[bytes, str]:
    """A text in which words of a tool can be searched that nothing is read of, and why nothing is."""
    for mark, encoding in _WIDE_TEXT:
        if content.startswith(mark):
            return content.decode(encoding, "replace").encode(), "its text is UTF-16; upload it as UTF-8"
    if b"\0" in content:
        text = content.replace(b"\0", b"")
        is_text = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in text[:8192]) <= 0.01 * len(text[:8192])
        return (text if is_text else b""), "bytes of 0 stand in it"
    if b"\\n" not in content and b"\xc2\xa0" not in content and b"&quot;" not in content:
        return content, "text that is not known stands before its lines"
    for quoted, plain in _QUOTED:
        content = content.replace(quoted, plain)
    return content, "it stands inside of another document"


def decoration(prefix: bytes) -> re.Pattern[bytes] | None:
    """What takes off any line that which stands before the first of an output; None where it is something else."""
    rest = prefix
    kinds: list[bytes] = []
    while rest and len(kinds) < _DECORATIONS:
        kind = next((each for each in _KINDS if each.match(rest)), None)
        if kind is None:
            break
        kinds.append(kind.pattern)
        match = kind.match(rest)
        assert match is not None
        rest = rest[match.end() :]
    if rest and not rest.strip():
        kinds.append(re.escape(rest))
    elif rest and re.fullmatch(_HOST, rest):
        kinds.append(_HOST if b"." in rest or re.search(rb"\d", rest) else re.escape(rest))
    elif rest:
        return None
    return _joined(kinds)


def _joined(kinds: list[bytes]) -> re.Pattern[bytes] | None:
    if not kinds:
        return None
    if len(kinds) == 1 and kinds[0] in _BRACKETED:
        return re.compile(kinds[0])
    return re.compile(b"^" + b"".join(b"(?:" + kind + b")" for kind in kinds), re.MULTILINE)


def label_like(prefix: bytes, following: list[bytes]) -> re.Pattern[bytes] | None:
    """What takes off a label of no known kind; None where it does not stand before each of the lines that follow.

    Numbers, days, months and streams may differ from line to line. What ends with a quotation mark is no label: there
    the ends of lines are changed as well. Nor is the sign of a comment: what stands behind it is quoted, and no output.
    """
    words = prefix.rstrip()
    if not words or len(prefix) > _LONGEST_LABEL or words.endswith((b'"', b"'")) or not words.strip(_OF_COMMENTS):
        return None
    shape, position = b"", 0
    for part in _PARTS_OF_LABELS.finditer(words):
        shape += re.escape(words[position : part.start()]) + _ANY_PART[part.lastgroup or ""]
        position = part.end()
    shape += re.escape(words[position:])
    label = re.compile(b"^%b[ \\t]{0,%d}" % (shape, len(prefix) - len(words)), re.MULTILINE)
    lines = [line for line in following if line.strip()]
    return label if lines and all(map(label.match, lines)) else None


def undecorated(content: bytes) -> bytes:
    """A text without what stands before nearly each of its first lines, and without the fences of a quotation."""
    kinds = []
    lines = [line.rstrip(b"\r") for line in content[:65536].split(b"\n")[:_SAMPLED_LINES] if line.strip()]
    for _ in range(_DECORATIONS):
        kind = next((each for each in _KINDS if _is_before_most(each, lines)), None)
        if kind is None:
            break
        kinds.append(kind.pattern)
        lines = [line[match.end() :] if (match := kind.match(line)) else line for line in lines]
    return without(content, _joined(kinds))


def _is_before_most(kind: re.Pattern[bytes], lines: list[bytes]) -> bool:
    if len(lines) < _LEAST_LINES:
        return False
    most_without = int(0.05 * len(lines))
    without_label = (line for line in lines if not kind.match(line))
    return sum(1 for _ in islice(without_label, most_without + 1)) <= most_without


def without(content: bytes, label: re.Pattern[bytes] | None) -> bytes:
    """A text without its labels and fences; lines stay where they are."""
    if label:
        content = label.sub(b"", content)
    return _FENCE.sub(b"", content) if b"```" in content or b"~~~" in content else content
