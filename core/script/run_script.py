"""Runs a training script unchanged and reports its memory use as the events of a Highwater run.

highwater-cli script starts it:

    python run_script.py RUN_FOLDER STEPS OUTPUT_FD ERRORS_FD SCRIPT [ARGUMENT ...]

Standard output carries the events; the script's own output goes to the two descriptors. SCRIPT is a file, or "-m MODULE".
At the end, and if the script fails, PyTorch's allocator history is written to RUN_FOLDER/snapshot.pickle, together with the
steps, the modules that allocated memory, and the category of parameters, gradients and optimizer state. Needs only the
standard library and the script's own PyTorch, 2.5 or newer.
"""
import json
import os
import pickle
import re
import signal
import sys
import threading
import time
import traceback

from module_costs import ModuleCosts
from script_memory import HostMemory
from script_parts import (OWN, AfterImport, cudnn_version, empty_ledger, execute, failure_place, give_signals_a_stack, last_error, no_code,
                          of_script, one_line, owners_of, phase_of, torch_problem, where)
from script_values import ON_HOST

HERE = os.path.dirname(os.path.abspath(__file__))
OWN.update(os.path.join(HERE, name) for name in ("run_script.py", "script_host.py", "script_memory.py", "script_values.py"))

MOST_EVENTS = 4_000_000  # limit of the allocator's history
NO_DATA = ("torch/optim/", "torch/amp/", "torch/nn/utils/", "torch/distributed/")  # code that follows a backward pass
SEVERAL_GPUS = int(os.environ.get("HIGHWATER_PRETEND_DEVICES", "1"))
if SEVERAL_GPUS > 1:
    import rank_objects  # now: later the path is the script's
    OWN.add(os.path.abspath(rank_objects.__file__))
# PyTorch looks every 100 ms for work of NCCL that is complete, and only then frees its tensors, such as the buckets that
# DistributedDataParallel replaces in the second step. Steps on a real GPU take longer than those that execute nothing.
WATCHDOG_SECONDS = 0.3
LIVE_SECONDS = (0.02, 1)  # between two samples of the state during a step: at first, and at most later
GRACE_SECONDS = 10  # that a script has to end after it was asked to end


class Events:
    """Writes the engine's events, one JSON object a line. Errors are ignored if nobody reads them."""

    def __init__(self, descriptor):
        self._file = os.fdopen(descriptor, "w", encoding="utf-8", errors="replace")
        self._lock = threading.Lock()

    def send(self, event, **fields):
        with self._lock:
            try:
                self._file.write(json.dumps({"event": event, **fields}) + "\n")
                self._file.flush()
            except (OSError, ValueError):
                pass


class Enough(SystemExit):
    """Raised to end the script after the requested number of steps."""


