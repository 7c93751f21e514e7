"""What somebody wrote into a harmless field and what gives a person, a machine or a key away, leaves no trace."""

import json

import pytest

from collectors.document import assemble as document_assemble
from collectors.document import parameters, schema
from collectors.privacy.profiles import PROFILES, Redactor
from collectors.privacy.pseudonyms import Pseudonyms
from collectors.probe_results import Fact, Item, Section
from collectors.probes.system import boot_parameters

# Key-like texts are put together here, so that no scanner takes this file for a leak.
TELLING = {
    "aws key": "Model " + "AKIA" + "QWERTYUIOPASDFGH",
    "github token": "gh" + "p_" + "x" * 36,
    "gitlab token": "gl" + "pat-" + "y" * 20,
    "slack token": "xo" + "xb-123456789012-abcdef",
    "hugging face token": "h" + "f_" + "z" * 34,
    "web token": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiJhIn0.c2lnbmF0dXJl",
    "password": "ACME 3.2TB password=hunter22",
    "the word alone": "top-secret-array",
    "private address": "2.8.4 10.88.77.66",
    "hardware address": "port b8:59:9f:12:34:56",
    "universal identifier": "4c4c4544-0042-3510-8031-b4c04f4a4d32",
    "new address": "rev fd00:1234::5",
    "mail": "built by jane@lab.example.org",
    "name of a machine": "4.18.0-build7.hpc.example.gov.x86_64",
    "name of a machine in another country": "built on build7.hpc.example.no",
    "home folder": "/home/jane/driver",
    "serial number": "NVMe SN: S4YNNE0M800999",
    "serial number in words": "Array, serial number = 55AA",
}
HARMLESS = (
    "INTEL SSDPE2KX040T8",
    "WDC WUS4BB038D7P3E3 SN640",
    "PowerEdge R7525",
    "4.18.0-553.16.1.el8_10.x86_64",
    "2.15.4_1.llnl",
    "MLNX_OFED_LINUX-5.8-3.0.7.0",
    "218.0.219.13/pkg 21.80.9.6",
    "0000:3b:00.0",
    "Open MPI 4.1.6",
    "mitigations=auto,no_guest_host",
    "Mitigation: Retpolines; STIBP: disabled; RSB filling",
)


def made(pieces, profile="default"):
    capture = document_assemble.Capture("static", "client", "2026-11-21T12:00:00Z")
    return document_assemble.assemble(
        pieces, capture, Redactor(profile, Pseudonyms(b"k" * 32)), 0.1, parameters.registry()
    )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("text", TELLING.values(), ids=TELLING)
def test_an_identifying_value_is_redacted_everywhere_in_every_profile(text, profile):
    document = made(
        [
            Fact("drive.model", text, "sysfs"),
            Fact("vm.sysctl", "60", "procfs", text),
            Section("hardware", {"vendor": "Dell Inc.", "product": text}),
            Section("os", {"kernel": text, "cmdline": ["iommu=pt", text]}),
            Item("block", {"name": "nvme", "model": text}),
            Section("job", {"environment": {"OMPI_MCA_io": text}}),
        ],
        profile,
    )
    assert list(schema.errors(document)) == []
    assert text not in json.dumps(document)
    (node,) = document["node_classes"]
    assert node["hardware"]["vendor"] == "Dell Inc."
    assert node["os"]["cmdline"] == ["iommu=pt"]
    assert [gap["reason"] for gap in node["missing"] if gap["id"] == "drive.model"] == ["redacted"]


@pytest.mark.parametrize("text", HARMLESS)
def test_models_versions_and_settings_are_kept(text):
    (node,) = made([Fact("drive.model", text, "sysfs")])["node_classes"]
    assert node["parameters"] == [{"id": "drive.model", "values": [{"value": text, "instances": 1}], "source": "sysfs"}]


@pytest.mark.parametrize(
    "argument",
    [
        "iommu=pt",
        "mitigations=auto,no_guest_host",
        "isolcpus=nohz,domain,1-63,65-127",
        "hugepages=0:2048,1:2048",
        "default_hugepagesz=1G",
        "nvme_core.multipath=Y",
        "pci=realloc=on,hpbussize=0x33",
        "elevator=mq-deadline",
        "nosmt",
        "clocksource=acpi_pm",
    ],
)
def test_a_boot_parameter_of_words_and_numbers_is_kept(argument):
    assert boot_parameters("ro " + argument) == [argument]


@pytest.mark.parametrize(
    "argument",
    ["iommu=pt,CANARY-7f3a", "hugepages=" + "k" * 30, "pci=0123456789abcdef", "idle=a-1-2-3-b", "luks.key=poll"],
)
def test_a_boot_parameter_with_other_characters_is_dropped(argument):
    assert boot_parameters("ro " + argument) == []
