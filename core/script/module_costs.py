"""What the modules of a script hold and compute, recorded while it runs, for highwater-cli script --try.

Written to RUN_FOLDER/script-modules.json. Of each module only calls are recorded that record a graph, and that are not part of a
recomputation.
"""
import json
import os
import threading

from script_parts import OWN

OWN.add(os.path.abspath(__file__))


class ModuleCosts:
    def __init__(self):
        self.roots = []  # of models with parameters, in the order of their first calls
        self.modules = {}  # id: what is known of a module
        self.inside = threading.local()
        self.facts = {"autocast": False, "compiled": False, "channels_last": False, "keeps_gradients": False, "loader_batch": 0}

    def install(self):
        import torch
        call = torch.nn.Module.__call__
        costs = self

        def recorded(module, *inputs, **named):
            if torch.compiler.is_compiling() or not torch.cuda.is_initialized() or not torch.is_grad_enabled():
                return call(module, *inputs, **named)
            return costs.call(call, module, inputs, named)

        torch.nn.Module.__call__ = recorded
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            owner.zero_grad = self.zeroing(owner.zero_grad)
        self.note_loaders()

    def note_loaders(self):
        import torch.utils.data
        init, facts = torch.utils.data.DataLoader.__init__, self.facts

        def noted(self, dataset, batch_size=1, *more, **named):
            facts["loader_batch"] = max(facts["loader_batch"], batch_size or 0)
            init(self, dataset, batch_size, *more, **named)

        torch.utils.data.DataLoader.__init__ = noted

    def zeroing(self, inner):
        def zero_grad(this, set_to_none=True):
            self.facts["keeps_gradients"] |= not set_to_none
            return inner(this, set_to_none)
        return zero_grad

    # -- calls -------------------------------------------------------------------------------------------------------

    def call(self, call, module, inputs, named):
        import torch
        stack = self.inside.__dict__.setdefault("stack", [])
        if not stack and not self.know(module):
            return call(module, *inputs, **named)
        known = self.modules.get(id(module))
        if known is None or not module.training:
            return call(module, *inputs, **named)
        self.facts["autocast"] |= torch.is_autocast_enabled("cuda")
        tensors = [x for x in (*inputs, *named.values()) if isinstance(x, torch.Tensor)]
        versions = [x._version for x in tensors]
        before = torch.cuda.memory_allocated()
        stack.append([0.0])
        try:
            output = call(module, *inputs, **named)
        finally:
            (flops,) = stack.pop()
        held = torch.cuda.memory_allocated() - before
        flops += own_flops(module, inputs, output)
        if stack:
            stack[-1][0] += flops
        made = [x for x in leaves(output) if all(x.data_ptr() != y.data_ptr() for y in tensors)]
        known["held_bytes"] = max(known["held_bytes"], held)
        known["output_bytes"] = max(known["output_bytes"], sum({x.data_ptr(): x.untyped_storage().nbytes() for x in made}.values()))
        known["flops"] = max(known["flops"], flops)
        known["calls"] += 1
        simple = all(x is None or isinstance(x, (torch.Tensor, bool, int, float, str)) for x in (*inputs, *named.values()))
        known["recomputable"] &= simple and [x._version for x in tensors] == versions and any(x.requires_grad for x in leaves(output))
        known["splits"] &= splits(inputs, named, output)
        if tensors and tensors[0].dim():
            known["batch"] = max(known["batch"], tensors[0].shape[0])
        self.facts["channels_last"] |= any(channels_last(x) for x in tensors)
        return output

    def know(self, root):
        """Whether a module that is called outside of others is a model with parameters. False in a recomputation."""
        import torch
        if id(root) in self.modules:
            return self.modules[id(root)]["name"] == ""
        if not any(parameter.requires_grad for parameter in root.parameters()):
            return False
        # Of a compiled model the modules inside are those of the original one.
        self.facts["compiled"] |= type(root).__name__ == "OptimizedModule" or getattr(root, "_compiled_call_impl", None) is not None
        norm = torch.nn.modules.batchnorm._BatchNorm
        for name, module in root.named_modules():
            known = {"root": len(self.roots), "name": name, "class": type(module).__name__, "held_bytes": 0, "output_bytes": 0,
                     "flops": 0.0, "calls": 0, "splits": True, "batch": 0,
                     "batch_norm": any(isinstance(m, norm) for m in module.modules()),
                     "recomputable": "forward" not in module.__dict__ and hasattr(module.forward, "__func__")
                                     and getattr(module, "_compiled_call_impl", None) is None}
            self.modules.setdefault(id(module), known)
        self.roots.append(root)
        return True

    # -- the end -----------------------------------------------------------------------------------------------------

    def save(self, folder, optimizers):
        facts = {**self.facts, "modules": [m for m in self.modules.values() if m["calls"]], "optimizers": []}
        facts["dropout"] = any(type(m).__name__.startswith("Dropout") and m.training and m.p for r in self.roots for m in r.modules())
        facts["own_checkpoints"] = [i for i, root in enumerate(self.roots) if hasattr(root, "gradient_checkpointing_enable")
                                    and getattr(root, "supports_gradient_checkpointing", True)]
        for optimizer in optimizers:
            if optimizer is not None:
                group = optimizer.param_groups[0]
                facts["optimizers"].append({"class": type(optimizer).__name__, "foreach": bool(group.get("foreach") in (None, True) and "foreach" in group),
                                            "fused": bool(group.get("fused")), "can_fuse": "fused" in group})
        with open(os.path.join(folder, "script-modules.json"), "w", encoding="utf-8") as file:
            json.dump(facts, file)


def leaves(values):
    import torch
    from torch.utils._pytree import tree_leaves
    return [x for x in tree_leaves(values) if isinstance(x, torch.Tensor)]


def splits(inputs, named, output):
    """Whether a batch can be computed in parts: the first size of all tensors is the batch."""
    sizes = {x.shape[0] if x.dim() else 0 for values in (inputs, named, output) for x in leaves(values)}
    return len(sizes) == 1 and 0 not in sizes and bool(leaves(output))


def channels_last(x):
    import torch
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return x.dim() in formats and x.is_contiguous(memory_format=formats[x.dim()]) and not x.is_contiguous()


def own_flops(module, inputs, output):
    """Of a convolution or a linear layer; 0 for other modules."""
    import torch
    weight = module._parameters.get("weight")
    if weight is None or weight.dim() < 2 or not isinstance(output, torch.Tensor) or isinstance(module, torch.nn.Embedding):
        return 0.0
    first = inputs[0] if inputs and isinstance(inputs[0], torch.Tensor) else output
    elements = first.numel() if getattr(module, "transposed", False) else output.numel()
    return 2.0 * elements * weight.numel() / weight.shape[0]
