"""Every number of an output that is altered alone is found, or is one that nothing else in the output speaks of."""

from fnmatch import fnmatchcase

import pytest

from tests.validators.forged_numbers import altered, samples_of, silent_fields

ONCE = {
    "ior": {
        "latency iteration": "builds print different things under this name",
        "open_time iteration": "bounded by the time of the row, of which it is a small part",
        "close_time iteration": "bounded by the time of the row, of which it is a small part",
        "time iteration": "of a removal, which has no rate beside it",
        "time mean": "of version 2.10, which prints no rows of its own",
        "stonewall_* mean": "the stonewall is printed once",
    },
    "mdtest": {
        "rate m*": "of so many ranks and iterations that least, mean and most only bound each other",
        "rate rank_m*": "of so many ranks that least, mean and most only bound each other",
        "rate iteration": "of rank 0 alone; its seconds have three decimals",
        "rate stdev": "the number of iterations is printed beside the tables and may not be in the command",
        "time *": "of milliseconds that have one digit",
        "items m*": "how far ranks came until the stonewall is printed once",
    },
    "elbencho": {
        "time *": "whole milliseconds, of phases that took few",
        "rate *": "over whole milliseconds, of phases that took few",
        "ops *": "over whole milliseconds, of phases that took few",
        "volume *": "over whole milliseconds, of phases that took few",
        "bandwidth *": "whole MiB/s, of phases that took few milliseconds",
        "iops *": "the size of an operation is not in every form",
        "entry_latency *": "a least, a mean and a most bound each other",
        "latency *": "a least, a mean and a most bound each other",
    },
    "fio": {
        "latency m*": "least, mean and largest bound each other",
        "submission_latency m*": "least, mean and largest bound each other",
        "*latency p*": "percentiles only have to rise",
        "iops mean": "a terse line has no size of the requests, and no number of them",
        "ops total": "of synchronisations, which have no rate",
        "bandwidth mean": "of a job of few whole milliseconds",
        "time total": "of a job of few whole milliseconds",
        "volume total": "of a job of few whole milliseconds",
    },
    "mlperf_storage": {
        "samples_rate *": "a report alone, without the runs beside it",
        "bandwidth *": "before 3.0 no record length beside it; of kv_cache a summary alone is published",
        "au *": "an epoch alone, or a summary of each host",
        "time *": "before 3.0 a size of the checkpoint may be missing; deviations only bound each other",
        "token_rate mean": "of kv_cache a summary alone is published",
        "latency *": "of kv_cache and of searches one figure each, which only have to rise",
        "recall *": "without the recall of every search",
    },
}
"""By quantity and statistic, why nothing in an output contradicts another value of it."""


@pytest.mark.parametrize("slug", sorted(ONCE))
def test_an_altered_number_printed_twice_is_reported(slug, tmp_path, every_nth):
    unnamed = [
        (fields, line)
        for target, files in samples_of(slug, tmp_path)
        for fields, line in silent_fields(target, files, len(every_nth(range(40), 4)))
        for each in fields
        if not any(fnmatchcase(" ".join(each), pattern) for pattern in ONCE[slug])
    ]
    assert unnamed == []


def test_numbers_are_altered_in_the_form_that_they_had():
    assert [altered(text) for text in (b"7", b"0", b"1.50", b"0.000", b"2e3")] == [
        b"9", b"1", b"1.95", b"1.000", b"2600.000000",
    ]  # fmt: skip
