#!/usr/bin/env python3
"""Records what LibTorch's CUDA caching allocator does, as JSON lines.

    record.py random|training --out FILE [--seed N] [--operations N] [--left MiB]

The first line says what was recorded: "torch", "conf" (PYTORCH_CUDA_ALLOC_CONF), "scenario", "total" (the device's
memory, B) and "capacity" (what was free of it before the first request, B). Every further line is one operation of the
program: "op", "events" (what the allocator reported meanwhile: kind, address, bytes, stream), "stats" (the allocator's
own figures afterwards, in the order of STATS) and now and then "segments" (its snapshot: address, bytes, stream, blocks
as bytes, asked, state). Addresses count from a multiple of 2 MiB below the lowest one; streams are numbered in the
order of their handles, which is the order in which the allocator goes through them; 0 is the default stream.

Needs a torch with CUDA, else the exit status is 77, and a device, real or the pretended device of core/pretend.
"""
import argparse
import json
import os
import random
import sys

try:
    import torch
except ImportError:
    print(f"{sys.executable} has no torch")
    sys.exit(77)

MIB = 1 << 20
STATS = ["allocated_bytes.all", "active_bytes.all", "reserved_bytes.all", "requested_bytes.all",
         "inactive_split_bytes.all", "allocation.all", "active.all", "segment.all", "inactive_split.all",
         "allocated_bytes.small_pool", "reserved_bytes.small_pool", "oversize_allocations", "oversize_segments"]
COUNTS = ["num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free"]
KINDS = {"alloc": "a", "free_requested": "f", "free_completed": "c", "segment_alloc": "A", "segment_free": "F",
         "segment_map": "M", "segment_unmap": "U", "oom": "o"}
STATES = {"active_allocated": "a", "active_pending_free": "p", "active_awaiting_free": "p", "inactive": "f"}


def reported(stats):
    """How many events the allocator has reported so far."""
    return (stats["allocation.all.allocated"] + stats["allocation.all.freed"] + stats["active.all.freed"] +
            stats["num_device_alloc"] + stats["num_device_free"] + stats["num_ooms"])


class Recorder:
    def __init__(self):
        torch.cuda.init()
        self.capacity, self.total = torch.cuda.mem_get_info()
        torch.cuda.memory._record_memory_history("all", context=None, stacks="python")
        self.lines = []

    def note(self, operation, segments=False):
        stats = torch.cuda.memory_stats()
        line = {"op": operation, "until": reported(stats),
                "stats": [stats[name + ".current"] for name in STATS] + [stats[name] for name in COUNTS]}
        if segments:
            line["segments"] = torch.cuda.memory_snapshot()
        self.lines.append(line)

    def peaks(self):
        stats = torch.cuda.memory_stats()
        return [stats[name + ".peak"] for name in STATS]

    def write(self, path, scenario):
        self.note("end", segments=True)
        peaks = self.peaks()
        trace = [e for e in torch.cuda.memory._snapshot()["device_traces"][0] if e["action"] != "snapshot"]
        if len(trace) != self.lines[-1]["until"]:
            raise SystemExit(f"{len(trace)} events for {self.lines[-1]['until']} that the statistics count")
        streams = {stream: i for i, stream in enumerate(sorted({0} | {e["stream"] for e in trace}))}
        base = min((e["addr"] for e in trace if e["action"].startswith("segment_")), default=0) // (2 * MIB) - 1

        def event(e):
            where = e["device_free"] if e["action"] == "oom" else e["addr"] - base * 2 * MIB
            return [KINDS[e["action"]], where, e["size"], streams[e["stream"]]]

        def segment(s):
            blocks = [[b["size"], b["requested_size"] if b["state"] != "inactive" else 0, STATES[b["state"]]]
                      for b in s["blocks"]]
            return [s["address"] - base * 2 * MIB, s["total_size"], streams[s["stream"]], blocks]

        with open(path, "w") as out:
            def write(value):
                out.write(json.dumps(value, separators=(",", ":")) + "\n")

            write({"torch": torch.__version__, "conf": os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""),
                   "device": torch.cuda.get_device_name(), "scenario": scenario, "total": self.total,
                   "capacity": self.capacity, "peaks": peaks})
            done = 0
            for line in self.lines:
                until = line.pop("until")
                line["events"] = [event(e) for e in trace[done:until]]
                done = until
                if "segments" in line:
                    line["segments"] = [segment(s) for s in sorted(line["segments"], key=lambda s: s["address"])]
                write(line)


