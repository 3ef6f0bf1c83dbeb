"""Records a run as highwatermark.watching.experiment does, without a PyTorch: stand_in.py WAY --run DIR ..."""
import json
import os
import signal
import sys
import time
from pathlib import Path

WAY, *ARGUMENTS = sys.argv[1:]
FOLDER = ARGUMENTS[ARGUMENTS.index("--run") + 1]
sys.dont_write_bytecode = True  # beside a source
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging/python/src/highwatermark/watching"))
from run_folder import RunFolder, write_atomically  # noqa: E402

LEDGER = dict.fromkeys(("input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries"), 0)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = Path(FOLDER)
    write_atomically(path / "arguments.json", ARGUMENTS)
    if gpu := os.environ.get("HIGHWATER_PRETEND_GPU"):
        (path / "pretended.txt").write_text(gpu)
    if WAY == "silent":
        print("ImportError: no such module", file=sys.stderr)
        return 1
    facts = json.loads((path / "python.json").read_text())
    folder = RunFolder.continued(path, os.dup(1))
    machine = {"device": os.environ.get("HIGHWATER_SCRIPT_DEVICE", "cpu"), "device_name": "a processor", "versions": {"libtorch": facts["torch"]},
               "threads": 1, "isa": "", "memory_bytes": 1 << 30}
    folder.append({"event": "started", "run_id": folder.id, "steps": 2, "warmup": 0, "layers": [], **machine})
    if WAY == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    status, failure = "done", None
    try:
        if WAY == "waits":
            time.sleep(600)
    except KeyboardInterrupt:
        status = "cancelled"
    if WAY == "full":
        failure = {"status": "out_of_memory", "why": "a step needs more", "step": 0, "phase": "forward", "layer": "", "requested_bytes": 0,
                   "bytes": LEDGER}
        status = "out_of_memory"
        folder.append({"event": "failed", **failure})
    peak = {"bytes": {**LEDGER, "activations": 1000}, "time_ms": 1.0, "phase": "backward", "layer": -1}
    phases = dict.fromkeys(("data", "forward", "recompute", "backward", "optimizer"), 1.0)
    steps = 0 if status == "cancelled" else 4
    for index in range(steps):
        folder.append({"event": "step", "index": index, "warmup": False, "phases_ms": phases, "total_ms": 4.0 + index / 100, "peak": peak, "loss": 1.0})
    if status == "done":
        write_atomically(path / "python.json", {**facts, "share": {"step_ms": 4.0, "python_ms": 1.0, "call_us": 3.0}})
    result = {"run_id": folder.id, "status": status, **machine, "peak_allocated_bytes": 1000, "peak_rss_bytes": 0,
              "peak_by_category": peak["bytes"], "peak": peak, "layers": [], "step_ms": {"median": 4.0, "ci95": [4.0, 4.0], "n": steps},
              "phases_ms": phases, "throughput_samples_per_s": 500.0, "loss_first": 1.0, "loss_last": 1.0, "losses": [1.0] * steps,
              "at_end": LEDGER}
    if failure:
        result["failure"] = failure
    if "predicted" in facts:
        result["predicted"] = facts["predicted"]
    folder.append({"event": "finished", "result": result})
    folder.finish(result, failure["why"] if failure else "")
    return {"done": 0, "cancelled": 130, "out_of_memory": 3}[status]


sys.exit(main())
