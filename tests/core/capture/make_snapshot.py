#!/usr/bin/env python3
"""Writes a memory snapshot as a version of PyTorch would, with Python's own pickle, of two steps of a small
training; prints what a reader must find, as JSON.

make_snapshot.py FILE [--protocol N] [--version 2.0|2.1|2.5|2.11] [--lost N] [--unframed] [--damage WHAT]"""
import argparse
import json
import pickle

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--protocol", type=int, default=4)
parser.add_argument("--version", default="2.5")
parser.add_argument("--lost", type=int, default=0, help="events that the ring buffer has overwritten")
parser.add_argument("--devices", type=int, default=1)
parser.add_argument("--only", default="all", help="'requested': free_completed events were not recorded")
parser.add_argument("--damage", default="")
options = parser.parse_args()
version = tuple(int(part) for part in options.version.split("."))


def frame(filename, line, name):
    return {"name": name, "filename": filename, "line": line}


TORCH = "/opt/venv/lib/python3.11/site-packages/torch/"
CALL = frame(TORCH + "nn/modules/module.py", 1751, "_call_impl")
CPP = [frame("??", 0, "torch::unwind::unwind()"),
       frame("/pytorch/c10/core/TensorImpl.h", 20, "at::native::empty_cuda")] if version >= (2, 5) else []
MAIN = frame("/home/me/train.py", 9, "<module>")
STEP = frame("/home/me/train.py", 30, "train_step")
SETUP = CPP + [frame(TORCH + "nn/modules/module.py", 942, "_apply"), frame(TORCH + "nn/modules/module.py", 1, "cuda"), MAIN]
DATA = CPP + [frame(TORCH + "utils/data/_utils/pin_memory.py", 50, "pin_memory"), STEP, MAIN]
FORWARD = CPP + [frame(TORCH + "nn/modules/conv.py", 712, "forward"), CALL,
                 frame("/home/me/model.py", 57, "forward"), CALL, STEP, MAIN]
BACKWARD = CPP + [frame(TORCH + "autograd/graph.py", 823, "_engine_run_backward"),
                  frame(TORCH + "_tensor.py", 581, "backward"), STEP, MAIN]
OPTIMIZER = CPP + [frame(TORCH + "optim/adam.py", 180, "_init_group"), frame(TORCH + "optim/optimizer.py", 493, "wrapper"),
                   STEP, MAIN]

events, living, peak, total, clock = [], {}, 0, 0, 1_700_000_000_000_000
BASE = 0x7F1234000000
free_addresses = [BASE + i * (1 << 20) for i in range(4096)][::-1]
empty = []


def record(action, address, size, frames):
    global clock
    clock += 7
    event = {"action": action, "addr": address, "size": size, "stream": 0}
    if version >= (2, 1):
        event["time_us"] = clock
    if version >= (2, 9):
        event.update(compile_context="N/A", user_metadata="encoder" if frames is FORWARD else "")
    if frames is not None:
        event["frames"] = list(frames)
    events.append(event)


def allocate(size, frames):
    address = free_addresses.pop()
    living[address] = (size, frames)
    record("alloc", address, size, frames)
    return address


def free(address, frames):
    size, _ = living.pop(address)
    record("free_requested", address, size, frames)
    record("free_completed", address, size, frames)
    free_addresses.append(address)


parameters = [allocate(400 + i, SETUP) for i in range(5)]
record("segment_alloc", BASE, 1 << 30, SETUP)
state = []
for step in range(2):
    inputs = allocate(1_000_000, DATA)
    kept = []
    for layer in range(6):
        kept.append(allocate(300_000 + layer, FORWARD))
        free(allocate(500_000, FORWARD), FORWARD)
    gradients = []
    for layer in range(6):
        workspace = allocate(700_000, None)  # a thread without Python frames
        gradients.append(allocate(401 + layer, BACKWARD))
        free(workspace, None)
        free(kept.pop(), None)
    if not state:
        state = [allocate(800 + i, OPTIMIZER) for i in range(5)]
    free(allocate(5000, [f for f in OPTIMIZER if f["name"] != "_init_group"]), OPTIMIZER)
    for gradient in gradients:
        free(gradient, [STEP, MAIN])
    free(inputs, [STEP, MAIN])
