#!/usr/bin/env python3
"""Loads a snapshot with Python's own pickle, allowing no class, and holds it against what PyTorch documents
(torch.cuda.memory._snapshot). Prints a summary as JSON; the first thing that is wrong ends it."""
import bisect
import json
import pickle
import pickletools
import sys


class DataOnly(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"a snapshot needs no {module}.{name}")

    def persistent_load(self, pid):
        raise pickle.UnpicklingError("a snapshot needs no persistent object")


def must(what, why):
    if not what:
        sys.exit(f"wrong: {why}")


def check_frames(frames, where):
    must(type(frames) is list, f"{where}: frames is no list")
    for frame in frames:
        must(set(frame) == {"filename", "name", "line"}, f"{where}: a frame has {sorted(frame)}")
        must(type(frame["filename"]) is str and type(frame["name"]) is str, f"{where}: a frame's words")
        must(type(frame["line"]) is int and frame["line"] >= 0, f"{where}: a frame's line")


SEGMENT = {"device": int, "address": int, "total_size": int, "allocated_size": int, "active_size": int,
           "requested_size": int, "stream": int, "segment_type": str, "segment_pool_id": tuple,
           "is_expandable": bool, "frames": list, "blocks": list}
BLOCK = {"address": int, "size": int, "requested_size": int, "state": str, "frames": list}
EVENT = {"action": str, "addr": int, "size": int, "stream": int, "time_us": int, "frames": list}
ACTIONS = {"alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "oom", "snapshot"}


def check_fields(value, fields, where):
    for key, kind in fields.items():
        must(type(value.get(key)) is kind, f"{where}: {key} is {value.get(key)!r}")


def check_segments(segments):
    alive = {}
    for segment in segments:
        check_fields(segment, SEGMENT, "segment")
        at = segment["address"]
        for block in segment["blocks"]:
            check_fields(block, BLOCK, "block")
            check_frames(block["frames"], "block")
            must(block["address"] == at, "the blocks of a segment do not follow each other")
            must(block["requested_size"] <= block["size"], "a block is smaller than what it was asked for")
            must(block["state"] in ("active_allocated", "inactive"), block["state"])
            at += block["size"]
            if block["state"] == "active_allocated":
                alive[block["address"]] = block["requested_size"]
        must(at == segment["address"] + segment["total_size"], "the blocks of a segment do not fill it")
        must(segment["requested_size"] == sum(alive.values()), "requested_size")
    return alive


def check_trace(trace, segments, alive_at_end):
    """Follows the events; no two blocks may overlap while they live."""
    inside = [(s["address"], s["address"] + s["total_size"]) for s in segments]
    born = {e["addr"] for e in trace if e["action"] == "alloc"}
    living, first, pending = {}, {}, None
    peak = total = 0
    for event in trace:
        check_fields(event, EVENT, "event")
        check_frames(event["frames"], "event")
        must(event["action"] in ACTIONS, event["action"])
        if event["action"] == "snapshot":
            continue
        must(any(a <= event["addr"] and event["addr"] + event["size"] <= b for a, b in inside), "outside")
        must(event["category"] in CATEGORIES, event["category"])
        if event["action"] == "alloc":
            must(event["addr"] not in living, "an address is given twice")
            living[event["addr"]] = event["size"]
            total += event["size"]
        elif event["action"] == "free_requested":
            pending = event
        else:
            must(pending and pending["addr"] == event["addr"], "a free is completed that was not requested")
            if event["addr"] in living:
                total -= living.pop(event["addr"])
            else:
                must(event["addr"] not in first, "freed twice")
                first[event["addr"]] = event["size"]
        peak = max(peak, total)
    for address, size in living.items():
        must(alive_at_end.get(address) == size, "what lives at the end is in no segment")
    check_overlaps(trace, alive_at_end, first)
    return {"events": sum(e["action"] in ("alloc", "free_completed") for e in trace), "peak_of_new": peak,
            "born": len(born)}


def check_overlaps(trace, alive_at_end, freed_before):
    """`freed_before`: what lived from before the trace and is freed in it, with sizes."""
    allocated = {e["addr"] for e in trace if e["action"] == "alloc"}
    before = dict(freed_before)
    before.update({a: s for a, s in alive_at_end.items() if a not in allocated})
    starts, ends = [], {}
    for address, size in sorted(before.items()):
        starts.append(address)
        ends[address] = address + size
    for event in trace:
        address, size = event["addr"], event["size"]
        if event["action"] == "alloc":
            i = bisect.bisect(starts, address)
            must(i == 0 or ends[starts[i - 1]] <= address, "overlaps the block below")
            must(i == len(starts) or address + size <= starts[i], "overlaps the block above")
            starts.insert(i, address)
            ends[address] = address + size
        elif event["action"] == "free_completed":
            starts.remove(address)
            del ends[address]


CATEGORIES = {"input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries"}
SETTINGS = {"PYTORCH_CUDA_ALLOC_CONF", "max_split_size", "garbage_collection_threshold", "expandable_segments",
            "pinned_num_register_threads", "release_lock_on_cudamalloc", "pinned_use_cuda_host_register",
            "roundup_power2_divisions"}


# What the reader of pytorch.org/memory_viz knows (torch/utils/viz/MemoryViz.js); and it passes the items of a
# list on as the arguments of a call, of which there may not be many.
VIEWER = {"PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1",
          "BINFLOAT", "SHORT_BINUNICODE", "BINUNICODE", "EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE", "TUPLE", "TUPLE1",
          "TUPLE2", "TUPLE3", "LIST", "DICT", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "MEMOIZE", "BINPUT",
          "LONG_BINPUT", "BINGET", "LONG_BINGET"}


def check_opcodes(name):
    """That the viewer knows each opcode, and that a frame holds what it says."""
    with open(name, "rb") as file:
        data = file.read()
    frame_end = None
    for opcode, argument, position in pickletools.genops(data):
        must(opcode.name in VIEWER, f"the viewer does not know {opcode.name}")
        if opcode.name == "FRAME":
            must(frame_end in (None, position), "a frame does not begin where the last one ends")
            frame_end = position + 9 + argument
        elif opcode.name != "PROTO":
            must(frame_end is not None and position < frame_end, f"{opcode.name} is in no frame")
        if opcode.name == "LONG1":
            must(abs(argument) < 1 << 53, "a number that JavaScript cannot hold")
    must(frame_end == len(data), "the last frame does not end with the file")


def main():
    check_opcodes(sys.argv[1])
    with open(sys.argv[1], "rb") as file:
        must(file.read(2) == b"\x80\x04", "it is not protocol 4")
        file.seek(0)
        snapshot = DataOnly(file).load()
        must(file.read() == b"", "something follows the pickle")
    must(type(snapshot) is dict, "it is no dictionary")
    for key in ("segments", "device_traces", "allocator_settings"):
        must(key in snapshot, f"{key} is missing")
    must(set(snapshot["allocator_settings"]) == SETTINGS, "allocator_settings")
    must(len(snapshot["device_traces"]) == 1, "device_traces")
    categories = {e["category"] for e in snapshot["device_traces"][0]}
    must("unknown" in categories, "viewers fail on categories without \"unknown\"")
    alive = check_segments(snapshot["segments"])
    summary = check_trace(snapshot["device_traces"][0], snapshot["segments"], alive)
    summary["alive_at_end"] = sum(alive.values())
    summary["steps"] = [a["name"] for a in snapshot["external_annotations"] if a["stage"] == "START"]
    summary["names"] = sorted({f["name"] for e in snapshot["device_traces"][0] for f in e["frames"]})
    print(json.dumps(summary))


main()
