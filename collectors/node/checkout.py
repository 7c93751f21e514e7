"""The commit that a checkout stands at, read from the files of its .git; git itself is not started.

A benchmark is most often built in its checkout, and run from there.
"""

import os
import re
import struct
import zlib

MAX_FOLDERS_UP = 4
MAX_REFERENCES_BYTES = 4 * 1024 * 1024
MAX_OBJECT_BYTES = 64 * 1024
MAX_PACKS = 50
COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REFERENCE = re.compile(r"ref: (refs/[\w./+-]{1,200})")
TREE = re.compile(rb"tree ([0-9a-f]{40}(?:[0-9a-f]{24})?)\n")
INDEX_OF_VERSION_2 = b"\xfftOc\x00\x00\x00\x02"
COMMIT_IN_PACK = 1


def source_of_program(door, program, home):
    """{commit, tree} of the checkout that a program lies in, each where it can be had; {} for no checkout.

    A checkout of the user's whole home is none of a benchmark.
    """
    folder = os.path.dirname(os.path.realpath(program))
    for _level in range(MAX_FOLDERS_UP + 1):
        marker = os.path.join(folder, ".git")
        if os.path.lexists(marker):
            return {} if home and folder == os.path.realpath(home) else state_of(door, git_folder(door, marker))
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    return {}


def git_folder(door, marker):
    """The folder of git's files: .git itself, or what the file .git of a submodule or worktree names."""
    if os.path.isdir(marker):
        return marker
    text = text_of(door, marker)
    if not text.startswith("gitdir: "):
        return None
    return os.path.join(os.path.dirname(marker), text[len("gitdir: ") :].strip())


def state_of(door, folder):
    commit = commit_of(door, folder) if folder else None
    if commit is None:
        return {}
    state = {"commit": commit}
    tree = tree_of(door, shared_folder(door, folder), commit)
    if tree:
        state["tree"] = tree
    return state


def shared_folder(door, folder):
    """Where references and objects lie: for a worktree in the checkout that it belongs to."""
    common = text_of(door, os.path.join(folder, "commondir")).strip()
    return os.path.join(folder, common) if common else folder


def commit_of(door, folder):
    """Return the commit that a git folder's HEAD names, loose or packed; None where none can be read."""
    head = text_of(door, os.path.join(folder, "HEAD")).strip()
    if COMMIT.fullmatch(head):
        return head
    match = REFERENCE.fullmatch(head)
    if not match or ".." in match.group(1):
        return None
    for place in (folder, shared_folder(door, folder)):
        text = text_of(door, os.path.join(place, match.group(1))).strip()
        if COMMIT.fullmatch(text):
            return text
    for line in text_of(door, os.path.join(shared_folder(door, folder), "packed-refs")).splitlines():
        commit, _blank, name = line.partition(" ")
        if name == match.group(1) and COMMIT.fullmatch(commit):
            return commit
    return None


def tree_of(door, folder, commit):
    """The hash of the tree of a commit, from its own file or a pack; None where neither has it whole."""
    loose = door.first_bytes(os.path.join(folder, "objects", commit[:2], commit[2:]), MAX_OBJECT_BYTES)
    content = inflated(loose).partition(b"\0")[2] if loose else packed_commit(folder, commit)
    match = TREE.match(content or b"")
    return match.group(1).decode("ascii") if match else None


def packed_commit(folder, commit):
    packs = os.path.join(folder, "objects", "pack")
    try:
        names = sorted(name for name in os.listdir(packs) if name.endswith(".idx"))
    except OSError:
        return None
    contents = (commit_in(os.path.join(packs, name), commit) for name in names[:MAX_PACKS])
    return next((content for content in contents if content is not None), None)


def commit_in(index, commit):
    """The text of a commit in the pack of an index; None where it is not there, or the pack is broken."""
    try:
        place = offset_in_pack(index, bytes.fromhex(commit))
        return None if place is None else commit_at(index[: -len(".idx")] + ".pack", place)
    except (OSError, struct.error, IndexError, StopIteration):
        return None


def offset_in_pack(path, wanted_hash):
    """Where a pack has an object, by its index (version 2); None where it has not."""
    with open(path, "rb") as stream:
        if stream.read(8) != INDEX_OF_VERSION_2:
            return None
        fanout = struct.unpack(">256I", stream.read(1024))
        first, end, count = fanout[wanted_hash[0] - 1] if wanted_hash[0] else 0, fanout[wanted_hash[0]], fanout[255]
        size = len(wanted_hash)
        while first < end:
            middle = (first + end) // 2
            stream.seek(1032 + middle * size)
            here = stream.read(size)
            if here == wanted_hash:
                stream.seek(1032 + count * (size + 4) + middle * 4)
                offset = struct.unpack(">I", stream.read(4))[0]
                if offset < 0x80000000:
                    return offset
                stream.seek(1032 + count * (size + 8) + (offset & 0x7FFFFFFF) * 8)
                return struct.unpack(">Q", stream.read(8))[0]
            if here < wanted_hash:
                first = middle + 1
            else:
                end = middle
    return None


def commit_at(path, offset):
    """The text of a commit in a pack; None where it is stored as a difference from another."""
    with open(path, "rb") as stream:
        stream.seek(offset)
        content = stream.read(MAX_OBJECT_BYTES)
    end = next(place for place, byte in enumerate(content) if byte < 0x80)
    return inflated(content[end + 1 :]) if (content[0] >> 4) & 7 == COMMIT_IN_PACK else None


def inflated(content):
    try:
        return zlib.decompressobj().decompress(content, MAX_OBJECT_BYTES)
    except zlib.error:
        return b""


def text_of(door, path):
    return door.first_bytes(path, MAX_REFERENCES_BYTES).decode("utf-8", "replace")
