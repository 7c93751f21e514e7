"""Does a document belong to the results that are packed with it? What it sealed when the run ended says so."""

from collectors.document import seal, system_file
from collectors.errors import BundleError

RUN_AGAIN = "Run it again with `run --out DIR`, and pack the document that this writes."
WITHOUT = "Results alone are packed without --system."


def require_good_run(path, document):
    """Raise BundleError for a document of a run that failed, or whose record was changed since."""
    failure = system_file.failed_run(document)
    if failure:
        raise BundleError("seal.failed-run", "%s: %s." % (path, failure), "%s %s" % (RUN_AGAIN, WITHOUT))
    if document and seal.is_edited(document.get("run") or {}):
        raise BundleError(
            "seal.edited",
            "%s: times, exit status, counts or files of its run are not those that were sealed when it ended." % path,
            "Give the document as `run` wrote it. %s" % WITHOUT,
        )
    if document and seal.is_of_other_times(document.get("run") or {}, document.get("captures") or ()):
        raise BundleError(
            "seal.other-machines",
            "%s: its machines were not looked at right before and after its command: two records were mixed." % path,
            "Give the document as `run` wrote it. %s" % WITHOUT,
        )


def require_same_results(path, document, folder, files, note):
    """The seal.Comparison of a document's seal with staged results; None where nothing is sealed.

    Raises BundleError where a file is not as the command left it, or none of them is of this run.
    """
    run = (document or {}).get("run") or {}
    if "files" not in run:
        return None
    if not run["files"]:
        note("%s: the command wrote no file that was seen, so nothing ties these results to it" % path)
        return None
    comparison = seal.Comparison(run["files"], files)
    if comparison.changed:
        names = seal.shown_names([file.name for _entry, file in comparison.changed])
        entry, file = comparison.changed[0]
        raise BundleError(
            "seal.changed",
            "%s in %s is not as the command left it: sealed %d bytes, sha256 %s...;"
            " there are %d bytes, %s... (%s ended %s)."
            % (
                names,
                folder,
                entry["bytes"],
                entry["sha256"][:12],
                file.size,
                file.sha256[:12],
                run["command"],
                run["ended"],
            ),
            "Pack the files as they were written, with the document of their own run. %s" % WITHOUT,
        )
    if not comparison.same and not comparison.longer:
        raise BundleError(
            "seal.other-result",
            "%s is of another result: none of the %d files that %s wrote by %s is in %s (the first is %s)."
            % (path, len(run["files"]), run["command"], run["ended"], folder, run["files"][0]["path"][-80:]),
            "Give the document of this run. If the command writes elsewhere: `run --results DIR`. %s" % WITHOUT,
        )
    for _entry, file in comparison.longer:
        note("%s: what the command wrote is in it, and %d bytes more" % (file.name, file.size - _entry["bytes"]))
    if comparison.unsealed:
        names = seal.shown_names([file.name for file in comparison.unsealed])
        note("%d files were not written by the command that %s describes: %s" % (len(comparison.unsealed), path, names))
    if comparison.absent:
        names = seal.shown_names([entry["path"] for entry in comparison.absent])
        note("%d files that the command wrote are not in %s: %s" % (len(comparison.absent), folder, names))
    return comparison


def carried_over(run, comparison, pairs):
    """The run as it leaves: sealed files under the names and hashes that they leave with; of others no name."""
    after = {before.name: packed for before, packed in pairs}
    matched = [(entry, file, after.get(file.name)) for entry, file in comparison.same + comparison.longer]
    return seal.carried_over(run, [match for match in matched if match[2] is not None])
