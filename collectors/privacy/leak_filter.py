"""The last look at what the probes said: a value that gives somebody or something away is told as redacted.

Probes take allow-listed fields, but a field holds what somebody wrote into it: a drive's model with its serial number,
a kernel named after the machine it was built on, a password in a boot parameter. Such a value goes as a whole.
"""

import re

from collectors.probe_results import Fact, Item, Missing, Section
from collectors.scrubbing.credentials import secrets
from collectors.scrubbing.names import FULL_NAME

IDENTIFYING = re.compile(
    "|".join(
        (
            r"(?i:passw|passphrase|secret|credential)",
            # Private addresses; a firmware's version has four numbers as well.
            r"(?<![\w.])(?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168|169\.254)(?:\.\d{1,3}){2}(?![\w.])",
            r"(?<![\w:.-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?!\w)",
            r"(?<![\w:.])(?:fe80|f[cd][0-9a-f]{2}|[23][0-9a-f]{3}):(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{1,4}(?![\w:])",
            r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])",
            r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]*[A-Za-z]",
            r"(?i:[a-z][a-z0-9-]*\.(?:[a-z0-9-]+\.)*"
            r"(?:gov|edu|com|org|net|mil|int|local|lan|internal|corp|example|invalid|test|uk|de|fr|jp)\b)",
            r"/(?:[A-Za-z]?home\d*|[Uu]sers?)/\w",
            r"(?i:\bs/n\b|\b(?:sn|serial|serial (?:no|number)|asset(?: tag)?|service tag|uuid|wwn|wwid)\s?[:#=])",
        )
    )
)
NOTE = "looks like a key, an address or a name"


def filter_leaks(pieces):
    """What was said, without what is telling: a Fact becomes Missing, in a Section or Item the text is not known."""
    return [screened_piece(piece) for piece in pieces]


def screened_piece(piece):
    if isinstance(piece, Fact):
        if is_identifying(piece.key):
            return Missing(piece.id, "redacted", NOTE)
        return Missing(piece.id, "redacted", NOTE, piece.key) if is_identifying(piece.value) else piece
    if isinstance(piece, Section):
        return Section(piece.path, drop_identifying(piece.values))
    if isinstance(piece, Item):
        return Item(piece.path, drop_identifying(piece.value))
    return piece


def drop_identifying(value):
    """The value with None for a telling text; of lists and objects the entry goes."""
    if isinstance(value, dict):
        return {name: drop_identifying(field) for name, field in value.items() if not is_identifying(name)}
    if isinstance(value, list):
        return [drop_identifying(entry) for entry in value if not is_identifying(entry)]
    return None if is_identifying(value) else value


def is_identifying(value):
    if not isinstance(value, str):
        return False
    return bool(IDENTIFYING.search(value) or FULL_NAME.search(value) or secrets(value, None)[1])
