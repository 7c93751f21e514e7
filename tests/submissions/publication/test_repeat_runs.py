"""Several runs of one configuration in one archive: one is ranked, all of them tell how sure its numbers are."""

from __future__ import annotations

from datetime import datetime

import pytest

from registry.models import Measurement, RankRange, Result
from submissions.checks import processing
from submissions.models import Submission
from submissions.review import decisions
from tests.make_io500 import make_run, pack


@pytest.fixture
def published(cast, release, submitted, tmp_path):
    """The result of `runs`, of which the number `primary` counts, on lists that a single faster run leads."""

    def make(runs: list[dict[str, bytes]], primary: int = 0) -> Result:
        content = pack(
            tmp_path / "runs.tar.gz", {path: text for run in runs for path, text in run.items()}
        ).read_bytes()
        submission = Submission.objects.get(pk=cast.alice.upload(content).json()["id"])
        processing.check_submission(str(submission.pk))
        submission.refresh_from_db()
        submit_options = {
            "acknowledge_rules": True,
            "acknowledge_publication": True,
            "lists": ("full",),
            "primary": primary,
        }
        decisions.submit_run(submission, cast.alice.account, release=release.slug, **submit_options)
        for entrant in (submission, submitted(cast.charlie, ("full",), performance=1.15)):
            entrant.refresh_from_db()
            decisions.decide_run(entrant, cast.dana.account, "accept", "Sound.", reproducibility="fully")
        assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
        submission.refresh_from_db()
        return submission.result

    return make


def io500(*performances: float, **changes) -> list[dict[str, bytes]]:
    """Runs at different times, in that order."""
    return [
        make_run(performance=times, started=datetime(2025, 10, day, 9), **changes)
        for day, times in enumerate(performances, 1)
    ]


def ranges() -> list[tuple[int, int, int]]:
    rank_ranges = RankRange.objects.filter(entry__ranked_list__name="full").order_by("entry__position")
    return list(rank_ranges.values_list("entry__rank", "low", "high"))


def test_the_spread_of_an_archive_is_that_of_its_published_run(cast, published) -> None:
    """Three runs that vary by 10 %: of the single run ahead nothing is known, so that ranks go by scores alone."""
    result = published(io500(1.0, 1.1, 0.9), primary=1)
    result_body = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    score, *others = result_body["repeats"]
    assert (score["op"], score["runs"], score["values"][1]) == ("score", 3, result.score)
    assert [value / result.score for value in score["values"]] == pytest.approx([1 / 1.1, 1, 0.9 / 1.1], rel=1e-5)
    assert score["deviation_percent"] == pytest.approx(10, rel=1e-4)
    easy = next(row for row in others if (row["op"], row["quantity"]) == ("ior-easy-write", "bandwidth"))
    assert easy["values"] == pytest.approx([48.25 * 2**30, 48.25 * 1.1 * 2**30, 48.25 * 0.9 * 2**30], rel=1e-5)
    assert ranges() == [(2, 2, 2)]
    first = Result.objects.exclude(pk=result.pk).get()
    compared = cast.stranger.get(f"/api/v1/compare/?results={result.public_id},{first.public_id}").json()
    row = next(row for row in compared["measurements"] if row["op"] == "score")
    assert [spread["runs"] for spread in row["spreads"]] == [3, None]
    assert (row["intervals"], row["interval_basis"]) == ([None, None], [None, None])
    under = cast.stranger.get(f"/api/v1/results/{result.public_id}/distributions/").json()["results"]
    over_runs = next(row for row in under if (row["op"], row["quantity"]) == ("ior-easy-write", "bandwidth"))
    assert (over_runs["over"], over_runs["members"]) == ("runs", easy["values"])
    page = cast.stranger.get(f"/results/{result.public_id}/").content.decode()
    assert "3 runs of this configuration in its archive" in page
    assert "Relative deviation: score = 10.0\N{NO-BREAK SPACE}%; bandwidth = 10.0" in page
    assert ">48.25; 53.08; 43.42 GiB/s<" in page
    alone = cast.stranger.get(f"/results/{first.public_id}/")
    assert "of this configuration in its archive" not in alone.content.decode()
    assert cast.stranger.get(f"/api/v1/results/{first.public_id}/").json()["repeats"] == []


def test_two_runs_have_no_spread(cast, published) -> None:
    result = published(io500(1.0, 1.1), primary=1)
    repeats = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()["repeats"]
    assert {(row["runs"], row["deviation_percent"]) for row in repeats} == {(2, None)}
    assert ranges() == []


def test_runs_of_other_settings_are_no_repeats(published) -> None:
    runs = [*io500(1.0), *io500(1.1, 0.9, folder="results/other", options={("ior-easy", "transferSize"): "4m"})]
    result = published(runs)
    assert result.repeated_scores == {}
    assert not Measurement.objects.filter(result=result).exclude(repeats=None).exists()


def test_only_numbers_of_other_runs_are_published(cast, published) -> None:
    runs = [
        {f"Zfolder-{number}/{path}": text for path, text in run.items()} for number, run in enumerate(io500(1, 2, 3))
    ]
    result = published(runs, primary=2)
    result_body = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    assert "Zfolder" not in str([result_body["repeats"], result_body["measurements"]])
    value_types = {type(value) for row in result_body["repeats"] for value in row["values"]}
    assert value_types == {float}