record("oom", 123, 1 << 40, FORWARD)
events[-1]["device_free"] = events[-1].pop("addr")
record("snapshot", 0, 0, empty)

rounded = lambda size: (size + 511) // 512 * 512
blocks, at = [], BASE
for address in sorted(living):
    size, frames = living[address]
    if address > at:
        blocks.append({"size": address - at, "state": "inactive"})
    block = {"size": rounded(size), "state": "active_allocated"}
    if version >= (2, 1):
        block.update(address=address, requested_size=size, frames=list(frames))
    else:
        block["history"] = [{"addr": address, "real_size": size, "frames": list(frames)}]
    blocks.append(block)
    at = address + rounded(size)
segment = {"device": 0, "address": BASE, "total_size": 1 << 30, "allocated_size": 1, "active_size": 1,
           "stream": 0, "segment_type": "large", "blocks": blocks}
if version >= (2, 1):
    segment.update(segment_pool_id=(0, 0), is_expandable=False, frames=empty)

if options.lost:
    events = events[options.lost:]
if options.only == "requested":
    events = [e for e in events if e["action"] != "free_completed"]
# The expected results, computed only from the events.
ends = "free_requested" if options.only == "requested" else "free_completed"
counted = [e for e in events if e["action"] in ("alloc", ends)]
known, before = set(), 0
for event in counted:
    if event["action"] == "alloc":
        known.add(event["addr"])
    elif event["addr"] not in known:
        known.add(event["addr"])
        before += event["size"]
before += sum(size for address, (size, _) in living.items() if address not in known)
total = peak = before
for event in counted:
    total += event["size"] if event["action"] == "alloc" else -event["size"]
    peak = max(peak, total)
expected = {"events": len(counted), "peak": peak, "before": before, "at_end": total,
            "reserved_at_end": sum(rounded(size) for size, _ in living.values()),
            "allocations": sum(e["action"] == "alloc" for e in counted)}

traces = [[] for _ in range(options.devices)]
traces[options.devices - 1] = events
segment["device"] = options.devices - 1
snapshot = {"segments": [segment], "device_traces": traces}
if version >= (2, 1):
    snapshot["allocator_settings"] = {"PYTORCH_CUDA_ALLOC_CONF": "", "garbage_collection_threshold": 0.0,
                                      "expandable_segments": False, "max_split_size": -1,
                                      "roundup_power2_divisions": {str(1 << i): 0 for i in range(16)}}
if version >= (2, 6):
    snapshot["external_annotations"] = [
        {"stage": stage, "name": "ProfilerStep#3", "device": options.devices - 1, "time_us": 1_700_000_000_000_000 + 50 + extra}
        for stage, extra in (("START", 0), ("END", 500))]
if options.damage == "no history":
    snapshot["device_traces"] = [[] for _ in range(options.devices)]
elif options.damage.startswith("without "):
    del snapshot[options.damage.split()[1]]
elif options.damage == "list":
    snapshot = snapshot["segments"]
elif options.damage == "nonsense":
    alive = next(e for e in events if e["action"] == "alloc")
    gone = next(e for e in events if e["action"] == "free_completed" and e["addr"] not in living)
    events += [dict(alive), dict(gone), dict(gone), dict(alive, addr=99, size=-5), dict(alive, addr=98, size=1 << 63),
               dict(alive, addr=97, size="large"), {"action": "alloc"}, dict(alive, addr=1 << 200)]
with open(options.file, "wb") as file:
    pickle.dump(snapshot, file, protocol=options.protocol)
print(json.dumps(expected))
