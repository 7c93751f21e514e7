"""From a result folder and system documents to a bundle: what was found, what may leave, what is written."""

import json
import os

from collectors.bundle import archive_limits, benchmark_detection, offline_rules, run_seal
from collectors.bundle import redaction as bundle_redaction
from collectors.bundle.bag import REPORT, SYSTEM, BagWriter
from collectors.bundle.result_files import ResultFiles
from collectors.bundle.spool import Spool
from collectors.document import merge, system_file
from collectors.document.canonical_json import canonical
from collectors.errors import BundleError, CollectorError, NothingCollected
from collectors.privacy import pseudonyms
from collectors.scrubbing.credentials import secrets

CHECK_TIMEOUT_S = 600


class BundlePacker:
    """One bundle in the making: `bag`, and the `report` on what was taken out of it. Use it in `with`."""

    def __init__(self, profile, progress):
        self.profile = profile
        self.progress = progress
        self.before = Spool()
        self.after = Spool()
        self.bag = BagWriter(self.after)
        self.report = {}
        self.system = None

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.before.stream.close()
        self.after.stream.close()

    def make(self, results, system, others):
        """Fill the bag. `system` is the path of a document or None, `others` are those of servers' documents.

        Raises BundleError, NothingCollected or UsageError where it cannot be filled; nothing was written then.
        """
        described = describe(system, others)
        run_seal.require_good_run(system, described)
        listing = archive_limits.scan(results)
        for line in archive_limits.remarks(listing):
            self.progress.note(line)
        originals = ResultFiles(self.before)
        originals.take(listing.members)
        comparison = run_seal.require_same_results(system, described, results, originals.as_written, self.progress.note)
        described = merge.for_profile(described, self.profile) if described else None
        names = pseudonyms.of_site(self.progress.note)
        users, hosts = bundle_redaction.own_names(os.environ)
        hosts |= pseudonyms.names_of_site(merge.members(described) if described else ())
        scrubber = bundle_redaction.Scrubber(self.profile, names, users, hosts)
        redaction = scrubber.redact(originals, self.after, self.progress.update)
        if not redaction.files:
            raise NothingCollected("bundle.empty", "Nothing in %s is text that may leave." % results, "See --dry-run.")
        for line in benchmark_detection.remarks(redaction.files):
            self.progress.note(line)
        self.bag.put_results(redaction.files)
        if comparison:
            described["run"] = run_seal.carried_over(described["run"], comparison, redaction.pairs)
        if described:
            self.system = without_secrets(scrubber.document(described))
            self.bag.put(SYSTEM, text_of(self.system))
        self.report = redaction.report(self.hashes(results) if redaction.changed else [])
        self.bag.put(REPORT, (json.dumps(self.report, indent=1, sort_keys=True) + "\n").encode("ascii"))
        if self.profile == "default":
            pseudonyms.keep_names(names, self.progress.note)

    def hashes(self, results):
        """The hashes that benchmarks printed, and what they should be, as the registry's rules tell them."""
        rules = offline_rules.rules_here()
        if rules.version is None:
            self.progress.note("the benchmark's own hashes were not checked before: " + rules.missing)
            return []
        try:
            checked = offline_rules.check_here(rules.python, results, [], CHECK_TIMEOUT_S)
        except CollectorError as error:
            self.progress.note("the benchmark's own hashes were not checked before: " + error.message)
            return []
        runs = [run for run in checked.get("runs", []) if run.get("hashes")]
        return [{"tool": run["tool"], "hashes": run["hashes"]} for run in runs]


def describe(system, others):
    """The one system document of the bundle, or None."""
    if system is None:
        return None
    return merge.merge_documents(system_file.load(system), [(path, system_file.load(path)) for path in others])


def without_secrets(described):
    """The document. Raises BundleError `bundle.secret` if anything in it looks like a key, token or password."""
    for line in json.dumps(described, indent=0).splitlines():
        if secrets(line.replace('\\"', '"'), None)[1]:
            raise BundleError(
                "bundle.secret",
                "The system document holds what looks like a key, token or password.",
                "Collect again, look at it with `show`, and report how it came in.",
            )
    return described


def text_of(value):
    return (canonical(value) + "\n").encode("ascii")
