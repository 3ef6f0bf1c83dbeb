#!/usr/bin/env python3
"""Runs a real LibTorch with CUDA on the pretended device: torch_check.py FOLDER-OF-THE-LIBRARIES [CHECK...]

Every check runs in a process of its own, with the settings it names. Exit status: 0, 1 where a check failed, and 77
(skipped, saying why) where this Python has no torch for CUDA 12 or 13. What is checked is LibTorch's own bookkeeping, never
a value or a time: nothing is executed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import torch_more
import torch_ranks
from torch_training import expect, train

CHECKS = {function.__name__: (function, settings) for module in (torch_more, torch_ranks)
          for function, settings in module.CHECKS.items()}
MIB = 1 << 20


def check(**settings):
    def add(function):
        CHECKS[function.__name__] = (function, settings)
        return function

    return add


@check(ZEROS="1")
def training_steps(torch):
    for kind in [{}, {"norm": "BatchNorm3d", "act": "ReLU"}, {"norm": "GroupNorm", "act": "GELU", "up": "nearest"},
                 {"act": "SiLU", "up": "trilinear", "dropout": "Dropout3d"}, {"dropout": "Dropout", "loss": "dice"},
                 {"optimizer": "Adam", "loss": "mse"}, {"optimizer": "AdamW", "loss": "dice"}, {"amp": "float16"},
                 {"amp": "bfloat16"}, {"amp": "bfloat16", "channels_last": True, "norm": "BatchNorm3d"},
                 {"channels_last": True}, {"cudnn": False}, {"cudnn": False, "amp": "float16"}, {"benchmark": True}]:
        print("  ", kind or "default", flush=True)
        train(torch, **kind)


@check()
def values_come_back(torch):
    x = torch.arange(1000.0)
    expect("there and back", torch.equal(x.cuda().clone().cpu(), x), True)
    expect("through pinned memory", torch.equal(x.pin_memory().to("cuda", non_blocking=True).cpu(), x), True)


@check(CONTEXT="0")
def segments_are_the_allocators(torch):
    for asked, segment in [(MIB, 2 * MIB), (MIB + 512, 20 * MIB), (10 * MIB, 10 * MIB), (11 * MIB, 12 * MIB)]:
        x = torch.empty(asked, dtype=torch.uint8, device="cuda")
        expect(f"segment for {asked}", torch.cuda.memory_reserved(), segment)
        free, total = torch.cuda.mem_get_info()
        expect(f"memory used for {asked}", total - free, segment)
        del x
        torch.cuda.empty_cache()


@check()
def history_is_recorded(torch):
    torch.cuda.memory._record_memory_history(max_entries=1000)
    x = [torch.empty(n * MIB, dtype=torch.uint8, device="cuda") for n in (3, 4)]
    del x[0]
    snapshot = torch.cuda.memory._snapshot()
    actions = [e["action"] for e in snapshot["device_traces"][0]]
    expect("allocations", actions.count("alloc"), 2)
    expect("frees", actions.count("free_completed"), 1)
    expect("reserved", sum(s["total_size"] for s in snapshot["segments"]), torch.cuda.memory_reserved())


def provoke(torch, times):
    total = torch.cuda.get_device_properties(0).total_memory
    caught = 0
    for i in range(times):
        kept = []
        try:
            while True:
                kept.append(torch.empty(total // 7 + i * 4096, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            caught += 1
        expect("blocks before the refusal", len(kept), 6)
        kept.clear()
        torch.cuda.empty_cache()
    expect("refusals caught", caught, times)
    expect("reserved afterwards", torch.cuda.memory_reserved(), 0)


@check()
def out_of_memory_100_times(torch):
    provoke(torch, 100)


@check(ALLOCATOR="expandable_segments:True")
def expandable_segments(torch):
    provoke(torch, 20)
    small = torch.empty(100, device="cuda")
    large = torch.empty(3 * MIB, device="cuda")
    segments = sorted((s["total_size"], s["is_expandable"]) for s in torch.cuda.memory._snapshot()["segments"])
    expect("segments", segments, [(2 * MIB, True), (20 * MIB, True)])
    train(torch)
    del small, large


@check(MEMORY=str(200 << 30))
def column_buffer_of_108_gib(torch):
    torch.backends.cudnn.enabled = False
    conv = torch.nn.Conv3d(64, 32, 3, padding=1, bias=False).cuda().half()
    x = torch.empty(1, 64, 362, 370, 251, dtype=torch.half, device="cuda")
    torch.cuda.memory._record_memory_history(max_entries=1000)
    with torch.no_grad():
        conv(x)
    sizes = [e["size"] for e in torch.cuda.memory._snapshot()["device_traces"][0] if e["action"] == "alloc"]
    expect("largest request", max(sizes), 116187056640)


@check(WORKSPACE="forward=900000000000|1000000,input=2*x")
def next_engine_after_a_refusal(torch):
    conv = torch.nn.Conv3d(16, 16, 3, padding=1, bias=False).cuda()
    x = torch.zeros(1, 16, 32, 32, 32, device="cuda", requires_grad=True)
    base = torch.cuda.memory_allocated()
    y = conv(x)
    expect("forward workspace", torch.cuda.max_memory_allocated() - base - y.nbytes, 1000448)
    torch.cuda.memory._record_memory_history(max_entries=1000)
    y.backward(torch.empty_like(y))
    sizes = [e["size"] for e in torch.cuda.memory._snapshot()["device_traces"][0] if e["action"] == "alloc"]
    expect("input gradient's workspace was asked for", 2 * x.nbytes in sizes, True)


@check(LOST="40")
def a_lost_device_is_an_error(torch):
    try:
        train(torch)
    except RuntimeError as error:
        expect("words of the error", "launch failure" in str(error) or "EXECUTION_FAILED" in str(error), True)
        return
    raise SystemExit("the loss was not reported")


def symbols(option, library):
    words = subprocess.run(["nm", "-D", option, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in words.splitlines()}


@check()
def every_imported_function_is_there(torch):
    """What LibTorch imports of CUDA's libraries is modeled or refused here; only these stay the real libraries'."""
    if not shutil.which("nm"):
        print("   skipped: nm is not installed")
        return
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    wanted = set()
    for name in ("c10_cuda", "torch_cpu", "torch_cuda", "torch_cuda_linalg", "torch_python"):
        wanted |= symbols("--undefined-only", os.path.join(folder, f"lib{name}.so"))
    here = set()
    for name in ("libcuda.so.1", "libnvidia-ml.so.1", "libhighwater_pretend.so"):
        here |= symbols("--defined-only", os.path.join(os.path.dirname(os.environ["LD_PRELOAD"]), name))
    of_cuda = re.compile(r"(__)?cuda[A-Z]|cu[A-Z]|cu(blas|dnn|solver|sparse|fft|rand|pti)|nvml|nccl")
    real = re.compile(r"cuFile|cusparseGetErrorString")
    left = sorted(s for s in wanted - here if of_cuda.match(s) and not real.match(s))
    expect("functions that reach the real libraries", left, [])


@check(DRIVER="12.4")
def an_old_driver_is_an_error(torch):
    try:
        torch.zeros(1, device="cuda")
    except RuntimeError as error:
        expect("words of the error", "too old (found version 12040)" in str(error), True)
        return
    raise SystemExit("the old driver was not reported")


def run(name, libraries):
    function, settings = CHECKS[name]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HIGHWATER_PRETEND_", "PYTORCH_"))}
    environment["LD_PRELOAD"] = os.path.join(libraries, "libhighwater_pretend.so")
    for key, value in settings.items():
        if key == "ALLOCATOR":
            environment["PYTORCH_CUDA_ALLOC_CONF"] = environment["PYTORCH_ALLOC_CONF"] = value
        else:
            environment["HIGHWATER_PRETEND_" + key] = value
    print(name, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if "ASK" in settings:
            environment["HIGHWATER_PRETEND_ASK"] = os.path.join(os.path.dirname(libraries), "highwater-cudnn")
        if "REPORT" in settings:
            environment["HIGHWATER_PRETEND_REPORT"] = os.path.join(folder, "report.json")
        environment["XDG_DATA_HOME"] = folder
        status = subprocess.run([sys.executable, "-W", "ignore", __file__, libraries, "--child", name], env=environment)
    print("  ok" if status.returncode == 0 else f"  FAILED (exit {status.returncode})", flush=True)
    return status.returncode == 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    libraries = os.path.abspath(sys.argv[1])
    if sys.argv[2:3] == ["--child"]:
        import torch

        CHECKS[sys.argv[3]][0](torch)
        sys.stdout.flush()
        os._exit(0)  # LibTorch 2.15 may abort where Python ends while a backward thread still lets go
    words = subprocess.run([sys.executable, "-W", "ignore", "-c", "import torch; print(torch.version.cuda or 'none')"],
                           capture_output=True, text=True)
    if words.returncode or not words.stdout.startswith(("12.", "13.")):
        why = "cannot be imported" if words.returncode else f"is for CUDA {words.stdout.strip()}"
        print(f"skipped: torch of {sys.executable} {why}; a torch for CUDA 12 or 13 is wanted")
        sys.exit(77)
    unknown = [name for name in sys.argv[2:] if name not in CHECKS]
    if unknown:
        sys.exit(f"no such check: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    failed = [name for name in sys.argv[2:] or CHECKS if not run(name, libraries)]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
