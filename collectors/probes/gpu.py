"""GPUs: models, number and memory, and whether data may go straight between them and the storage."""

import re
from collections import Counter

from collectors.outputs import jsontext
from collectors.probe_results import Fact, Item, Missing
from collectors.probes import Probe, input_parsing
from collectors.probes.json_paths import at

NVIDIA = "/proc/driver/nvidia/gpus/*/information"
NVIDIA_FS = "/proc/driver/nvidia-fs/version"
CARDS = "/sys/class/drm/card*/device/"
CARD_FIELDS = ("vendor", "device", "class", "product_name", "mem_info_vram_total")
CUFILE = "/etc/cufile.json"
CUFILE_VARIABLE = "CUFILE_ENV_PATH_JSON"
QUERY = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]

VENDORS = {"0x1002": "AMD", "0x10de": "NVIDIA", "0x8086": "Intel"}
# An Intel VGA controller is the processor's own graphics, no accelerator.
VGA = "0x0300"
MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ()./+_-]{1,60}")
NVIDIA_FS_VERSION = re.compile(r"version:? *(\d{1,3}(?:\.\d{1,4}){1,3})\b", re.IGNORECASE)


def parse_information(text):
    """The model in /proc/driver/nvidia/gpus/*/information. Raises ValueError for other texts."""
    match = re.search(r"^Model:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE)
    if match is None or not MODEL.fullmatch(match.group(1)):
        raise ValueError("no model of a GPU")
    return match.group(1)


def parse_query(text):
    """[(model, memory_bytes or None)] of nvidia-smi's name and memory in MiB. Raises ValueError for other texts."""
    rows = [line.rpartition(",")[::2] for line in text.splitlines() if line.strip()]
    if not rows or not all(MODEL.fullmatch(model) for model, _ in rows):
        raise ValueError("not the query of nvidia-smi")
    return [(model, int(size) << 20 if re.fullmatch(r" ?\d{1,9}", size) else None) for model, size in rows]


def card_model(card):
    """(model, memory_bytes or None) of a graphics card as the kernel shows it, or None where it is no GPU of note."""
    vendor = VENDORS.get(card.get("vendor"))
    if vendor is None or (vendor == "Intel" and card.get("class", "").startswith(VGA)):
        return None
    name = card.get("product_name", "")
    if not MODEL.fullmatch(name):
        name = card.get("device", "")
    memory = card.get("mem_info_vram_total", "")
    size = int(memory) if re.fullmatch(r"\d{1,15}", memory) else None
    model = name if name.startswith(vendor) else vendor + " " + name
    return (model, size) if MODEL.fullmatch(name) else None


def parse_cufile(text):
    """allow_compat_mode of cufile.json, which may carry comments; None where it is not set.

    Raises ValueError for other texts.
    """
    settings = jsontext.document(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    allowed = at(settings, "properties", "allow_compat_mode")
    return allowed if isinstance(allowed, bool) else None


class GpuProbe(Probe):
    id = "gpu"
    provides = ("gpu.model", "bench.gpudirect")
    roles = ("client",)
    reads = (NVIDIA, " ".join(QUERY)) + tuple(CARDS + field for field in CARD_FIELDS)
    reads += (NVIDIA_FS, CUFILE, "$" + CUFILE_VARIABLE)

    def applies(self, door):
        return bool(door.matching(NVIDIA) or door.matching(CARDS + "vendor"))

    def read(self, door):
        information = door.files(NVIDIA)
        configured = door.environment.get(CUFILE_VARIABLE, "")
        return {
            "information": information,
            "query": door.command(QUERY) if information else None,
            "cards": {field: door.files(CARDS + field) for field in CARD_FIELDS},
            NVIDIA_FS: door.file(NVIDIA_FS),
            CUFILE: door.file(configured if configured.startswith("/") else CUFILE),
        }

    def parse(self, raw):
        gpus = nvidia_gpus(raw) + other_gpus(raw)
        for (model, memory_bytes), count in sorted(Counter(gpus).items(), key=str):
            yield Fact("gpu.model", model, "procfs" if raw["information"] else "sysfs", None, count)
            yield Item("hardware/accelerators", {"model": model, "count": count, "memory_bytes": memory_bytes})
        if not gpus:
            yield Missing("gpu.model", "not_applicable", "no GPU beyond the board's own graphics")
        yield direct(raw, bool(gpus))


def nvidia_gpus(raw):
    """[(model, memory_bytes)] from nvidia-smi, else from the driver's files, which do not tell the memory."""
    answers = [input_parsing.read_as(parse_information, file_input) for file_input in raw["information"].values()]
    queried = input_parsing.read_as(parse_query, raw["query"]) if raw["query"] else None
    if queried and queried.value:
        return queried.value
    return [(answer.value, None) for answer in answers if answer.value]


def other_gpus(raw):
    """[(model, memory_bytes)] of the cards in sysfs; those of NVIDIA only where their driver says nothing."""
    cards = {}
    for field, inputs in raw["cards"].items():
        for path, file_input in inputs.items():
            cards.setdefault(path.rpartition("/")[0], {})[field] = (file_input.text or "").strip()
    if raw["information"]:
        cards = {path: card for path, card in cards.items() if VENDORS.get(card.get("vendor")) != "NVIDIA"}
    models = [card_model(card) for card in cards.values()]
    return [model for model in models if model]


def direct(raw, has_gpu):
    """Whether GPUDirect Storage could be used: its kernel module, and whether copying through memory is allowed."""
    if not has_gpu:
        return Missing("bench.gpudirect", "not_applicable", "no GPU")
    version = NVIDIA_FS_VERSION.search(raw[NVIDIA_FS].text or "")
    if version is None:
        return Missing("bench.gpudirect", "not_installed", "no module nvidia_fs")
    compatible = input_parsing.read_as(parse_cufile, raw[CUFILE]).value
    fallback = {True: " with fallback through memory", False: " without fallback", None: ""}[compatible]
    return Fact("bench.gpudirect", "nvidia_fs " + version.group(1) + fallback, "procfs")


PROBES = (GpuProbe(),)
