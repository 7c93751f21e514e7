"""What of a node may leave the site: three profiles over the classes of the parameter registry."""

from collectors.probe_results import Missing

PROFILES = ("default", "strict", "full-consent")

# Of `allowlist`, `basename`, `drop` and `pseudonym` the probes say only the harmless part, whatever the profile.
# `never` and `attachment` are no facts of the document.
REDUCED = frozenset(["allowlist", "basename", "drop", "pseudonym"])
LEAVES = {
    "default": REDUCED | {"keep"},
    "strict": frozenset(["keep"]),
    "full-consent": REDUCED | {"keep"},
}
# What is left in the strict profile of a job's environment (how names begin) and of the kernel's command line.
STRICT_VARIABLES = ("MPICH_MPIIO_", "OMPI_MCA_", "ROMIO_")
# What the strict profile does not tell of the command.
NOT_STRICT_OF_RUN = ("arguments", "modules", "modules_not_listed", "source")
STRICT_BOOT = frozenset(
    """
    amd_iommu default_hugepagesz hugepages hugepagesz intel_iommu iommu iommu.passthrough iommu.strict mitigations
    transparent_hugepage
    """.split()
)


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


def make_strict(document, registry):
    """Take out of a document, in place, what the strict profile keeps at the site; `registry`: rows by parameter id."""
    job = document.get("job", {})
    if "environment" in job:
        allowed_variables = {
            name: value for name, value in job["environment"].items() if name.startswith(STRICT_VARIABLES)
        }
        job["environment"] = allowed_variables
    for entry in job.get("mpiio_hints", ()):
        entry["pattern"] = "file"
    for node in document["node_classes"]:
        if "cmdline" in node["os"]:
            node["os"]["cmdline"] = [word for word in node["os"]["cmdline"] if word.partition("=")[0] in STRICT_BOOT]
        keep_strict_parameters(node, registry)


def keep_strict_parameters(node, registry):
    """The parameters that leave in the strict profile; the others become missing."""
    allowed_parameters, gaps = [], {}
    for entry in node.get("parameters", ()):
        if registry.get(entry["id"], {}).get("redaction", "keep") in LEAVES["strict"]:
            allowed_parameters.append(entry)
        else:
            gaps[entry["id"]] = {"id": entry["id"], "reason": "redacted", "detail": "profile strict"}
    node["parameters"] = allowed_parameters
    if gaps:
        others = [gap for gap in node.get("missing", ()) if gap["id"] not in gaps]
        node["missing"] = sorted(others + list(gaps.values()), key=lambda gap: (gap["id"], gap.get("key", "")))
