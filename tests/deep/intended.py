"""The table of differences that are meant between the earlier release and this checkout.

A new line needs a reason that a reader of the changelog accepts, and the narrowest patterns that do. Once the drill
begins with a later release (earlier_release.RELEASE), the table is empty again. A drill names lines that cover nothing.
"""

from __future__ import annotations

import re
from typing import Any

from tests.deep.differences import NEW_ROW, NOTHING, Intended


def became_null(before: Any, now: Any) -> bool:
    return before is not None and now is None


def became_nothing(before: Any, now: Any) -> bool:
    return before != NOTHING and now == NOTHING


def became_empty(before: Any, now: Any) -> bool:
    return before not in (None, "", NOTHING) and now == ""


def became_known(before: Any, now: Any) -> bool:
    return before in (None, "") and now not in (None, "", NOTHING)


def was_zero(before: Any, now: Any) -> bool:
    return isinstance(before, dict) and before["printed_value"] == 0 and now == NOTHING


def is_new_row(before: Any, now: Any) -> bool:
    return before == NOTHING and now == NEW_ROW


def is_neither_better(before: Any, now: Any) -> bool:
    return before in ("higher", "lower") and now == "none"


def became_exact(before: Any, now: Any) -> bool:
    """A number with the digits that a list leaves out."""
    try:
        old, new = float(before), float(now)
    except (TypeError, ValueError):
        return False
    places = len(str(before).removesuffix(".0").partition(".")[2])
    return abs(new - old) <= 0.5001 * 10.0**-places or abs(new - old) <= 1e-4 * abs(old)


def became_exact_in_other_unit(before: Any, now: Any) -> bool:
    """As `became_exact`, of a number in B/s or operations/s that is printed in GiB/s or kIOPS."""
    in_units = [(round(float(before) / unit, 9), float(now) / unit) for unit in (1.0, 1e3, 2.0**30)]
    return any(became_exact(old, new) for old, new in in_units)


def became_derived(before: Any, now: Any) -> bool:
    return (before, now) == ("imported", "derived")


def is_of_archive(before: Any, now: Any) -> bool:
    return isinstance(now, str) and now.startswith("Raw files published by IO500, submission ")


def grew(before: Any, now: Any) -> bool:
    return isinstance(before, int | float) and isinstance(now, int | float) and now > before


def became_true(before: Any, now: Any) -> bool:
    return (before, now) == (False, True)


def has_more_columns(before: Any, now: Any) -> bool:
    """A table in CSV each line of which goes on where it ended."""
    lines = list(zip(before.splitlines(), now.splitlines(), strict=True))
    return all(new.startswith(f"{old},") for old, new in lines)


def has_the_same_numbers(before: Any, now: Any) -> bool:
    """A text with other words about the same figures."""
    return isinstance(now, str) and re.findall(r"\d+", str(before)) == re.findall(r"\d+", now)


MOMENTARY = (
    Intended("* tokens/", "*.last_used_at", "each call is a use"),
    Intended("* submissions/*/receipt/", "answer.receipt.issued_at", "a receipt is issued when it is asked for"),
    Intended("* submissions/*/receipt/", "answer.signature", "it signs the moment, too"),
)
"""Differences between any two looks at one registry."""

OWN_CODE = "a webhook that is not there has a code of its own, not that of submissions"
NO_DIGEST = Intended(
    "anybody results/*/",
    "answer.bundle_sha256",
    "the digest of the bundle of an anonymous result is not published",
    became_empty,
)
"""The migration empties it, so that the earlier release shows none on the new schema, either."""

PLAIN = "refusals and meanings are worded plainly; their codes stay"
NO_REPEATS = "a value without repeats has no interval"

