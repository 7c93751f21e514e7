"""The libraries that a program is linked with and that move data, with their versions where a file tells them.

What is read is the program's own file and the libraries in the places where the loader looks; nothing is started.
"""

import os
import re

from collectors.capture import typed_words
from collectors.probes import linked_libraries, mpi

MAX_LIBRARIES = 150
MAX_BYTES = 64 * 1024 * 1024
FILE_NAME = re.compile(r"(lib[A-Za-z0-9_]{1,40})(?:-[a-z0-9.]{1,20})?\.so((?:\.\d{1,6}){0,4})")
# Texts in which a library tells its version.
VERSIONS = {
    "HDF5": re.compile(rb"HDF5 library version (\d{1,2}\.\d{1,3}\.\d{1,3})"),
    "libcurl": re.compile(rb"libcurl/(\d{1,2}\.\d{1,3}\.\d{1,3})"),
}
# Modules lay libraries into folders that are named by what is in them: /opt/cray/libfabric/1.20.1/lib64.
FOLDER = re.compile(
    r"/(?:libfabric|ucx|hdf5|hdf5-parallel|mpich|cray-mpich|openmpi|pnetcdf|netcdf)[/-](\d{1,4}(?:\.\d{1,6}){1,4})(?=[/-])"
)


def libraries_of(door, program, environ):
    """[{name, file, version, version_from}] of the known libraries of a program, those that libraries need included.

    None for what is no dynamic ELF program of 64 bits.
    """
    content = door.first_bytes(program, MAX_BYTES)
    linked = linked_libraries.linked(content)
    if linked is None:
        return None
    waiting = [(name, program, linked) for name in linked.needed]
    looked_at, entries = set(), []
    while waiting and len(looked_at) < MAX_LIBRARIES:
        name, parent, parent_linked = waiting.pop(0)
        if name in looked_at:
            continue
        looked_at.add(name)
        match = FILE_NAME.fullmatch(name)
        product = typed_words.TABLE["libraries"].get(match.group(1)) if match else None
        if not product or door.seconds_left() <= 0:
            continue
        place = linked_libraries.find_library(door, name, parent, parent_linked, environ)
        entries.append(dict({"name": product, "file": name}, **version_of(door, product, place)))
        own = linked_libraries.linked(door.first_bytes(place, MAX_BYTES)) if place else None
        waiting += [(needed, place, own) for needed in own.needed] if own else []
    return sorted(entries, key=lambda entry: (entry["name"], entry["file"]))


def version_of(door, product, place):
    """{version, version_from}: what the library says itself, or the folder of a module, or the name of its file."""
    if place is None:
        return {}
    version = version_in(product, door.first_bytes(place, MAX_BYTES))
    if version:
        return {"version": version, "version_from": "library"}
    real = door.link(place) or place
    folder = FOLDER.search(real)
    if folder:
        return {"version": folder.group(1), "version_from": "folder"}
    number = FILE_NAME.fullmatch(os.path.basename(real))
    if number and number.group(2).count(".") > 1:
        return {"version": number.group(2)[1:], "version_from": "file name"}
    return {}


def version_in(product, content):
    """The version in a library's own texts; None where it tells none."""
    if product == "MPI":
        version = (mpi.library_in(content) or "").rpartition(" ")[2]
        return version if version[:1].isdigit() else None
    match = VERSIONS[product].search(content) if product in VERSIONS else None
    return match.group(1).decode("ascii") if match else None