class Watch:
    """Counts optimizer steps, tracks the modules and owners of memory, and saves the allocator's history."""

    def __init__(self, events, folder, steps):
        self.events, self.folder, self.steps_wanted = events, folder, steps
        self.began = time.monotonic()
        self.started = False
        self.counted = None  # the optimizer whose steps are counted: the first one that steps
        self.optimizers = {}  # by id, as weak references
        self.roots = {}  # outermost modules that were called, by id, as weak references
        self.inside = threading.local()
        self.names = {}  # id of a module: its qualified name and class
        self.marks = []  # (microseconds, module), if PyTorch itself keeps no metadata
        self.step_times = []  # microseconds at which steps ended
        self.owners = []  # for each step: {address: (category, name)}
        self.reads = {}  # how often a value was read at "train.py:57"
        self.saved = False
        self.recorder = None  # of the operators of the step after the last one that is counted
        self.set_metadata = None
        self.host = HostMemory(lambda: max(0, len(self.step_times) - 1), self.look)
        self.thread = threading.get_ident()
        self.phase, self.told, self.looked, self.began_gpu = "setup", None, 0.0, 0.0  # of the newest sample of the state
        self.costs = ModuleCosts() if os.environ.get("HIGHWATER_SCRIPT_MODULES") else None

    # -- set up ------------------------------------------------------------------------------------------------------

    def torch_imported(self):
        import torch
        torch.cuda._lazy_call(self.cuda_begins)
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
        from torch.optim.optimizer import register_optimizer_step_post_hook
        if SEVERAL_GPUS > 1 and getattr(torch, "distributed", None) is not None and torch.distributed.is_available():
            rank_objects.install(torch.distributed)
        import warnings
        warnings.filterwarnings("ignore", message=r"Using `torch.compile\(module\)` when there are global hooks")
        register_optimizer_step_post_hook(self.after_step)
        register_module_forward_pre_hook(self.enter)
        register_module_forward_hook(self.leave, always_call=True)
        if self.costs is not None:
            self.costs.install()

    def cuda_begins(self):
        import torch
        self.set_metadata = getattr(torch._C, "_cuda_setMemoryMetadata", None)
        # context is not "all": collecting the frames of a free during an exception loses the exception (observed in 2.11), and
        # torch.utils.checkpoint ends a recomputation with one.
        torch.cuda.memory._record_memory_history("all", context="alloc", stacks="python", max_entries=MOST_EVENTS)
        self.step_times.append(now())
        properties = torch.cuda.get_device_properties(0)  # several pretended GPUs are all the same
        versions = {"python": sys.version.split()[0], "libtorch": torch.__version__, "cuda": torch.version.cuda or "",
                    "cudnn": cudnn_version(torch)}
        self.events.send("started", run_id=os.path.basename(self.folder), steps=self.steps_wanted, warmup=0, layers=[],
                         device=os.environ.get("HIGHWATER_SCRIPT_DEVICE", "cuda:0"), device_name=properties.name,
                         versions=versions, threads=torch.get_num_threads(), isa="", memory_bytes=properties.total_memory,
                         architecture=10 * properties.major + properties.minor)
        self.began_gpu = time.monotonic()
        self.started = True
        self.listen()

    def listen(self):
        """Registers for the pretended device's notifications about values that the host reads."""
        import ctypes
        told = getattr(ctypes.CDLL(None), "highwaterPretendOnEvent", None)
        if told is None:
            return
        kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulonglong)
        self._callback = kind(self.on_device_event)
        told(self._callback)

    def on_device_event(self, kind, text, size):
        if self.saved:
            return
        place = where()
        if kind == b"read":
            self.reads[place] = self.reads.get(place, 0) + 1
        elif kind == b"unmodeled":
            self.events.send("warning", message=f"{text.decode(errors='replace')} is not modeled by the pretended device, and "
                                                f"answers \"not supported\": {place}")

    # -- modules -----------------------------------------------------------------------------------------------------

    def enter(self, module, inputs):
        import torch
        if torch.compiler.is_compiling() or not self.started:
            return
        stack = self.inside.__dict__.setdefault("stack", [])
        if not stack:
            self.know(module)
            self.phase = "forward"
        name = self.names.get(id(module), type(module).__name__)
        stack.append(name)
        self.mark(name)

    def leave(self, module, inputs, output):
        import torch
        if torch.compiler.is_compiling() or not self.started:
            return
        stack = self.inside.__dict__.get("stack")
        if stack:
            stack.pop()
            self.mark(stack[-1] if stack else "")

    def mark(self, name):
        if self.set_metadata is not None:
            self.set_metadata(name)
        else:
            self.marks.append((now(), name))

    def know(self, root):
        import weakref
        if id(root) in self.roots:
            return
        self.roots[id(root)] = weakref.ref(root)
        for name, module in root.named_modules():
            self.names.setdefault(id(module), name or type(root).__name__)

    # -- steps -------------------------------------------------------------------------------------------------------

    def after_step(self, optimizer, arguments, keywords):
        import torch
        if torch.compiler.is_compiling() or not self.started:
            return
        import weakref
        self.optimizers.setdefault(id(optimizer), weakref.ref(optimizer))
        if self.counted is None:
            self.counted = id(optimizer)
        if id(optimizer) != self.counted:
            return
        if self.recorder is not None:
            self.end_recording()
            raise Enough(0)
        if self.saved:
            return
        self.note_owners()
        self.step_times.append(now())
        self.sample()
        if SEVERAL_GPUS > 1 and len(self.step_times) <= 3:
            time.sleep(WATCHDOG_SECONDS)
        if self.steps_wanted and len(self.step_times) > self.steps_wanted:
            self.save()
            if not os.environ.get("HIGHWATER_SCRIPT_TIME") or not self.begin_recording():
                raise Enough(0)

    def begin_recording(self):
        """Has the operators of one more step recorded."""
        try:
            import importlib.util  # the script's folder has taken the place of this file's in sys.path
            spec = importlib.util.spec_from_file_location("step_operators", os.path.join(HERE, "step_operators.py"))
            operators = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(operators)
            self.recorder = operators.Recorder()
            self.recorder.__enter__()
            return True
        except Exception as problem:
            self.recorder = None
            self.events.send("warning", message=f"the operators of a step could not be recorded: {one_line(problem)}")
            return False

    def end_recording(self):
        try:
            self.recorder.__exit__(None, None, None)
            self.recorder.write(os.path.join(self.folder, "step-operators.json"))
        except Exception as problem:
            self.events.send("warning", message=f"the operators of a step could not be recorded: {one_line(problem)}")

    def sample(self):
        """Sends the state at the end of a step, for display during the run."""
        self.phase = "data"  # until the next forward pass
        self.send_state(max(0, len(self.step_times) - 2), "optimizer", ("parameters", "gradients", "optimizer_state"))

    def look(self):
        """The same during a step, if something has changed. Runs in the thread that samples the host. The intervals grow with the
        time, so that a short run is shown in detail and a long one does not write much."""
        if not self.started or self.saved:
            return
        now = time.monotonic()
        least, most = LIVE_SECONDS
        if now - self.looked < min(most, max(least, (now - self.began_gpu) / 100)):
            return
        self.looked = now
        try:
            self.phase = phase_of(sys._current_frames().get(self.thread), self.phase)
            self.send_state(len(self.step_times) - 1, self.phase, ("parameters", "optimizer_state"), always=False)
        except Exception:  # of a PyTorch that is shutting down, for example
            pass

    def send_state(self, step, phase, known, always=True):
        """`known`: categories that are as they were at the end of the last step. The rest is not divided."""
        import torch
        ledger = empty_ledger()
        for category, size, _ in self.owners[-1].values() if self.owners else ():
            if category in known:
                ledger[category] += size
        statistics = torch.cuda.memory_stats(int(os.environ.get("LOCAL_RANK", "0")) if SEVERAL_GPUS > 1 else 0)
        allocated, most = (statistics.get(f"allocated_bytes.all.{key}", 0) for key in ("current", "peak"))
        ledger["temporaries"] = max(0, allocated - sum(ledger.values()))
        state = (step, phase, allocated, most)
        if always or state != self.told:
            self.told = state
            self.events.send("ledger", time_ms=1000 * (time.monotonic() - self.began), bytes=ledger, low=sum(ledger.values()),
                             high=max(most, sum(ledger.values())), merged=1, step=step, phase=phase)

    def note_owners(self):
        """Records where parameters, gradients and optimizer state are now."""
        self.owners.append(owners_of([r() for r in self.roots.values()], [o() for o in self.optimizers.values()], "cuda"))

    # -- the end -----------------------------------------------------------------------------------------------------

    def devices(self):
        """The GPUs that the script used, with their statistics: first the rank's own, or the one with the most memory."""
        import torch
        if SEVERAL_GPUS < 2:
            return [(0, torch.cuda.memory_stats())]
        used = [(number, torch.cuda.memory_stats(number)) for number in range(SEVERAL_GPUS)
                if number == torch.cuda.current_device() or torch._C._cuda_hasPrimaryContext(number)]
        own = int(os.environ.get("LOCAL_RANK", "0"))
        reserved = {number: of.get("reserved_bytes.all.peak", 0) for number, of in used}
        return sorted(used, key=lambda each: (each[0] != own or not reserved[own], -reserved[each[0]]))

    def save(self):
        """Writes snapshot.pickle, once."""
        if self.saved or not self.started:
            return
        self.saved = True
        host = self.host.finish()  # before the record is written, which takes memory of its own
        import torch
        (device, statistics), *others = self.devices()
        snapshot = torch.cuda.memory._snapshot()
        torch.cuda.memory._record_memory_history(None)
        complete(snapshot, device, self.step_times, self.owners, self.marks)
        path = os.path.join(self.folder, "snapshot.pickle")
        with open(path + ".part", "wb") as file:
            pickle.dump(snapshot, file, protocol=4)
        os.replace(path + ".part", path)
        facts = {"allocated": statistics.get("allocated_bytes.all.peak", 0), "reserved": statistics.get("reserved_bytes.all.peak", 0),
                 "requested": statistics.get("requested_bytes.all.peak", 0), "retries": statistics.get("num_alloc_retries", 0),
                 "steps": max(0, len(self.step_times) - 1), "device": device, "host_memory": host,
                 "elsewhere": [{"device": number, "reserved": of.get("reserved_bytes.all.peak", 0),
                                "context": torch._C._cuda_hasPrimaryContext(number)} for number, of in others],
                 "reads": [{"place": place, "times": times} for place, times in sorted(self.reads.items(), key=lambda e: -e[1])[:20]]}
        with open(os.path.join(self.folder, "script-result.json"), "w", encoding="utf-8") as file:
            json.dump(facts, file)
        if self.costs is not None:
            self.costs.save(self.folder, [optimizer() for optimizer in self.optimizers.values()])


