#!/usr/bin/env python3
"""Reads a snapshot of PyTorch's memory with Python's own pickle, allowing no class, and prints a line for each of its
devices: number, records, out of memory, segments, blocks, reserved bytes, bytes in use."""
import pickle
import sys


class DataOnly(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"a snapshot needs no {module}.{name}")


def main():
    with open(sys.argv[1], "rb") as file:
        snapshot = DataOnly(file).load()
    if isinstance(snapshot, list):  # torch.cuda.memory_snapshot()
        snapshot = {"segments": snapshot, "device_traces": []}
    segments, traces = snapshot["segments"], snapshot.get("device_traces", [])
    for device in sorted(set(range(len(traces))) | {s["device"] for s in segments}):
        trace = traces[device] if device < len(traces) else []
        own = [s for s in segments if s["device"] == device]
        blocks = [b for s in own for b in s["blocks"]]
        print(device, len(trace), sum(e["action"] == "oom" for e in trace), len(own), len(blocks),
              sum(s["total_size"] for s in own), sum(b["size"] for b in blocks if b["state"] == "active_allocated"))


main()
