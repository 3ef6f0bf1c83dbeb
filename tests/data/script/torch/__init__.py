"""As much of PyTorch's interface as run_script.py uses. Memory is a list of numbers; a script says what is allocated."""
import os
import sys
import time
import types

from torch import version

__version__ = version.__version__
strided = "strided"


class Tensor:
    device, layout = types.SimpleNamespace(type="cuda"), strided
    requires_grad, _version = True, 0

    def __init__(self, size, name="forward", line=1, frames=None):
        self.address, self.size, self.grad = cuda.allocate(size, name, line, frames), size, None

    def untyped_storage(self):
        return types.SimpleNamespace(data_ptr=lambda: self.address, nbytes=lambda: self.size)

    def data_ptr(self):
        return self.address

    def dim(self):
        return 0

    def free(self, frames=None):
        cuda.free(self.address, frames)


class _Cuda(types.ModuleType):
    class OutOfMemoryError(RuntimeError):
        pass

    def __init__(self):
        super().__init__("torch.cuda")
        self.waiting, self.began = [], False
        self.events, self.living, self.next, self.peak, self.recording, self.frees_have_frames = [], {}, 1 << 40, 0, False, False
        self.memory = types.ModuleType("torch.cuda.memory")
        self.memory._record_memory_history = self._record
        self.memory._snapshot = self._snapshot

    def _lazy_call(self, then):
        then() if self.began else self.waiting.append(then)

    def init(self):
        if not self.began:
            self.began = True
            for then in self.waiting:
                then()

    def _record(self, enabled, context="all", **options):
        self.recording, self.frees_have_frames = bool(enabled), context == "all"

    def event(self, action, address, size, frames):
        time.sleep(2e-6)  # so that no two events have the same microsecond
        if self.recording:
            self.events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": time.time_ns() // 1000,
                                "frames": [dict(zip(("filename", "name", "line"), each)) for each in frames]})

    def allocate(self, size, name, line, frames):
        self.init()
        if sum(self.living.values()) + size > int(os.environ.get("HIGHWATER_PRETEND_MEMORY", 1 << 30)):
            self.event("oom", 0, size, [])
            raise self.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size / (1 << 30):.2f} GiB. GPU 0 is full.")
        address, self.next = self.next, self.next + size
        self.living[address] = size
        self.peak = max(self.peak, sum(self.living.values()))
        self.event("alloc", address, size, [("train.py", name, line)] if frames is None else frames)
        return address

    def free(self, address, frames):
        size = self.living.pop(address)
        for action in ("free_requested", "free_completed"):
            frames = [("train.py", "step", 1)] if frames is None else frames
            self.event(action, address, size, frames if self.frees_have_frames else [])

    def _snapshot(self):
        return {"segments": [], "device_traces": [[]] * self.current_device() + [self.events], "allocator_settings": {}}

    def current_device(self):
        return int(os.environ.get("LOCAL_RANK", "0"))

    def memory_stats(self, device=None):
        return {"allocated_bytes.all.current": sum(self.living.values()), "allocated_bytes.all.peak": self.peak, "reserved_bytes.all.peak": self.peak + (1 << 20),
                "requested_bytes.all.peak": self.peak, "num_alloc_retries": 0}

    def is_initialized(self):
        return self.began

    def memory_allocated(self):
        return sum(self.living.values())

    def max_memory_allocated(self):
        return self.peak

    def get_device_capability(self):
        return 8, 6

    def get_arch_list(self):
        return ["sm_90", "sm_120"]

    def get_device_properties(self, device):
        return types.SimpleNamespace(name="A GPU", total_memory=1 << 30, major=8, minor=6)


cuda = _Cuda()
compiler = types.SimpleNamespace(is_compiling=lambda: False)
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 91900))
_C = types.SimpleNamespace(_cuda_hasPrimaryContext=lambda device: device == cuda.current_device())


def get_num_threads():
    return 1


def is_grad_enabled():
    return True


def is_autocast_enabled(device):
    return False


class _Hooks(types.ModuleType):
    def __init__(self, name):
        super().__init__(name)
        self.before, self.after = [], []
        sys.modules[name] = self


_modules = _Hooks("torch.nn.modules.module")
_modules.register_module_forward_pre_hook = _modules.before.append
_modules.register_module_forward_hook = lambda hook, always_call: _modules.after.append(hook)
_optimizer = _Hooks("torch.optim.optimizer")
_optimizer.register_optimizer_step_post_hook = _optimizer.after.append
for _name, _value in (("torch.nn", types.ModuleType("torch.nn")), ("torch.nn.modules", types.ModuleType("torch.nn.modules")),
                      ("torch.optim", types.ModuleType("torch.optim")), ("torch.cuda", cuda)):
    sys.modules[_name] = _value


class Module:
    """With one parameter and perhaps one child."""

    training, _parameters = True, {}

    def __init__(self, size, child=None):
        self.parameter, self.child = Tensor(size, "_apply", 1, [("torch/nn/modules/module.py", "_apply", 1)]), child

    def named_modules(self, prefix=""):
        yield prefix, self
        if self.child:
            yield from self.child.named_modules(prefix + "." * bool(prefix) + "child")

    def named_parameters(self, prefix=""):
        yield prefix + "." * bool(prefix) + "weight", self.parameter
        if self.child:
            yield from self.child.named_parameters(prefix + "." * bool(prefix) + "child")

    def modules(self):
        return [module for _, module in self.named_modules()]

    def parameters(self):
        return [parameter for _, parameter in self.named_parameters()]

    def zero_grad(self, set_to_none=True):
        pass

    def named_buffers(self):
        return ()

    buffers = named_buffers

    def __call__(self, size):
        for hook in _modules.before:
            hook(self, ())
        made = self.forward(size)
        for hook in _modules.after:
            hook(self, (), None)
        return made

    def forward(self, size):
        return [Tensor(size, "forward", 5)] + (self.child(size) if self.child else [])


class Optimizer:
    def __init__(self, module):
        self.parameters = [tensor for _, tensor in module.named_parameters()]
        self.param_groups, self.state = [{"params": self.parameters}], {}

    def zero_grad(self, set_to_none=True):
        pass

    def step(self):
        for parameter in self.parameters:
            if parameter not in self.state:
                self.state[parameter] = {"momentum": Tensor(parameter.size, "step", 3, [("torch/optim/sgd.py", "step", 3)])}
        for hook in _optimizer.after:
            hook(self, (), {})


def checkpoint(function, *inputs, use_reentrant, context_fn):
    """Keeps the tensors that are returned."""
    before = set(cuda.living)
    made = function(*inputs)
    for address in set(cuda.living) - before - {tensor.address for tensor in made}:
        cuda.free(address, [])
    return made


class DataLoader:
    def __init__(self, dataset, batch_size=1):
        pass


def _module(name, **contents):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(contents)
    return sys.modules[name]


nn, optim = sys.modules["torch.nn"], sys.modules["torch.optim"]
nn.Module, nn.modules, optim.Optimizer = Module, sys.modules["torch.nn.modules"], Optimizer
nn.modules.batchnorm = _module("torch.nn.modules.batchnorm", _BatchNorm=(), _NormBase=())
utils = _module("torch.utils", data=_module("torch.utils.data", DataLoader=DataLoader))
_module("torch.utils.checkpoint", checkpoint=checkpoint)
_module("torch.utils._pytree", tree_leaves=lambda values: list(values) if isinstance(values, (list, tuple)) else [values])
