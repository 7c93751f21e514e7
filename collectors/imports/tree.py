"""The outputs in a tree of folders, however they are named: known by what is in them."""

import os

from collectors.bundle import archive_limits
from collectors.bundle.archive_limits import ArchiveMember
from collectors.errors import NothingCollected, UsageError
from collectors.imports.units import (
    LARGEST_FILE,
    MOST_BYTES,
    MOST_FILES,
    LeftOut,
    Outputs,
    Recognition,
    has_secret,
    head_of,
    make_unit,
    weigh_member,
)

MOST_ENTRIES = 200000
CREDENTIAL = "holds what looks like a key, a token or a password"
LARGE = "larger than %d MiB" % (LARGEST_FILE // 1024 // 1024)
TOO_MUCH = "one output with more files or bytes than the registry takes at once"
UNKNOWN = "no benchmark is known to write this"


def find_units(path, update):
    """Outputs below a folder. Raises UsageError for no folder, NothingCollected where no file is in it."""
    if not os.path.isdir(path):
        raise UsageError("collector.path", "%s is no folder." % path, "Give the folder that the outputs lie below.")
    members, left_out = list_files(os.path.realpath(path), archive_limits.archive_stem(path))
    if not members and not left_out:
        raise NothingCollected("bundle.empty", "%s holds no file." % path)
    return recognise_files(members, left_out, update)


def list_files(root, stem):
    """(ArchiveMembers sorted by name, LeftOut): regular files below a folder; links are followed nowhere.

    Raises UsageError for a tree with more entries than anybody's results have.
    """
    members, left_out, pending, entry_count = [], [], [(root, stem)], 0
    while pending:
        folder, prefix = pending.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            left_out.append(LeftOut(prefix, "cannot be read: %s" % error.strerror))
            continue
        entry_count += len(entries)
        if entry_count > MOST_ENTRIES:
            raise UsageError(
                "collector.import", "More than %d files lie below %s." % (MOST_ENTRIES, root), "Give a smaller folder."
            )
        for entry in entries:
            name = prefix + "/" + archive_limits.printable_name(entry.name)
            reason = archive_limits.reason_to_refuse(entry)
            if reason:
                left_out.append(LeftOut(name, reason))
            elif entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, name))
            else:
                members.append(ArchiveMember(name, entry.path, entry.stat(follow_symlinks=False).st_size))
    return sorted(members, key=archive_limits.by_name), left_out


def recognise_files(members, left_out, update):
    """Outputs in these files: units in the order of their names; each file is in one of them or left out."""
    recognition, left_out, recognised = Recognition(), list(left_out), []
    whole_folders = {}
    for place, member in enumerate(members):
        update("reading %d of %d files" % (place + 1, len(members)))
        folder = os.path.dirname(member.name)
        try:
            tool, is_folder = recognition.tool_of(member.name, head_of(member)) if member.size else (None, False)
        except OSError as error:
            left_out.append(LeftOut(member.name, "cannot be read: %s" % error.strerror))
            continue
        if is_folder:
            whole_folders.setdefault(folder, tool)
        recognised.append((member, tool))
    whole_folders = {
        folder: tool
        for folder, tool in whole_folders.items()
        if not find_folder_among(os.path.dirname(folder), whole_folders)
    }
    taken = {}
    singles, rest = [], []
    for member, tool in recognised:
        folder = find_folder_among(os.path.dirname(member.name), whole_folders)
        if folder:
            taken.setdefault(folder, []).append(member)
        elif tool:
            singles.append((member, tool))
        else:
            rest.append(member)
    units = [(folder, whole_folders[folder], files) for folder, files in taken.items()]
    units += attach_companions(singles, rest, recognition, left_out)
    units_in_order = []
    for name, tool, files in sorted(units, key=lambda unit: unit[0].encode("utf-8", "surrogateescape")):
        update("reading %s" % name)
        fit_members = [member for member in files if is_fit(member, left_out)]
        if len(fit_members) > MOST_FILES or sum(map(weigh_member, fit_members)) > MOST_BYTES:
            left_out.append(LeftOut(name, TOO_MUCH))
        elif fit_members:
            units_in_order.append(make_unit(name, tool, fit_members))
    return Outputs(units_in_order, sorted(left_out))


def find_folder_among(folder, folders):
    """The folder itself, or the nearest above it, that is among `folders`; None where none is."""
    while folder:
        if folder in folders:
            return folder
        folder = os.path.dirname(folder)
    return None


def attach_companions(singles, rest, recognition, left_out):
    """Units of one output each; a file that belongs to the tool of its folder goes with the folder's first output."""
    first, units = {}, []
    for member, tool in singles:
        unit = (member.name, tool, [member])
        first.setdefault(os.path.dirname(member.name), unit)
        units.append(unit)
    for member in rest:
        unit = first.get(os.path.dirname(member.name))
        if unit is not None and recognition.is_companion(member.name, unit[1]):
            unit[2].append(member)
        else:
            left_out.append(LeftOut(member.name, UNKNOWN if member.size else "empty"))
    return units


def is_fit(member, left_out):
    """Whether a file may be sent; one that may not is left out with its reason."""
    try:
        reason = LARGE if member.size > LARGEST_FILE else CREDENTIAL if has_secret(member) else ""
    except OSError as error:
        reason = "cannot be read: %s" % error.strerror
    if reason:
        left_out.append(LeftOut(member.name, reason))
    return not reason
