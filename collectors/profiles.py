"""What of a node may leave the site: three profiles over the classes of the parameter registry."""

from collectors.facts import Missing

PROFILES = ("default", "strict", "full-consent")

# Of `allowlist`, `basename`, `drop` and `pseudonym` the probes say only the harmless part, whatever the profile.
# `never` and `attachment` are no facts of the document.
REDUCED = frozenset(["allowlist", "basename", "drop", "pseudonym"])
LEAVES = {
    "default": REDUCED | {"keep"},
    "strict": frozenset(["keep"]),
    "full-consent": REDUCED | {"keep"},
}


class Redactor:
    """Decides for one profile; names become pseudonyms (pseudonyms.Pseudonyms), or stay with full consent."""

    def __init__(self, profile, pseudonyms):
        self.profile = profile
        self.pseudonyms = pseudonyms

    def name(self, name):
        """What stands for a name in the document; None in the strict profile, which tells numbers of nodes only."""
        if self.profile == "strict":
            return None
        return name if self.profile == "full-consent" else self.pseudonyms.of(name)

    def parameter(self, entry, fact):
        """The fact, or the Missing that is told in its place; `entry` is its row of the parameter registry."""
        if entry["redaction"] in LEAVES[self.profile]:
            return fact
        return Missing(fact.id, "redacted", "profile " + self.profile, fact.key)