def now():
    return time.time_ns() // 1000


def complete(snapshot, device, step_times, owners, marks):
    """Adds information to a snapshot that PyTorch does not have, in the fields that readers of snapshots use: torch.profiler's
    names for steps, user_metadata for modules, Highwater's category, and a frame for the work of autograd's own threads."""
    traces = snapshot["device_traces"]
    snapshot["device_traces"] = [trace if number == device else [] for number, trace in enumerate(traces)]
    events = traces[device] if device < len(traces) else []
    snapshot["external_annotations"] = [
        {"stage": "START", "name": f"ProfilerStep#{number}", "device": device, "time_us": begin}
        for number, begin in enumerate(step_times[:-1] if len(step_times) > 1 else step_times)]
    backward = {"filename": "", "name": "autograd::Engine, the backward pass", "line": 0}
    data = {"filename": "layer", "name": "data", "line": 0}  # Highwater's name of the phase
    at, module, after_backward = 0, "", False
    tries = os.environ.keys() & {"HIGHWATER_SCRIPT_MODULES", "HIGHWATER_SCRIPT_CHANGED"}  # then frames of ours call the script's
    for event in events:
        when = event.get("time_us", 0)
        while at < len(marks) and marks[at][0] <= when:
            module = marks[at][1]
            at += 1
        frames = event.setdefault("frames", [])
        if tries:
            frames[:] = [frame for frame in frames if frame["filename"] not in OWN]
        if event["action"] != "alloc":
            continue
        if module and frames and not event.get("user_metadata"):
            event["user_metadata"] = module
        names = {frame["name"] for frame in frames}
        for frame in frames:
            if "torchinductor_" in frame["filename"]:
                frame["filename"] = "<compiled>"  # the generated name is useless; the frames of the script follow
        if "backward" in names and any("_aot_autograd/" in frame["filename"] for frame in frames):
            frames.insert(0, {"filename": "layer", "name": "backward", "line": 0})  # the frames inside are the forward's lines
        # Between a backward pass and the next module's forward, the script loads its next batch.
        if not frames:
            frames.append(backward)
            after_backward = True
        elif event.get("user_metadata"):
            after_backward = False
        elif after_backward and "backward" not in names and not any(part in frame["filename"] for frame in frames for part in NO_DATA):
            frames.append(data)
    # The owner is the last block allocated at its address before the step's end.
    living, step = {}, 1
    for event in events:
        while step < len(step_times) and event.get("time_us", 0) > step_times[step]:
            name_owners(living, owners[step - 1] if step - 1 < len(owners) else {})
            step += 1
        if event["action"] == "alloc":
            living[event["addr"]] = event
        elif event["action"] == "free_completed":
            living.pop(event["addr"], None)
    while step < len(step_times):
        name_owners(living, owners[step - 1] if step - 1 < len(owners) else {})
        step += 1


