"""The strict profile: of environment, command line of the kernel and parameters only what names nobody leaves."""

import copy

from collectors.document import assemble as document_assemble
from collectors.document import merge, parameters, schema
from collectors.privacy.profiles import Redactor
from collectors.privacy.pseudonyms import Pseudonyms
from collectors.probe_results import Fact, Section

SAID = [
    Section("job", {"nodes": 2, "environment": {"OMPI_MCA_io": "romio341", "SLURM_NTASKS": "8", "UCX_TLS": "rc"}}),
    Section("job", {"mpiio_hints": [{"pattern": "wrfout*", "hints": {"cb_nodes": "4"}}]}),
    Section("os", {"kernel": "5.14.0", "cmdline": ["mitigations=off", "iommu=pt", "tuned.non_isolcpus=0000ffff"]}),
    Fact("nfs.mount", "4.2", "procfs", "vers"),
    Fact("mem.total", 1024, "procfs"),
]


def made(profile):
    capture = document_assemble.Capture("static", "client", "2026-11-21T12:00:00Z")
    redactor = Redactor(profile, Pseudonyms(b"k" * 32))
    return document_assemble.assemble(copy.deepcopy(SAID), capture, redactor, 0.1, parameters.registry())


def require_strict(document):
    (node,) = document["node_classes"]
    assert document["job"]["environment"] == {"OMPI_MCA_io": "romio341"}
    assert document["job"]["mpiio_hints"] == [{"pattern": "file", "hints": {"cb_nodes": "4"}}]
    assert node["os"]["cmdline"] == ["mitigations=off", "iommu=pt"]
    assert [entry["id"] for entry in node["parameters"]] == ["mem.total"]
    assert [gap["reason"] for gap in node["missing"] if gap["id"] == "nfs.mount"] == ["redacted"]
    assert list(schema.errors(document)) == []


def test_a_strictly_collected_node_has_only_the_allowed_facts():
    require_strict(made("strict"))


def test_strict_packing_and_strict_collecting_give_the_same_document():
    collected = made("default")
    before = copy.deepcopy(collected)
    require_strict(merge.for_profile(collected, "strict"))
    assert collected == before


def test_the_default_profile_keeps_allowed_names():
    document = made("default")
    assert set(document["job"]["environment"]) == {"OMPI_MCA_io", "SLURM_NTASKS", "UCX_TLS"}
    assert document["job"]["mpiio_hints"][0]["pattern"] == "wrfout*"
    assert len(document["node_classes"][0]["os"]["cmdline"]) == 3
    assert {entry["id"] for entry in document["node_classes"][0]["parameters"]} == {"mem.total", "nfs.mount"}
