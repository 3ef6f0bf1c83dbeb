"""What PyTorch's own DistributedDataParallel allocates with gloo, against what `predict --ranks` says."""

import difflib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch.distributed as dist

from highwatermark import program

LINEAR = [(768, 600), (600, 7)]
PARAMETERS = 4 * (2 * 3 + sum(rows * columns + columns for rows, columns in LINEAR))
BUFFERS = 4 * 2 * 3  # batch_norm's running mean and variance
FIRST_BUCKET = PARAMETERS - 4 * 2 * 3  # more than 1 MiB: what backward reaches before batch_norm


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    if not (dist.is_available() and dist.is_gloo_available()):
        pytest.skip("this torch has no gloo")
    store = tmp_path_factory.mktemp("ranks") / "store"
    rank = [sys.executable, "-B", str(Path(__file__).with_name("ddp_rank.py"))]
    other = subprocess.Popen([*rank, "1", str(store)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        done = subprocess.run([*rank, "0", str(store)], capture_output=True, text=True, timeout=300, check=True)
        other.wait(60)
    finally:
        other.kill()
        other.wait()
    return json.loads(done.stdout.strip().splitlines()[-1])


def peak(events):
    total = highest = 0
    for change in events:
        total += change
        highest = max(highest, total)
    return highest


def added(measured, way):
    """What the ranks allocate and free beside what one process does, the few bytes of scalars and shapes left out."""
    alone, ranks = measured["alone"], measured[way]
    changes = difflib.SequenceMatcher(None, alone, ranks, False).get_opcodes()
    return [size for kind, _, _, begin, end in changes if kind in ("insert", "replace") for size in ranks[begin:end]
            if abs(size) > 1000]


def predicted(tmp_path, *options):
    path = tmp_path / "net.json"
    path.write_text(json.dumps({
        "schema": "highwater.experiment/1", "input": {"synthetic": [3, 16, 16]}, "loss": "mean",
        "stack": [{"type": "batch_norm"}, {"type": "relu"}, {"type": "flatten"},
                  {"type": "linear", "out_features": 600}, {"type": "relu"}, {"type": "linear", "out_features": 7}],
        "optimizer": {"type": "sgd"}, "step": {"batch_size": 2}, "backend": {"threads": 1}}))
    said = subprocess.run([program.find(), "predict", str(path), "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def test_buckets_and_broadcasts_are_the_predicted_ones(measured):
    # The copy for the first broadcast; one bucket; in the second step it makes room for two.
    assert added(measured, "ranks") == [PARAMETERS + BUFFERS, -(PARAMETERS + BUFFERS), PARAMETERS, -PARAMETERS, FIRST_BUCKET]


@pytest.mark.parametrize("way, options", [("ranks", []), ("views", ["--gradient-as-bucket-view"])])
def test_a_rank_needs_as_much_more_than_one_process_as_predicted(measured, tmp_path, way, options):
    alone, ranks = predicted(tmp_path), predicted(tmp_path, "--ranks", "2", *options)
    more = ranks["peak_allocated_bytes"]["expected"] - alone["peak_allocated_bytes"]["expected"]
    assert abs(peak(measured[way]) - peak(measured["alone"]) - more) <= 64  # scalars, and batch_norm's count of batches
    assert ranks["peak_by_category"]["gradients"] >= PARAMETERS