RANKED_BY_SCORE = "ranks of lists are a range only for equal scores, or measured repeats"
LOADED_ANEW = "imported history is loaded anew where the code that loads it changed"
BOUNDS = "a bound of a source stays a bound, in words and in charts"
UNKNOWN_SCALE = "runs of unknown scale or settings join no series"
NOT_MEASURED = "a phase that a list prints as 0 was not measured"
MLPERF_3 = "MLPerf Storage 3.0 is in the record, with a platform of its own for K3000"
SHARES = "a run of IO500 says where the time of its phases went"
ONE_ORDER = "lists of releases of one month stand in one order, by their names"
FORMS = "more forms and versions of an output are read, and the table of benchmarks lists them"
SCOPES = "a phase that versions measure otherwise compares only where what it depends on is known and equal"
FACTS = "a fact is read where it is true: the table of CPTs, the MPI that was run, the version of IOR alone"
EVIDENCE = "a run that moves more bytes than its times allow contradicts itself"
NO_FOLDERS = "an outcome names no folder of the site"
CITED_AS_READ = "what was read from raw files is cited as derived, also where its rank is of an imported list"
NEVER_ALONE = "a sentence that says verified says how many rules are violated, too"
LABELS = "facts have labels that people read"
NEWER_RULES = "the rules have a newer version"
NO_PHASE = "the line of time stamps is no phase"
AMOUNTS = "more of an amount is neither better nor worse, and one table of quantities says so"
REDRAWN = "a chart has lines only for what was repeated, and another mark for what was not"
ONE_NAME = "names that a source proves to be one are one institution, system or platform; former addresses redirect"
PLATFORMS = "the eight MLPerf results of HPE have their platform"
SAMPLED = "every so manieth system is looked at, and there are fewer"
ARCHIVES = "client nodes are those of the archive where a list prints none"

OTHER_LISTS = "nobody has to decide about a rule of lists alone for which a run was not submitted"

DERIVED = "what a published archive says stands in place of a list's rounded figures, and of what the list leaves out"
BY_RECIPE = "the recipe of the run answers what nobody typed"
CONDITIONS = "conditions of reported runs are recorded: stripes, transfer sizes, seconds, clients"
ONE_TRUST = "a series is of one level of trust, and some results of former series are derived now"
UNLIKE = "measurements that differ in what moves the number have no single value"
GROUPS = "each row of a ranking says in which group it has its rank"
MATCHED = "a factor is between results of equal scale and options; all else stands apart"
ONE_CEILING = "one unit has one ceiling: the rate of its drive as measured"
SWEEP = "version 2 of the standard sweep reads clients that a source counts as so many or more"
FORBIDDEN = "what a source forbids to compare has no ratio"

