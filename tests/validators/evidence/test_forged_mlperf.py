"""Published results of MLPerf Storage 3.0, forged: a run copied over another, sizes, epochs, ranks and times."""

import json
import re
import shutil

import pytest

from tests.validators.bench_cases import codes_of
from validators.checks import check

TRAINING = "closed/HPE/results/e2000-unet3d/training/unet3d"
CHECKPOINTS = "closed/HPE/results/e2000/checkpointing/llama3-70b"
KV_CACHE = "closed/HPE/results/K3000-kvcache/kv_cache/llama3.1-8b"
CONTRADICTED = ("inconsistent", "runs-differ", "fewer-than-5-runs")
"""A run with other accelerators is none of the five any more, and those that are left are too few."""
SEARCHES = "closed/TTA/results/seahorse-storage/vector_database/milvus/DISKANN"


@pytest.fixture
def folder_of(shared, tmp_path):
    """A copy of a published result under its path: the upload, and its summaries by time."""

    def copy(place):
        source = shared / "data" / "mlperf-v3" / "raw" / place
        shutil.copytree(source, tmp_path / place)
        return tmp_path, sorted((tmp_path / place).rglob("run/*/summary.json"))

    return copy


def forged(path, pattern, factor):
    """Multiply the first number behind a key."""
    text = path.read_text()
    match = re.search(rf'("{pattern}": *(?:\[\s*)?)([\d.]+)', text)
    number = float(match[2]) * factor
    written = repr(number) if "." in match[2] else f"{number:.0f}"
    path.write_text(text[: match.start(2)] + written + text[match.end(2) :])


@pytest.mark.real_data
@pytest.mark.parametrize("place", [TRAINING, SEARCHES])
def test_a_run_that_is_copied_over_another_is_found(folder_of, place):
    folder, summaries = folder_of(place)
    assert "mlperf-storage.run-twice" not in codes_of(check(folder))
    shutil.copy(summaries[2], summaries[3])
    assert "mlperf-storage.run-twice" in codes_of(check(folder))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("place", "key", "factor"),
    [
        (TRAINING, "train_au_mean_percentage", 1.02),
        (TRAINING, "train_throughput_mean_samples_per_second", 1.1),
        (TRAINING, "train_throughput_samples_per_second", 1.1),
        (TRAINING, "epochs", 2),
        (TRAINING, "num_files_train", 2),
        (TRAINING, "num_accelerators", 2),
        (TRAINING, "num_hosts", 2),
        (CHECKPOINTS, "save_checkpoint_io_mean_GB_per_second", 1.1),
        (CHECKPOINTS, "save_checkpoint_duration_mean_seconds", 0.9),
        (CHECKPOINTS, "checkpoint_size_GB", 1.1),
        (KV_CACHE, "total_ranks", 2),
        (KV_CACHE, "npernode", 2),
        (KV_CACHE, "host_count", 2),
        (KV_CACHE, "rank_count", 2),
        (KV_CACHE, "trial_count", 2),
        (SEARCHES, "throughput_qps", 1.1),
        (SEARCHES, "total_time_seconds", 0.9),
        (SEARCHES, "query_count", 2),
    ],
)
def test_a_forged_figure_is_contradicted(folder_of, place, key, factor):
    folder, _ = folder_of(place)
    assert "mlperf-storage.inconsistent" not in codes_of(check(folder))
    summaries = [path for path in sorted((folder / place).rglob("summary.json")) if "datagen" not in path.parts]
    path = next(path for path in reversed(summaries) if f'"{key}"' in path.read_text())
    forged(path, key, factor)
    json.loads(path.read_text())
    assert {f"mlperf-storage.{word}" for word in CONTRADICTED} & set(codes_of(check(folder)))
