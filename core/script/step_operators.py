"""Records the operators of one training step, with what decides how long each takes on a GPU.

`Recorder` is a dispatch mode: while it is on, PyTorch tells it of every operator, those of the backward pass and of compiled code's
calls into PyTorch included. Kernels that Inductor wrote are seen where they are launched. What each moves and computes follows from
shapes and types alone, so that a pretended device tells as much as a real one. Read by core/script/step_operators.h.
"""
import collections
import json
import os

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Family of operators: parts of their names, the first that is found decides.
FAMILIES = (
    ("norm", ("batch_norm", "layer_norm", "group_norm", "rms_norm")),
    ("pool_backward", ("pool2d_backward", "pool3d_backward", "pool2d_with_indices_backward", "pool3d_with_indices_backward")),
    ("pool", ("pool1d", "pool2d", "pool3d")),
    ("upsample_backward", ("upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward",
                           "upsample_bilinear2d_backward", "upsample_trilinear3d_backward", "upsample_bicubic2d_backward")),
    ("upsample", ("upsample_",)),
    ("concat", ("aten.cat.", "aten.stack.")),
    ("copy", ("aten.copy_.", "aten._to_copy.", "aten.clone.", "aten.constant_pad_nd.", "aten.roll.", "aten.index.", "aten.gather.",
              "aten.index_select.", "aten.embedding.", "aten._unsafe_index.", "slice_backward", "select_backward", "aten.flip.")),
)
NO_KERNEL = ("aten.empty", "aten.new_empty", "profiler.", "prim.", "aten.set_.", "aten.resize_.", "aten.record_stream.",
             "aten.is_pinned", "aten._local_scalar_dense", "aten.lift_fresh", "aten.sym_", "aten.is_same_size")
PRODUCTS = ("aten.mm.", "aten.addmm.", "aten.bmm.", "aten.baddbmm.", "aten._addmm")
ATTENTION = "_scaled_dot_product_"
NAMES = {torch.float16: "f16", torch.bfloat16: "bf16"}
SUFFIXES = {torch.float16: "/fp16", torch.bfloat16: "/bf16"}  # of ConvKey::text


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def on_gpu(tensors):
    return [each for each in tensors if each.device.type == "cuda"]


def size(tensor):
    return tensor.numel() * tensor.element_size()


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()
        self.dispatches = self.reads = self.kernels = 0
        self.views = {}
        self.launch = None

    @classmethod
    def is_infra_mode(cls):
        """Otherwise torch.compile would run what it has compiled eagerly while this mode is on."""
        return True

    def __enter__(self):
        self.watch_compiled_code()
        return super().__enter__()

    def __exit__(self, *error):
        self.forget_compiled_code()
        return super().__exit__(*error)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        try:
            self.take(func, args, kwargs, result)
        except Exception:  # an operator of a kind that is not known here
            self.counts["elementwise", "", "f32", 0, 0] += 1
        return result

    def take(self, func, args, kwargs, result):
        name = str(func)
        inputs, outputs = list(tensors_in((args, tuple(kwargs.values())))), list(tensors_in(result))
        if not on_gpu(inputs) and not on_gpu(outputs):
            return
        self.dispatches += 1
        if name.startswith("aten._local_scalar_dense"):
            self.reads += 1
        if name.startswith(NO_KERNEL) or self.is_view(func):
            return
        if any(each.device.type == "cpu" and each.dim() for each in inputs):
            return  # a transfer from the host, which runs beside the step or waits for it
        if name.startswith("aten.convolution"):
            self.take_convolution(name, args)
            return
        inputs, outputs = on_gpu(inputs), on_gpu(outputs)
        kind = NAMES.get((outputs or inputs)[0].dtype, "f32")
        moved = sum(map(size, inputs)) + sum(map(size, outputs))
        operations = self.operations(name, inputs, outputs)
        if operations:
            self.counts["product", "", kind, moved, operations] += 1
            return
        family = next((family for family, parts in FAMILIES if any(part in name for part in parts)), "elementwise")
        if family == "norm" and inputs:
            moved += max(map(size, inputs))  # the statistics are a pass of their own
        self.counts[family, "", kind, moved, 0] += 1

    def is_view(self, func):
        if func not in self.views:
            aliases = [each.alias_info for each in func._schema.returns]
            self.views[func] = bool(aliases) and all(alias is not None and not alias.is_write for alias in aliases)
        return self.views[func]

    @staticmethod
    def operations(name, inputs, outputs):
        """Of a matrix product or of attention; a multiply-add counts as two. 0 for others."""
        if ATTENTION in name:
            query, key = inputs[1:3] if "backward" in name else inputs[:2]
            forward = 4 * query.numel() * key.shape[-2]
            return forward * 5 // 2 if "backward" in name else forward
        return 2 * outputs[0].numel() * inputs[-2].shape[-1] if name.startswith(PRODUCTS) else 0

    def take_convolution(self, name, args):
        """As ConvKey::text."""
        backward = name.startswith("aten.convolution_backward")
        _, x, weight, bias, stride, padding, dilation, transposed, extra, groups, mask = \
            args if backward else (None, *args, (False, False, False))
        dims = x.dim() - 2

        def axes(values):
            values = list(values)
            return ",".join(str(each) for each in (values if len(values) == dims else values * dims))

        outputs = weight.shape[1] * groups if transposed else weight.shape[0]
        key = f"conv{'_transpose' if transposed else ''}{dims}d/{'b' if backward else 'f'}/n{x.shape[0]}/c{x.shape[1]},{outputs}"
        key += f"/i{axes(x.shape[2:])}/k{axes(weight.shape[2:])}/s{axes(stride)}/p{axes(padding)}/d{axes(dilation)}/g{groups}"
        key += f"/o{axes(extra)}" if transposed else ""
        key += "/b" if bias is not None else ""
        key += ("/gi" if mask[0] else "") + ("/gw" if mask[1] else "")
        key += SUFFIXES.get(x.dtype, "")
        last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(x.dim())
        if last is not None and x.is_contiguous(memory_format=last) and not x.is_contiguous():
            key += "/cl"
        tf32 = x.dtype == torch.float32 and torch.backends.cudnn.allow_tf32
        self.counts["convolution", key, "tf32" if tf32 else NAMES.get(x.dtype, "f32"), 0, 0] += 1

    def watch_compiled_code(self):
        try:
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
        except ImportError:
            return
        launch = self.launch = CachingAutotuner.run

        def watched(autotuner, *args, **kwargs):
            self.kernels += 1
            self.dispatches += 1
            self.counts["compiled", "", "f32", sum(size(each) for each in on_gpu(tensors_in(args))), 0] += 1
            return launch(autotuner, *args, **kwargs)

        CachingAutotuner.run = watched

    def forget_compiled_code(self):
        if self.launch is not None:
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
            CachingAutotuner.run = self.launch
            self.launch = None

    def write(self, path):
        """The operators of the step, equal ones once, with how often they ran."""
        operators = []
        for (family, key, kind, moved, operations), count in self.counts.items():
            operators.append({"family": family, "type": kind, "count": count,
                              **({"convolution": key} if key else {"bytes": moved, "operations": operations})})
        document = {"format": "highwater.step-operators/1", "benchmark": bool(torch.backends.cudnn.benchmark),
                    "tf32_products": bool(torch.backends.cuda.matmul.allow_tf32), "dispatches": self.dispatches, "kernels": self.kernels,
                    "reads": self.reads, "operators": operators}
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(document, file)
        os.replace(path + ".part", path)