INTENDED = (
    *(
        line
        for where, row in (
            ("anybody results/*", "answer."),
            ("anybody results/*", "answer.results.*."),
            ("export results.*", "*"),
            ("export record.sqlite", "results.*."),
        )
        for line in (
            Intended(where, f"{row}score", DERIVED, became_exact),
            Intended(where, f"{row}bandwidth_gib_per_s", DERIVED, became_exact),
            Intended(where, f"{row}rate_kiops", DERIVED, became_exact),
            Intended(where, f"{row}trust", DERIVED, became_derived),
            Intended(where, f"{row}source", DERIVED, is_of_archive),
            Intended(where, f"{row}mode", DERIVED, became_known),
            Intended(where, f"{row}tool_version", DERIVED, became_known),
            Intended(where, f"{row}tasks", DERIVED, became_known),
            Intended(where, f"{row}client_nodes", DERIVED, became_known),
        )
    ),
    *(
        line
        for where in ("anybody results/*/", "export results.*", "export record.sqlite")
        for line in (
            Intended(where, "*measurements.*printed_value", DERIVED, became_exact),
            Intended(where, "*measurements.*.value", DERIVED, became_exact_in_other_unit),
            Intended(where, "*measurements.*", DERIVED, is_new_row),
            Intended(where, "*measurements.* phase *", DERIVED, became_nothing),
            Intended(where, "*perlmutter-table1*", CONDITIONS),
            Intended(where, "*measurements.*(order)", DERIVED),
        )
    ),
    Intended("anybody results/*", "", SAMPLED, became_nothing),
    Intended("anybody sites/*", "answer.best.*.score", DERIVED, grew),
    Intended("anybody systems/*", "answer.best.*.score", DERIVED, grew),
    Intended("anybody ranking*", "answer.rows.*", DERIVED, is_new_row),
    Intended("* steps/", "answer.results.*", ONE_TRUST, became_nothing),
    Intended("anybody study/*", "answer.points", DERIVED, grew),
    Intended("anybody study/*/", "answer.results.*.metric", DERIVED),
    Intended("anybody stud*", "answer.rows.*.q1", UNLIKE, became_null),
    Intended("anybody stud*", "answer.rows.*.q3", UNLIKE, became_null),
    Intended("anybody stud*", "answer.rows.*.value", UNLIKE, became_null),
    Intended("commands", "the Python client.study.rows.*.q1", UNLIKE, became_null),
    Intended("commands", "the Python client.study.rows.*.q3", UNLIKE, became_null),
    Intended("commands", "the Python client.study.rows.*.value", UNLIKE, became_null),
    Intended("commands", "the Python client.studies.*", "there are more studies"),
    Intended("commands", "the Python client.results.*", "the newest results are others, as there are more"),
    Intended("anybody studies/*/", "answer.trust.reported", DERIVED, grew),
    Intended("anybody studies/*/", "answer.metrics.*", DERIVED),
    Intended("anybody results/cug25-*/", "answer.facts.notes.*", CONDITIONS),
    Intended("anybody results/perlmutter-table1/", "answer.measurements.*", CONDITIONS, became_nothing),
    Intended("export record.sqlite", "results.*.parameters", CONDITIONS),
    Intended("* submissions/*/answers/", "answer.lists.*.missing.*.question", BY_RECIPE),
    Intended("* submissions/*/answers/", "answer.lists.*.missing.*", BY_RECIPE, became_nothing),
    Intended("* submissions/*/answers/", "answer.questions.*.evidence.*", BY_RECIPE, is_new_row),
    Intended("* submissions/*/answers/", "answer.questions.*.lacking", BY_RECIPE),
    Intended("* submissions/*/answers/", "answer.questions.*.source", BY_RECIPE, became_known),
    Intended("* submissions/*/answers/", "answer.questions.*.value", BY_RECIPE, became_known),
    Intended("anybody export/", "answer.results.results.*.gz", "text lies ready compressed, too", is_new_row),
    Intended("anybody results/*/", "answer.findings.*", DERIVED, is_new_row),
    Intended("anybody results/*/", "answer.facts.notes.*", CONDITIONS, is_new_row),
    Intended("anybody results/*", "answer.results.*", DERIVED, is_new_row),
    Intended("anybody s*/*", "answer.results.*", DERIVED, is_new_row),
    Intended("anybody s*/*", "answer.best.*.score", DERIVED, became_exact),
    Intended("anybody platforms/*/", "answer.best.*.score", DERIVED, became_exact),
    Intended("anybody s*/*", "answer.best.*", DERIVED, is_new_row),
    Intended("anybody s*/*", "answer.best.*.results", DERIVED, grew),
    Intended("export record.sqlite", "results.*", DERIVED, is_new_row),
    Intended("export record.sqlite", "sites.*", DERIVED, is_new_row),
    Intended("export record.sqlite", "systems.*", DERIVED, is_new_row),
    Intended("* lists/*", "answer.entries.*.tasks", DERIVED, became_known),
    Intended("anybody ranking/?formula=score&trust=imported", "answer.rows.*", DERIVED, became_nothing),
    Intended("anybody ranking/?formula=score&trust=imported", "answer.rows.*.rank", DERIVED),
    Intended("anybody ranking/?formula=score&trust=imported", "answer.counts.imported.ranked", DERIVED),
    Intended("anybody ranking*", "answer.columns.*", GROUPS, is_new_row),
    Intended("anybody stud*", "answer.trust.imported", DERIVED),
    Intended("anybody generations/*/", "answer.order.*", MATCHED),
    Intended("anybody generations/*/", "answer.rows.*", MATCHED),
    Intended("anybody results/*/ceilings/", "answer.results.*.factors.*", ONE_CEILING),
    Intended("anybody systems/*/sweep/", "answer.sweep.notes.*", SWEEP),
    Intended("anybody systems/*/sweep/", "answer.sweep.version", SWEEP),
    Intended("anybody compare/?results=sc23-bof-gpudirect*", "answer.measurements.*.differs.*", FORBIDDEN),
    Intended("anybody compare/?results=sc23-bof-gpudirect*", "answer.measurements.*.ratios.*", FORBIDDEN, became_null),
    Intended("* lists/*", "answer.entries.*.system_slug", ONE_NAME),
    Intended("* lists/*", "answer.entries.*.institution_slug", ONE_NAME),
    Intended("anybody ranking/*", "answer.rows.*.system_slug", ONE_NAME),
    Intended("anybody results/*", "*system_slug", ONE_NAME),
    Intended("anybody results/*", "*institution_slug", ONE_NAME),
    Intended("export *", "*system_slug", ONE_NAME),
    Intended("export *", "*institution_slug", ONE_NAME),
    Intended("anybody sites/*", "answer.results.hpe", ONE_NAME, became_nothing),
    Intended("anybody sites/hpe/", "", ONE_NAME, became_nothing),
    Intended("anybody sites/*", "answer.also_printed_as.*", ONE_NAME),
    Intended("anybody sites/*", "answer.systems.*", ONE_NAME),
    Intended("anybody systems/*/history/", "", SAMPLED, became_nothing),
    Intended("anybody systems/*/sweep/", "", SAMPLED, became_nothing),
    Intended("anybody systems/*/", "", ONE_NAME, became_nothing),
    Intended("anybody systems/*", "answer.best.*", ONE_NAME, is_new_row),
    Intended("anybody systems/*", "*institution", ONE_NAME),
    Intended("anybody systems/*", "*site", ONE_NAME),
    Intended("export record.sqlite", "sites.hpe", ONE_NAME, became_nothing),
    Intended("export record.sqlite", "systems.*.site", ONE_NAME),
    Intended("export record.sqlite", "systems.*", ONE_NAME, became_nothing),
    Intended("anybody lists/*format=csv", "answer", "rows name their source in columns at the end", has_more_columns),
    Intended("anybody platforms/*", "answer.results.cray-k3000", MLPERF_3, is_new_row),
    Intended("anybody releases/*", "answer.results.MLPerf-Storage-v3.0", MLPERF_3, is_new_row),
    Intended("export record.sqlite", "platforms.cray-k3000", MLPERF_3, is_new_row),
    Intended("export record.sqlite", "releases.MLPerf-Storage-v3.0", MLPERF_3, is_new_row),
    Intended("commands", "bob validate *.tar.gz --server.printed.runs.*.measurements.* phase *", SHARES, is_new_row),
    Intended("anybody systems/*", "answer.results.*", ONE_NAME, became_nothing),
    Intended("anybody results/*", "*platform", PLATFORMS, became_known),
    Intended("anybody systems/*", "*platform", PLATFORMS, became_known),
    Intended("export *", "*platform", PLATFORMS, became_known),
    Intended("anybody platforms/*", "answer.results.cray-c500", PLATFORMS, is_new_row),
    Intended("anybody platforms/*", "answer.source", PLATFORMS),
    Intended("export record.sqlite", "platforms.cray-c500", PLATFORMS, is_new_row),
    Intended("anybody generations/*/", "answer.results", PLATFORMS),
    Intended("anybody generations/*/", "answer.single", PLATFORMS),
    Intended("anybody studies/*/", "answer.points", ARCHIVES),
    Intended("anybody studies/*/", "answer.rows.*", ARCHIVES),
    Intended("anybody study/*per=client", "answer.rows.*", ARCHIVES),
    Intended("anybody study/*per=client", "answer.missing", ARCHIVES),
    Intended("anybody study/*per=client", "answer.trust.imported", ARCHIVES),
    Intended("anybody study/*/", "answer.results.*.reads.*", ARCHIVES, is_new_row),
    Intended("anybody study/*/", "answer.results.*@archive", ARCHIVES, is_new_row),
    Intended("anybody study/*/", "answer.results.*@system", ARCHIVES, is_new_row),
    Intended("anybody results/*client_nodes*", "answer.results.*", ARCHIVES, is_new_row),
    Intended("* submissions/*/files/received/", "answer.detail", "a draft without a file says that it has none yet"),
    Intended(
        "* submissions/*/versions/", "answer.results.*.check.warnings", "findings of the scrubbed copy count, too"
    ),
    Intended("anybody benchmarks/", "answer.results.*.operations.*.better", AMOUNTS, is_neither_better),
    Intended("anybody compare/*", "answer.measurements.*.intervals.*", NO_REPEATS, became_null),
    Intended("anybody compare/*", "answer.measurements.*.spreads.*.deviation_percent", NO_REPEATS, became_null),
    Intended("commands", "the Python client.compare.measurements.*.intervals.*", NO_REPEATS, became_null),
    Intended(
        "commands", "the Python client.compare.measurements.*.spreads.*.deviation_percent", NO_REPEATS, became_null
    ),
    Intended("anybody lists/*", "*frozen_at", LOADED_ANEW),
    Intended("anybody releases/*", "*frozen_at", LOADED_ANEW),
    Intended("anybody lists/*", "answer.entries.*.rank_low", RANKED_BY_SCORE),
    Intended("anybody lists/*", "answer.entries.*.rank_high", RANKED_BY_SCORE),
    Intended("anybody results/*/", "answer.lists.*.rank_low", RANKED_BY_SCORE),
    Intended("anybody results/*/", "answer.lists.*.rank_high", RANKED_BY_SCORE),
    Intended("export record.sqlite", "list_entries.*.rank_low", RANKED_BY_SCORE),
    Intended("export record.sqlite", "list_entries.*.rank_high", RANKED_BY_SCORE),
    Intended("anybody results/*", "answer.*measurements.mdtest-hard-read *", NOT_MEASURED, was_zero),
    Intended("export *", "*measurements.mdtest-hard-read *", NOT_MEASURED, was_zero),
    Intended("anybody stud*", "answer.chart.*", REDRAWN),
    Intended("anybody stud*", "answer.columns.*", "columns are found by name: there are more, such as interval_basis"),
    Intended("anybody studies/*/", "answer.rows.*.inputs", BOUNDS),
    Intended("anybody systems/*/history/", "answer.single", UNKNOWN_SCALE),
    Intended("anybody systems/*/history/", "answer.series.*", UNKNOWN_SCALE),
    Intended("anybody stud*", "*.interval_low", NO_REPEATS, became_null),
    Intended("anybody stud*", "*.interval_high", NO_REPEATS, became_null),
    Intended("commands", "the Python client.study.rows.*.interval_low", NO_REPEATS, became_null),
    Intended("commands", "the Python client.study.rows.*.interval_high", NO_REPEATS, became_null),
    Intended("anybody benchmarks/", "answer.results.elbencho.files.*.contains.*", FORMS),
    Intended("anybody benchmarks/", "answer.results.fio.description", FORMS),
    Intended("anybody benchmarks/", "answer.results.fio.files.*.contains.*", FORMS),
    Intended("anybody benchmarks/", "answer.results.MLPerf Storage.*", FORMS),
    Intended("anybody benchmarks/", "answer.results.IO500.versions.*.scope", SCOPES),
    Intended("anybody compare/*", "answer.measurements.ior-rnd4K-easy-read *.differs.*", SCOPES),
    Intended("anybody compare/*", "answer.measurements.ior-rnd4K-easy-read *.ratios.*", SCOPES, became_null),
    Intended("anybody compare/*", "answer.notes.*", SCOPES, is_new_row),
    Intended("commands", "the Python client.compare.measurements.ior-rnd4K-easy-read *.differs.*", SCOPES),
    Intended("commands", "the Python client.compare.measurements.ior-rnd4K-easy-read *.ratios.*", SCOPES, became_null),
    Intended("commands", "the Python client.compare.notes.compare.other-meaning", SCOPES, is_new_row),
    Intended("anybody parameters/", "answer.results.cpu.l3_domains.*", FACTS),
    Intended("anybody parameters/", "answer.results.mpi.implementation.*", FACTS),
    Intended("anybody parameters/", "answer.results.ior.version.meaning", FACTS),
    Intended("anybody study/*/", "answer.results.cpt.reads.*", FACTS),
    Intended(
        "anybody study/*/", "answer.results.tasks.reads.*", "client processes have one axis, whatever a tool calls them"
    ),
    Intended("anybody rules/", "answer.version", NEWER_RULES),
    Intended("* submissions/*/receipt/", "answer.receipt.issued_by", NEWER_RULES),
    Intended("* submissions/*/rubric/", "answer.rules.*.settled", OTHER_LISTS, became_true),
    Intended("* submissions/*/rubric/", "answer.rules.(order)", OTHER_LISTS),
    Intended("* submissions/*/rubric/", "answer.settled", OTHER_LISTS, grew),
    Intended("anybody results/io500-*/", "answer.lists.(order)", ONE_ORDER),
    Intended("anybody rules/", "answer.results.mlperf-storage.utilisation.text", FORMS),
    Intended("commands", "bob validate *.tar.gz --server.printed.runs.*.findings.*", EVIDENCE, is_new_row),
    Intended("commands", "bob validate *.tar.gz --server.printed.runs.*.rules.system.seal", EVIDENCE, is_new_row),
    Intended("commands", "bob validate *.tar.gz --server.printed.runs.*.measurements.timestamp *", NO_PHASE),
    Intended("commands", "bob validate *.tar.gz --server.printed.runs.*.rules.io500.one-run.why", NO_FOLDERS),
    Intended("commands", "bob validate fjord.tar.gz --server.printed.status", EVIDENCE),
    Intended("commands", "bob validate fjord.tar.gz --server.status", EVIDENCE),
    Intended("*", "answer.title", PLAIN),
    Intended("*", "answer.detail", PLAIN),
    Intended("anybody parameters/", "answer.results.*.meaning", PLAIN),
    Intended("anybody parameters/", "answer.results.*.note", PLAIN),
    Intended("anybody parameters/", "answer.results.*.privilege_note", PLAIN),
    Intended("* submissions/*/answers/", "answer.proposal.items.*.why", PLAIN, has_the_same_numbers),
    Intended("* submissions/*/answers/", "answer.proposal.next_level", PLAIN, has_the_same_numbers),
    Intended("* submissions/*/", "answer.findings.bundle.personal.message", PLAIN, has_the_same_numbers),
    Intended("* submissions/*/findings/", "answer.results.bundle.personal.message", PLAIN, has_the_same_numbers),
    Intended("commands", "*.printed.findings.bundle.personal.message", PLAIN, has_the_same_numbers),
    *(Intended("* webhooks/*/", f"answer.{name}", OWN_CODE) for name in ("code", "hint", "type")),
    NO_DIGEST,
    Intended("anybody lists/*/citation/", "answer.sentence", NEVER_ALONE),
    Intended("anybody results/*/citation/", "answer.sentence", NEVER_ALONE),
    Intended("anybody results/*/citation/", "answer.trust", CITED_AS_READ, became_derived),
    Intended("anybody studies/*/", "answer.axes.*.title", LABELS),
    Intended("anybody study/axes/", "answer.results.*.title", LABELS),
    Intended("anybody studies/", "answer.results.*.title", "titles of studies are questions"),
)