def is_bucket(event):
    """Whether DistributedDataParallel made this block for the sums of gradients: in its constructor, and at the second step."""
    frame = event["frames"][0] if event["frames"] else {"filename": "", "name": ""}
    return frame["filename"].endswith("torch/nn/parallel/distributed.py") and frame["name"] in ("_ddp_init_helper", "_pre_forward")


def name_owners(living, owners):
    for event in living.values():
        if "category" not in event and is_bucket(event):
            event["category"] = "gradients"
            event["user_metadata"] = "DistributedDataParallel's buckets"
    for address, (category, _, name) in owners.items():
        event = living.get(address)
        if event is not None and "category" not in event:
            event["category"] = category
            if name:
                event["user_metadata"] = name.rsplit(".", 1)[0] if "." in name else name


def leave_group():
    """The script was stopped before it could leave its process group, which PyTorch would warn about."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_initialized():
            distributed.destroy_process_group()
    except Exception:  # nothing depends on it
        pass


def finish(watch, events, error):
    """Saves and reports how the script ended; returns the exit code."""
    try:
        watch.save()
    except Exception as problem:
        events.send("warning", message=f"the memory history could not be saved: {one_line(problem)}")
    if isinstance(error, Enough):
        leave_group()
    if error is None or isinstance(error, Enough):
        return 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if code:
            events.send("failed", status="failed", why=f"the script ended with exit code {code}", step=0, phase="setup", layer="",
                        requested_bytes=0, bytes=empty_ledger())
        return code
    if isinstance(error, KeyboardInterrupt):
        events.send("warning", message=f"the script was stopped at {failure_place(error) or 'an unknown line'}")
        return 128 + signal.SIGINT
    told = traceback.TracebackException(type(error), error, of_script(error.__traceback__))
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if frame.filename not in OWN])
    print("".join(told.format()), end="", file=sys.stderr)
    torch = sys.modules.get("torch")
    full = torch is not None and isinstance(error, torch.cuda.OutOfMemoryError)
    requested = re.search(r"Tried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)", str(error)) if full else None
    unit = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    why = f"{failure_place(error)}: {one_line(error)}{last_error(error)}{no_code(error)}"
    events.send("failed", status="out_of_memory" if full else "failed", why=why[:2000],
                step=max(0, len(watch.step_times) - 1), phase="forward", layer="",
                requested_bytes=int(float(requested[1]) * unit[requested[2]]) if requested else 0, bytes=empty_ledger())
    return 3 if full else 1


def main():
    folder, steps, output, errors, script, *arguments = sys.argv[1:]
    events = Events(os.dup(1))
    os.dup2(int(output), 1)
    os.dup2(int(errors), 2)
    watch = Watch(events, folder, int(steps))
    if os.environ.get("HIGHWATER_SCRIPT_CHANGED"):  # then SCRIPT applies changes and runs the user's
        OWN.add(os.path.abspath(script))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    give_signals_a_stack()
    error = None
    problem = torch_problem(cuda=True)
    if problem:
        events.send("failed", status="failed", why=problem, step=0, phase="setup", layer="", requested_bytes=0, bytes=empty_ledger())
        return 2
    for module, then in {"torch": watch.torch_imported, **ON_HOST}.items():
        sys.meta_path.insert(0, AfterImport(module, then))
    watch.host.start()
    try:
        execute(script, arguments)
    except BaseException as caught:  # any exception of the script
        error = caught
    code = finish(watch, events, error)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    if code and SEVERAL_GPUS > 1:
        os._exit(code)  # PyTorch would wait for the operations of NCCL that other ranks never complete
    # For threads of the script, or of libraries, that do not end by themselves.
    late = threading.Timer(GRACE_SECONDS, os._exit, (code,))
    late.daemon = True
    late.start()
    return code


if __name__ == "__main__":
    sys.exit(main())
