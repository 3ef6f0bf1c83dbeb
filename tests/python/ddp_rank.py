"""One of two processes that train with DistributedDataParallel and gloo: ddp_rank.py RANK STORE. Rank 0 prints, for a network
alone and for it with each option, the sizes of all allocations (positive) and frees (negative) in order."""

import json
import sys
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile


def network() -> nn.Module:
    return nn.Sequential(nn.BatchNorm2d(3, track_running_stats=True), nn.ReLU(), nn.Flatten(), nn.Linear(768, 600), nn.ReLU(),
                         nn.Linear(600, 7))


def events(wrap) -> list:
    with tempfile.TemporaryDirectory() as folder:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            model = wrap(network())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
            inputs = torch.zeros(2, 3, 16, 16)
            for _ in range(3):
                model(inputs).mean().backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        found = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("name") == "[memory]"]
    found.sort(key=lambda event: (event["ts"], event["args"]["Ev Idx"]))
    return [int(event["args"]["Bytes"]) for event in found]


def peak(sizes: list) -> int:
    total = highest = 0
    for size in sizes:
        total += size
        highest = max(highest, total)
    return highest


def lowest(wrap) -> list:
    """Of several trainings: what gloo's own threads free, after the last use elsewhere, the profiler does not see."""
    return min((events(wrap) for _ in range(5)), key=peak)


def main(rank: int, store: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    said = {"alone": lowest(lambda model: model), "ranks": lowest(DistributedDataParallel),
            "views": lowest(lambda model: DistributedDataParallel(model, gradient_as_bucket_view=True))}
    if rank == 0:
        print(json.dumps(said))
    dist.barrier()
    dist.destroy_process_group()


main(int(sys.argv[1]), sys.argv[2])
