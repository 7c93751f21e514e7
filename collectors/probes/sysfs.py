"""Attributes of a device: small files below one folder of /sys, and what their texts mean."""

import re

from collectors.probe_results import Missing

# One page: the kernel writes no attribute that is longer.
ATTRIBUTE_LIMIT_BYTES = 4096
MAX_CHARACTERS = 120

NUMBER = re.compile(r"-?[0-9]{1,18}")
SPEED = re.compile(r"[0-9]{1,3}(?:\.[0-9])? GT/s(?: PCIe)?")
WIDTHS = (1, 2, 4, 8, 12, 16, 32)
PCIE_FILES = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")

# What says most about a value that is not there comes first.
GRAVITY = ("permission_denied", "timeout", "output_limit", "parse_error", "not_installed", "not_applicable")


def attributes(door, folder, names):
    """{name: Input} of files below a folder."""
    return {name: door.file(folder + "/" + name, ATTRIBUTE_LIMIT_BYTES) for name in names}


def is_virtual_function(door, folder):
    """Whether an adapter is a part of another of this node (SR-IOV), which is told itself and has the port."""
    return door.exists(folder + "/device/physfn")


def text(inputs, name):
    """An attribute as one line, or None where there is none; a longer one than any device has is none either."""
    attribute = inputs.get(name)
    if attribute is None or attribute.text is None:
        return None
    line = " ".join(attribute.text.split())
    return line if 0 < len(line) <= MAX_CHARACTERS else None


def number(inputs, name):
    line = text(inputs, name)
    return int(line) if line and NUMBER.fullmatch(line) else None


def count(inputs, name):
    """A number that cannot be negative."""
    value = number(inputs, name)
    return value if value is not None and value >= 0 else None


def pcie(inputs, folder=""):
    """The PCIe link of a device as the document has it, or None; `folder` stands before the names of PCIE_FILES."""
    link = {
        "current_speed": speed(inputs, folder + "current_link_speed"),
        "current_width": width(inputs, folder + "current_link_width"),
        "max_speed": speed(inputs, folder + "max_link_speed"),
        "max_width": width(inputs, folder + "max_link_width"),
    }
    present_fields = {name: value for name, value in link.items() if value is not None}
    return present_fields if "current_speed" in present_fields or "current_width" in present_fields else None


def speed(inputs, name):
    line = text(inputs, name)
    return line if line and SPEED.fullmatch(line) else None


def width(inputs, name):
    """Lanes; a bridge without a link says 0, a device that is gone 255, and older Slingshot drivers write x16."""
    line = (text(inputs, name) or "").lower().lstrip("x")
    return int(line) if NUMBER.fullmatch(line) and int(line) in WIDTHS else None


def link_values(link):
    """(key, number) of a PCIe link for a parameter that is a map: gigatransfers per second, and lanes."""
    for when in ("current", "max"):
        if link and when + "_speed" in link:
            transfers = float(link[when + "_speed"].split()[0])
            yield when + "_speed_gt_s", int(transfers) if transfers == int(transfers) else transfers
        if link and when + "_width" in link:
            yield when + "_lanes", link[when + "_width"]


def missing(name, inputs, otherwise="parse_error"):
    """Why a parameter was found in none of these Inputs: the gravest of their reasons, or `otherwise` where all were
    read and none said anything of use."""
    gaps = [file_input for file_input in inputs if file_input.reason]
    if len(gaps) < len(inputs):
        gaps = [file_input for file_input in gaps if file_input.reason != "not_applicable"]
        if not gaps:
            return Missing(name, otherwise)
    gaps.sort(key=lambda file_input: GRAVITY.index(file_input.reason) if file_input.reason in GRAVITY else len(GRAVITY))
    return Missing(name, gaps[0].reason, gaps[0].detail) if gaps else Missing(name, "not_applicable")
