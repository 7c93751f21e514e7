"""BIOS settings from what a management controller printed: the ones that change speed, by an allow-list; nothing else.

Serial numbers, asset tags, passwords, addresses and free texts are in the same files and stay there.
"""

import json
import re

from collectors.probe_results import Fact

MAX_DEPTH = 12

# Makers write the same setting as SMTControl_00CB, Processors_SMTMode or ProcSMT: compared without the
# number at the end, the menu's name at the beginning, case and punctuation.
NUMBER_AT_END = re.compile(r"_[0-9A-Fa-f]{4}$")
MENUS = re.compile(r"^(?:Processors|Memory|DevicesandIOPorts|OperatingModes|Power|Secured_Core)_(?=.)")

ALLOWED = frozenset(
    """
    numanodespersocket numamemorydomainspersocket ccxasnumadomain lastlevelcacheasnumanode
    acpisratl3cacheasnumadomain l3cacheasnumadomain subnumacluster subnumaclustering snc clusterondie virtualnuma
    numagroupsizeopt nodeinterleave memoryinterleaving amdmemoryinterleaving amdmemoryintlvsize interleave
    memopmode madtcoreenumeration

    logicalproc procsmt procamdsmt prochyperthreading hyperthreading smtcontrol smtmode
    ccdcores procccds proccores proccoredisable enabledcoresperproc ccdcontrol corecontrol
    numberofenabledcpucorespersocket

    sysprofile workloadprofile workloadconfiguration amdperformanceworkloadprofile chooseoperatingmode powerprofile
    powerprofileselect powerprofileselection powerregulator procpwrperf energyperformancebias energyefficientturbo
    latencyoptimizedmode efficiencymode collabpowercontrol dynamicpowercapping
    determinismslider determinismcontrol performancedeterminism
    procconfigtdp ctdp ctdpmanual tdpcontrol packagepowerlimit packagepowerlimitmanual packagepowerlimitcontrol
    packagepowerlimitcontrolmode packagepowerlimitvalue thermalconfig

    proccstates procc1e minprocidlepower minprocidlepkgstate globalcstatecontrol dfcstate dfcstates
    datafabriccstateenable cpuacpicstc2latency amdcstc2latency acpicstc2latency monitormwait cstateefficiencymode
    pstate1 pstate2 cppc procavxp1 uncorefrequency cpuinterconnectbuslinkpower

    procturbomode turbomode procamdboost procamdboostcontrol applicationpowerboost coreperformanceboost boostfmax
    boostfmaxmanual procamdfmax controlledturbo controlledturbominusbin
    apbdis infinityfabricpstate dfpstatefreqoptimizer dfpstatelatencyoptimizer socpstates
    amdxgmilinkspeed xgmimaxlinkwidth xgmiforcelinkwidth

    prochwprefetcher procadjcacheline l1streamhwprefetcher l2streamhwprefetcher l1strideprefetcher
    l1regionprefetcher l2updownprefetcher amdl1prefetcher amdl2prefetcher llcprefetch upiprefetch xptprefetch
    dcustreamerprefetcher dcuipprefetcher hwprefetcher adjcacheprefetch deadlinellcalloc directoryatos directorymode
    snoophldoff

    iommu iommusupport procamdiovt procvirtualization procx2apic apicmode sriov sriovglobalenable
    svmmode dmaremapping amddmaremapping kerneldmaprotection
    relaxedordering pcietenbittagsupport pcieariforwarding pcieaspml1 aspmsupport maxpciespeed dynamicpcieratechange
    pciespeedpmmcontrol pcieresizablebar preferrediobusenable preferrediobusnumber enhancedpreferrediobusenable
    nosnoop nbio0lclkdpmlevel nbio1lclkdpmlevel nbio2lclkdpmlevel nbio3lclkdpmlevel

    memfrequency memoryspeed memorytargetspeed maxmembusfreqmhz memrefreshrate dramrefreshrate dramrefreshdelay
    mempatrolscrub mempatrolscrubbing dramcontrollerpowerdown memorypowerdownenable memoryencryption transparentsme
    transparentsecurememoryencryption tsme smee amdsecurememoryencryption sysmemspeed sysmemtype

    agesaversion smuversion systembiosversion proc1microcode proc2microcode
    """.split()
)
VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.,()%+/-]{0,63}")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,119}")
# Of `racadm get`: read-only attributes begin with #, those that only take a value with !!.
LINE = re.compile(r"#?([A-Za-z0-9_][A-Za-z0-9_.-]{0,119}) ?= ?(.*)")

