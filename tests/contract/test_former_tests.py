"""No test of the last landed release is lost: each is there, under its name, or named here with the reason."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RENAMED = [line.split() for line in (Path(__file__).parent / "renamed_tests.txt").read_text().splitlines()]
"""Pairs: the former name and that of today; a name that stood in two files has two."""
FORMER = set((Path(__file__).parent / "former_tests.txt").read_text().split())
NO_PRIOR = "a range rests on three repeats or is absent (decision 31): test_uncertainty.py, test_comparison.py"
BY_REFERENCE = "a secret costs a reference of one account (decision 35); test_quarantine.py holds that"
OFFLINE = "the single file carries the rules (decision 32); test_collector_validate.py holds what it says instead"
GONE = {
    "test_a_backup_does_not_miss_what_was_refused": BY_REFERENCE,
    "test_gzip_that_holds_no_tar_stays_a_file": "it is opened (decision 37): test_compressed.py",
    "test_surveys_in_one_file_are_told_apart_and_do_not_count": "they count (decision 37): ..._apart_by_their_lines",
    "test_a_missing_bundle_stops_a_backup_and_leaves_no_file": "a backup saves the rest, ends with 3: test_backup.py",
    "test_a_profile_has_each_ratio_with_its_interval_and_marks_ties": NO_PRIOR,
    "test_a_ratio_of_single_runs_has_the_interval_of_the_prior": NO_PRIOR,
    "test_a_single_measurement_has_its_interval_and_the_chart_draws_it": NO_PRIOR,
    "test_a_single_run_has_the_prior_and_a_time_has_none": NO_PRIOR,
    "test_an_edition_is_not_served_for_long_after_a_change": "it is, until the next is whole (decision 120)",
    "test_bytes_that_came_a_moment_before_the_refusal_go_with_it": BY_REFERENCE,
    "test_entries_that_can_not_be_told_apart_share_their_range_and_keep_their_rank": NO_PRIOR,
    "test_entries_that_overlap_share_their_ranks_and_others_do_not": NO_PRIOR,
    "test_every_published_archive_goes_through_upload_worker_and_api": "renamed test_published_archives_go_...",
    "test_published_lists_have_ranges_around_their_ranks": NO_PRIOR,
    "test_the_module_of_a_cray_counts_more_than_an_installed_open_mpi": "what is installed does not count: test_job.py",
    "test_the_prior_is_the_90th_percentile_of_the_published_sets": NO_PRIOR,
    "test_the_prior_stands_for_rates_and_scores_only": NO_PRIOR,
    "test_the_same_bytes_again_are_refused_at_once_whoever_sends_them": BY_REFERENCE,
    "test_the_profile_of_a_result_leaves_out_phases_without_a_median": "the server draws it: test_page_lead.py",
    "test_the_site_says_which_service_hangs": "/healthz names the database only (decision 27); test_outage.py",
    "test_two_single_runs_are_told_apart_from_three_percent_on": NO_PRIOR,
    "test_validators_know_no_django": "one rule for all libraries: test_validators_need_the_standard_library_...",
    "test_values_of_repeats_are_canonical_whatever_their_label_says": "repeats need known settings (decision 30)",
    "test_with_the_rules_installed_they_are_run": OFFLINE,
    "test_without_the_rules_it_says_that_none_was_run": OFFLINE,
    "test_without_the_rules_the_json_has_the_shape_of_a_check": OFFLINE,
}


def current() -> set[str]:
    return {
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_former_test_is_there_or_explained() -> None:
    assert FORMER - current() - set(GONE) - {former for former, _ in RENAMED} == set()


def test_explained_tests_are_gone() -> None:
    assert set(GONE) & current() == set()
    assert set(GONE) <= FORMER


def test_renamed_tests_are_there_under_their_new_names() -> None:
    assert {today for _, today in RENAMED} - current() == set()
    assert {former for former, _ in RENAMED} <= FORMER - current() - set(GONE)
