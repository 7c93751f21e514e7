"""What a probe says: a fact, a gap with its reason, or a piece of the document."""

from collections import namedtuple

# Why a value is not there; nothing goes missing without one of these.
REASONS = (
    "not_applicable",
    "not_installed",
    "permission_denied",
    "timeout",
    "output_limit",
    "parse_error",
    "redacted",
    "disabled",
    "unsupported_version",
)

Fact = namedtuple("Fact", "id value source key instances")
Fact.__new__.__defaults__ = (None, 1)
Fact.__doc__ = """A value of a registered parameter in the registry's unit: text, number or boolean.

It was seen `instances` times; equal facts are counted together. `key` names the entry of a parameter that is a map
(`vm.sysctl`, key `vm.dirty_ratio`).
"""

Missing = namedtuple("Missing", "id reason detail key")
Missing.__new__.__defaults__ = ("", None)
Missing.__doc__ = "A registered parameter that applies here but could not be read: one of REASONS, and a few words."

Section = namedtuple("Section", "path values")
Section.__doc__ = "Fields of one object of the document, such as `hardware/cpu` or `os`; None stands for not known."

Item = namedtuple("Item", "path value")
Item.__doc__ = "One object of a list of the document, such as `network` or `block`; equal ones are counted together."