# Sections of racadm begin with a bracket too.
JSON = re.compile(r"\{|\[\s*[{\]]")

ENABLED = {"enabled": True, "disabled": False}
NODES = {"0": 0, "1": 1, "2": 2, "4": 4, "nps0": 0, "nps1": 1, "nps2": 2, "nps4": 4}
MEMORY_DOMAINS = {"onememorydomainpersocket": 1, "twomemorydomainspersocket": 2, "fourmemorydomainspersocket": 4}


def attributes(text):
    """[(attribute, value)] of Redfish, racadm or ilorest output: JSON, or NAME=VALUE lines.

    Raises ValueError where the text holds none.
    """
    text = text.lstrip("\ufeff").strip()
    pairs = list(json_pairs(text) if JSON.match(text) else line_pairs(text))
    if not pairs:
        raise ValueError("no BIOS attributes")
    return pairs


def settings(pairs):
    """{attribute: value} of the attributes that change speed, as they are named; the rest is dropped."""
    return {
        name: value
        for name, value in pairs
        if NAME.fullmatch(name) and normalise_name(name) in ALLOWED and is_setting(value)
    }


def normalise_name(name):
    """What is compared of an attribute's name."""
    return re.sub(r"[^a-z0-9]", "", MENUS.sub("", NUMBER_AT_END.sub("", name)).lower())


def is_setting(value):
    """Whether a value is a number, a switch or a short word of a menu."""
    if isinstance(value, (bool, int)):
        return abs(value) < 2**53
    return isinstance(value, str) and VALUE.fullmatch(value) is not None


def json_pairs(text):
    """(name, value) of every attribute in the JSON: an object `Attributes`, or a BIOS's list of {"Name", "Value"}.

    Raises ValueError for damaged JSON.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("damaged JSON")
    for part in objects(document, MAX_DEPTH):
        attributes_of_part = part.get("Attributes")
        if isinstance(attributes_of_part, dict):
            yield from attributes_of_part.items()
        elif isinstance(attributes_of_part, list) and str(part.get("FQDD", "BIOS")).startswith("BIOS"):
            for entry in attributes_of_part:
                if isinstance(entry, dict) and isinstance(entry.get("Name"), str) and "Value" in entry:
                    yield entry["Name"].rpartition("#")[2], entry["Value"]


def objects(value, depth):
    """Every object in a JSON value, the outermost first, down to a depth."""
    if isinstance(value, dict):
        yield value
    if depth and isinstance(value, (dict, list)):
        for child in value.values() if isinstance(value, dict) else value:
            yield from objects(child, depth - 1)


def line_pairs(text):
    """(name, value) of NAME=VALUE lines."""
    for line in text.splitlines():
        match = LINE.fullmatch(line.strip())
        if match:
            yield match.group(1), match.group(2).strip()


def facts(values_by_name):
    """The settings as facts: each as an entry of bios.profile, and those that other parameters are about."""
    for name, value in sorted(values_by_name.items()):
        yield Fact("bios.profile", value, "file", name)
        yield from derived_facts(normalise_name(name), value)


def derived_facts(name, value):
    """Facts of the parameters that otherwise are derived from the topology; a setting of `Auto` tells nothing."""
    word = str(value).lower()
    if name in ("numanodespersocket", "numamemorydomainspersocket"):
        nodes = NODES.get(word, MEMORY_DOMAINS.get(word))
        if nodes is not None:
            yield Fact("bios.nps", nodes, "file")
    elif name in ("ccxasnumadomain", "lastlevelcacheasnumanode", "acpisratl3cacheasnumadomain") and word in ENABLED:
        yield Fact("bios.ccx_as_numa", ENABLED[word], "file")
    elif name in ("subnumacluster", "subnumaclustering", "snc") and isinstance(value, str) and word != "auto":
        yield Fact("bios.snc", value, "file")
    elif name == "agesaversion" and isinstance(value, str):
        yield Fact("bios.agesa", value, "file", "agesa")
