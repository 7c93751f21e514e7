"""The text of a JSON document by RFC 8785, of which the registry's log has digests.

Integers beyond 2^53 become texts, as docs/log.md says.
"""

import hashlib
import math
from decimal import Decimal
from json.encoder import encode_basestring

LARGEST_INTEGER = 2**53
FIXED_DIGITS = 21
"""ECMAScript writes a number with an exponent from 10^21 on."""


def digest_of(document):
    """sha256 of the canonical text, in hex. Raises ValueError for what has none: infinities, half of a character."""
    return hashlib.sha256(canonical_text(document).encode("utf-8")).hexdigest()


def canonical_text(value):
    """The canonical text of a value that was read from JSON. Raises ValueError for a number that is not finite."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if abs(value) <= LARGEST_INTEGER else '"%d"' % value
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{%s}" % ",".join("%s:%s" % (encode_basestring(name), canonical_text(value[name])) for name in names)
    return "[%s]" % ",".join(canonical_text(item) for item in value)


def number_text(number):
    """A number as ECMAScript prints it (Number::toString). Raises ValueError for infinities and NaN."""
    if not math.isfinite(number):
        raise ValueError("a canonical document has finite numbers only")
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    point = len(digits) + exponent
    text = "".join(map(str, digits)).rstrip("0")
    return "-" * sign + place_point(text, point)


def place_point(digits, point):
    """`digits` with the decimal point after the first `point` of them."""
    if len(digits) <= point <= FIXED_DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= FIXED_DIGITS:
        return "%s.%s" % (digits[:point], digits[point:])
    if -6 < point <= 0:
        return "0.%s%s" % ("0" * -point, digits)
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return "%s%se%s%d" % (digits[0], fraction, "+" if point > 1 else "-", abs(point - 1))
