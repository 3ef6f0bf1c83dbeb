"""Helpers for running a user's script unchanged, for highwater-cli script (run_script.py) and the Python package (watch).

Needs only the standard library and, once the script has imported it, the script's own PyTorch.
"""
import faulthandler
import importlib.abc
import importlib.util
import os
import re
import runpy
import sys
import traceback

OWN = {os.path.abspath(__file__)}  # files whose frames are not the script's; users of this module add their own


class AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls a function once a module has been imported, so that the script's own order of imports does not change."""

    def __init__(self, name, then):
        self._name, self._then, self._loader = name, then, None

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._then()


def give_signals_a_stack():
    """Lets a signal, such as Ctrl-C's, interrupt PyTorch on a CPU without harm.

    Code that oneDNN generates (2.6 to 3.10, at least) keeps data in the stack pointer, so that a signal writes its frame into the heap.
    Python's handlers use the alternate stack if there is one, and faulthandler is what makes one.
    """
    faulthandler.enable(file=2)


def torch_version():
    """The versions of this Python's PyTorch and of the CUDA that it is built for, ("2.11.0+cu130", "13.0"), from its files: nothing is
    imported. Empty where there is none."""
    spec = importlib.util.find_spec("torch")
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, AttributeError, TypeError):  # no such package, or a folder that is none
        return "", ""
    version = re.search(r"^__version__ = '([^']+)'", text, re.MULTILINE)
    cuda = re.search(r"^cuda(?:: [^=]+)? = '(\d[^']*)'", text, re.MULTILINE)
    return version[1] if version else "", cuda[1] if cuda else ""


def torch_problem(cuda):
    """Why the PyTorch of this Python cannot be run and recorded, on a pretended GPU if `cuda`: one line, or an empty text."""
    if importlib.util.find_spec("torch") is None:
        return f"{sys.executable} has no PyTorch; install it there (pip install torch), or name another Python with --python"
    found, toolkit = torch_version()
    version = re.match(r"(\d+)\.(\d+)", found)
    if not version:
        return ""
    if (int(version[1]), int(version[2])) < (2, 5):
        return f"PyTorch {version[1]}.{version[2]} is too old for this; 2.5 or newer can be run (pip install -U torch)"
    if not cuda:
        return ""
    if not toolkit:
        return (f"the PyTorch of {sys.executable} is built without CUDA; install one with it: "
                f"{sys.executable} -m pip install --force-reinstall torch")
    if int(toolkit.partition(".")[0]) not in (12, 13):
        return f"this PyTorch is built for CUDA {toolkit}; one for CUDA 12 or 13 can be run"
    return ""


def no_code(error):
    """Text to append to CUDA's error about missing code for the GPU."""
    torch = sys.modules.get("torch")
    if torch is None or "no kernel image" not in str(error):
        return ""
    major, minor = torch.cuda.get_device_capability()
    return f"; the GPU is sm_{major}{minor}, PyTorch {torch.__version__} has code for {', '.join(torch.cuda.get_arch_list())}"


def last_error(error):
    """Text to append to PyTorch's error about NCCL: its reason, which follows the first line."""
    _, found, reason = str(error).partition("Last error:\n")
    return f"; {reason.strip().splitlines()[0]}" if found and reason.strip() else ""


def cudnn_version(torch):
    try:
        return str(torch.backends.cudnn.version() or "")
    except RuntimeError:  # it does not support the GPU; the script may never use it
        return ""


def empty_ledger():
    return dict.fromkeys(("input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries"), 0)


def owners_of(roots, optimizers, device):
    """The locations of the parameters, gradients and optimizer state of modules and optimizers (None if one was deleted) on a
    device type: {address: (category, bytes, name)}."""
    import torch
    named = {}
    for root in roots:
        if root is not None:
            for name, tensor in (*root.named_parameters(), *root.named_buffers()):
                named.setdefault(id(tensor), name)
    found = {}

    def add(tensor, category, name):
        tensor = getattr(tensor, "_local_tensor", tensor)  # of a DTensor: this rank's shard
        if isinstance(tensor, torch.Tensor) and tensor.device.type == device and tensor.layout == torch.strided:
            try:
                storage = tensor.untyped_storage()
                found.setdefault(storage.data_ptr(), (category, storage.nbytes(), name))
            except (RuntimeError, NotImplementedError):
                pass  # a wrapper without its own storage

    for root in roots:
        for tensor in root.buffers() if root is not None else ():
            add(tensor, "parameters", named.get(id(tensor), ""))
    for optimizer in optimizers:
        if optimizer is None:
            continue
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = named.get(id(parameter), "")
                add(parameter, "parameters", name)
                add(parameter.grad, "gradients", name)
        for parameter, state in optimizer.state.items():
            for value in state.values() if isinstance(state, dict) else ():
                add(value, "optimizer_state", named.get(id(parameter), ""))
    return found


def where(frame=None):
    """The innermost line of the script's own code, "train.py:57": here, or in a frame and its callers."""
    frame = frame or sys._getframe(1)
    best = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if name not in OWN and not is_library(name):
            return f"{os.path.basename(name)}:{frame.f_lineno}"
        if not best and name not in OWN:
            best = f"{os.path.basename(name)}:{frame.f_lineno}"
        frame = frame.f_back
    return best or "autograd"


def phase_of(frame, before):
    """What a thread of the script is doing, from its innermost frame on: "data", "forward", "backward" or "optimizer"; `before` where
    none of these is on its stack, such as in a loss function."""
    while frame is not None:
        name, function = frame.f_code.co_filename, frame.f_code.co_name
        if function == "backward" and name.endswith(("torch/_tensor.py", "torch/autograd/__init__.py")):
            return "backward"
        if function == "step" and "torch/optim/" in name:
            return "optimizer"
        if "torch/utils/data/" in name:
            return "data"
        if function == "_call_impl" and name.endswith("torch/nn/modules/module.py"):
            return "forward"
        frame = frame.f_back
    return before


def is_library(name):
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    return (name.startswith("<") or "site-packages" in name or "/lib/python" in name
            or torch is not None and name.startswith(os.path.dirname(torch) + os.sep))


def failure_place(error):
    """The innermost line of the script in a traceback, otherwise the innermost of all."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in OWN]
    own = [f for f in frames if not is_library(f.filename)]
    frame = (own or frames or [None])[-1]
    return f"{os.path.basename(frame.filename)}:{frame.lineno}" if frame else ""


def of_script(frames):
    """A traceback without the frames that run the script."""
    while frames is not None and frames.tb_next is not None:
        name = frames.tb_frame.f_code.co_filename
        if name not in OWN and "runpy" not in name:
            break
        frames = frames.tb_next
    return frames


def execute(script, arguments):
    if script == "-m":
        sys.argv = arguments[:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [script, *arguments]
        sys.path[0] = os.path.dirname(os.path.realpath(script))
        runpy.run_path(script, run_name="__main__")


def one_line(error):
    text = str(error).strip()
    first = text.splitlines()[0] if text else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
