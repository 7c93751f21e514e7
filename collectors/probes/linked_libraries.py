"""The libraries that a program asks for, and where the loader would take them from: read from its file, never run."""

import os
import struct
from collections import namedtuple

ELF_64_LITTLE = b"\x7fELF\x02\x01"
DYNAMIC_SEGMENT = 2
LOADED_SEGMENT = 1
NEEDED, STRING_TABLE, STRING_TABLE_SIZE, RPATH, RUNPATH = 1, 5, 10, 15, 29
MOST_SEGMENTS = 128
MOST_ENTRIES = 4096
MOST_CHARACTERS = 4096
# Where the loader looks without being told; what distributions add lies in files of /etc/ld.so.conf.d.
FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib64", "/usr/local/lib")
CONFIGURED = "/etc/ld.so.conf.d/*.conf"

Linked = namedtuple("Linked", "needed rpath runpath")
Linked.__doc__ = (
    "Names of libraries in order, and the folders that a program has for them: before and after the user's."
)


def linked(content):
    """What the first bytes of a program say, as Linked; None where it is no dynamic ELF file of 64 bits."""
    try:
        return read_dynamic(content) if content.startswith(ELF_64_LITTLE) else None
    except (struct.error, IndexError, OverflowError):
        return None


def read_dynamic(content):
    """Return what the dynamic section of a 64-bit little-endian ELF file links; None where it has none."""
    offset, size, number = struct.unpack_from("<Q", content, 32)[0], *struct.unpack_from("<HH", content, 54)
    segments = [
        struct.unpack_from("<IIQQQQQQ", content, offset + place * size) for place in range(min(number, MOST_SEGMENTS))
    ]
    dynamic = next((segment for segment in segments if segment[0] == DYNAMIC_SEGMENT), None)
    if dynamic is None:
        return None
    entries = []
    for place in range(min(dynamic[5] // 16, MOST_ENTRIES)):
        tag, value = struct.unpack_from("<QQ", content, dynamic[2] + 16 * place)
        if tag == 0:
            break
        entries.append((tag, value))
    values = dict(entries)
    strings = place_in_file(segments, values[STRING_TABLE]) if STRING_TABLE in values else None
    if strings is None:
        return None
    table = content[strings : strings + values.get(STRING_TABLE_SIZE, 0)]
    texts = {NEEDED: [], RPATH: [], RUNPATH: []}
    for tag, value in entries:
        if tag in texts:
            texts[tag].append(text_at(table, value))
    folders = {tag: [folder for text in texts[tag] for folder in text.split(":") if folder] for tag in (RPATH, RUNPATH)}
    return Linked(tuple(texts[NEEDED]), tuple(folders[RPATH]), tuple(folders[RUNPATH]))


def place_in_file(segments, address):
    """Where a file has what lies at an address once it is loaded."""
    for kind, _flags, offset, start, _physical, size, _memory, _align in segments:
        if kind == LOADED_SEGMENT and start <= address < start + size:
            return offset + address - start
    return None


def text_at(table, place):
    return table[place : place + MOST_CHARACTERS].partition(b"\0")[0].decode("utf-8", "surrogateescape")


def find_library(door, name, program, libraries, environ):
    """The path of a library by the loader's order of folders, or None: the program's, the user's, the system's."""
    origin = os.path.dirname(os.path.realpath(program))
    users = [folder for folder in environ.get("LD_LIBRARY_PATH", "").split(":") if os.path.isabs(folder)]
    first = libraries.runpath or libraries.rpath
    own = [folder.replace("$ORIGIN", origin).replace("${ORIGIN}", origin) for folder in first]
    folders = users + own if libraries.runpath else own + users
    for folder in folders + configured(door) + list(FOLDERS):
        place = os.path.join(folder, name)
        if os.path.isabs(place) and door.exists(place):
            return place
    return None


def configured(door):
    texts = [entry.text or "" for entry in door.files(CONFIGURED).values()]
    return [line.strip() for text in texts for line in text.splitlines() if line.strip().startswith("/")]
