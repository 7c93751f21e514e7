"""Whether an Ed25519 signature is valid (RFC 8032, section 5.1.7), with the standard library alone.

Only public values pass through here, so nothing needs to take constant time. Points are in extended coordinates
(X, Y, Z, T) with x = X/Z, y = Y/Z and xy = T/Z; their formulas are those of section 5.1.4.
"""

import hashlib

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of the group that the base point generates."""
CURVE_D = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)
NEUTRAL = (0, 1, 1, 0)


def is_signature(public_key, message, signature):
    """Whether 64 bytes are the signature of a message by the key of 32 bytes.

    What RFC 8032 does not allow is no signature: points that are not encoded in the one way, a number S beyond the
    order. Neither is one by a key of small order, which would sign many messages at once.
    """
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, nonce = decode_point(public_key), decode_point(signature[:32])
    number = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or number >= ORDER or is_neutral(times_eight(key)):
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    # [S]B - [k]A must be R: one pass over the bits of both numbers.
    return is_same(sum_of_multiples(number, BASE, challenge, negative_of(key)), nonce)


def decode_point(encoded):
    """The point that 32 bytes encode (section 5.1.3), or None where they encode none."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= PRIME:
        return None
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % PRIME)


def x_of(y, sign):
    """The x of a point with that y whose lowest bit is `sign`, or None where the curve has no such point."""
    above, below = (y * y - 1) % PRIME, (CURVE_D * y * y + 1) % PRIME
    x = above * pow(below, 3, PRIME) * pow(above * pow(below, 7, PRIME), (PRIME - 5) // 8, PRIME) % PRIME
    if below * x * x % PRIME == -above % PRIME:
        x = x * ROOT_OF_MINUS_ONE % PRIME
    if below * x * x % PRIME != above or (x == 0 and sign):
        return None
    return PRIME - x if x & 1 != sign else x


def add_points(first, second):
    """The sum of two points."""
    x1, y1, z1, t1 = first
    x2, y2, z2, t2 = second
    a, b = (y1 - x1) * (y2 - x2) % PRIME, (y1 + x1) * (y2 + x2) % PRIME
    c, d = 2 * CURVE_D * t1 * t2 % PRIME, 2 * z1 * z2 % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def double_point(point):
    """Twice a point."""
    x, y, z, _ = point
    a, b = x * x % PRIME, y * y % PRIME
    h = a + b
    e, g = h - (x + y) * (x + y), a - b
    f = 2 * z * z + g
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def times_eight(point):
    return double_point(double_point(double_point(point)))


def negative_of(point):
    x, y, z, t = point
    return PRIME - x, y, z, PRIME - t


def is_neutral(point):
    return is_same(point, NEUTRAL)


def is_same(first, second):
    """Whether two points are one, whatever their Z."""
    x1, y1, z1, _ = first
    x2, y2, z2, _ = second
    return (x1 * z2 - x2 * z1) % PRIME == 0 and (y1 * z2 - y2 * z1) % PRIME == 0


def sum_of_multiples(factor, point, other_factor, other_point):
    """The sum of two points, each multiplied by its factor."""
    summands = {("1", "0"): point, ("0", "1"): other_point, ("1", "1"): add_points(point, other_point)}
    result = NEUTRAL
    for bits in zip(format(factor, "0256b"), format(other_factor, "0256b")):
        result = double_point(result)
        if bits in summands:
            result = add_points(result, summands[bits])
    return result


BASE = decode_point((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))