def size(dice):
    kind = dice.randrange(8)
    if kind == 0:
        return dice.randint(1, 2048)
    if kind == 1:
        return dice.randint(1, MIB)
    if kind == 2:  # around the edges of the rules
        return dice.choice([512, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 32 * MIB]) + dice.randint(-511, 513)
    if kind in (3, 4):
        return dice.randint(MIB, 10 * MIB)
    if kind == 5:  # sizes that come again
        return dice.randint(1, 8) * 4 * MIB
    if kind == 6:
        return dice.randint(10 * MIB, 30 * MIB)
    return dice.randint(100 * MIB, 600 * MIB) if dice.randrange(8) == 0 else dice.randint(20 * MIB, 80 * MIB)


def fill(recorder, left):
    """Takes all but `left` bytes; in pieces where the settings round that up too far."""
    bytes = recorder.capacity // (2 * MIB) * (2 * MIB) - left
    try:
        return [torch.empty(bytes, dtype=torch.uint8, device="cuda")]
    except torch.OutOfMemoryError:
        recorder.note("fail")
    return [torch.empty(1024 * MIB, dtype=torch.uint8, device="cuda") for _ in range(bytes // (1024 * MIB))]


def play(recorder, dice, operations, left):
    """Random requests on three streams, close to the capacity once `left` bytes are."""
    streams = [torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
    alive = fill(recorder, left) if left else []
    filled = len(alive)
    recorder.note("fill")

    def allocate():
        stream = dice.choice(streams) if dice.randrange(3) == 0 else streams[0]
        with torch.cuda.stream(stream):
            try:
                alive.append(torch.empty(size(dice), dtype=torch.uint8, device="cuda"))
            except torch.OutOfMemoryError:
                return "fail"
        return "allocate"

    def free():
        where = dice.randrange(filled, len(alive))
        if dice.randrange(6) == 0:
            alive[where].record_stream(dice.choice(streams))
        alive[where] = alive[-1]
        alive.pop()
        return "free"

    for i in range(operations):
        roll = dice.randrange(100)
        if roll < 55 or len(alive) < filled + 2:
            operation = allocate()
        elif roll < 98:
            operation = free()
        else:
            torch.cuda.empty_cache()
            operation = "empty_cache"
        recorder.note(operation, segments=i % 50 == 49)


def train(recorder, dice, operations):
    """Steps of a small network whose batch changes; what a layer does is one operation."""
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU(),
        torch.nn.Conv2d(32, 64, 3, stride=2, padding=1), torch.nn.BatchNorm2d(64), torch.nn.ReLU(),
        torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(), torch.nn.Linear(64, 10)).cuda()
    recorder.note("model")
    optimizer = torch.optim.Adam(layers.parameters())
    for step in range(operations):
        batch, edge = dice.choice([2, 3, 8, 13]), dice.choice([64, 96, 130])
        input = torch.randn(batch, 3, edge, edge, device="cuda")
        target = torch.zeros(batch, dtype=torch.long, device="cuda")
        recorder.note("input")
        value = input
        for layer in layers:
            value = layer(value)
            recorder.note(type(layer).__name__)
        loss = torch.nn.functional.cross_entropy(value, target)
        del value
        recorder.note("loss")
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        recorder.note("backward")
        optimizer.step()
        recorder.note("step", segments=True)
        if step % 3 == 2:
            del input, target, loss
            recorder.note("free")
            torch.cuda.empty_cache()
            recorder.note("empty_cache")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("scenario", choices=["random", "training"])
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--operations", type=int, default=200)
    arguments.add_argument("--left", type=int, default=0, help="MiB left of the device, 0: all")
    given = arguments.parse_args()
    if not torch.backends.cuda.is_built():
        print(f"torch {torch.__version__} of {sys.executable} was built without CUDA")
        sys.exit(77)
    dice = random.Random(given.seed)
    recorder = Recorder()
    if given.scenario == "random":
        play(recorder, dice, given.operations, given.left * MIB)
    else:
        train(recorder, dice, given.operations)
    recorder.write(given.out, f"{given.scenario}, seed {given.seed}, left {given.left} MiB")


if __name__ == "__main__":
    main()
