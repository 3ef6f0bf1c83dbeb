"""compiled.py SCRIPT [ARGUMENTS]: the script, with torch.compile for each network that it moves to the GPU."""
import runpy
import sys

import torch


def compiled(network):
    """In place. A network whose forward is not its own (LightningModule) has its children compiled."""
    own = not type(network).forward.__module__.startswith(("lightning.", "torch.nn.modules.module"))
    for each in [network] if own else network.children():
        each.compile()


def moves(name):
    move = getattr(torch.nn.Module, name)

    def moved(network, *arguments, **named):
        before = next((parameter.device.type for parameter in network.parameters()), "")
        result = move(network, *arguments, **named)
        if before == "cpu" and next(network.parameters()).is_cuda:
            compiled(network)
        return result

    setattr(torch.nn.Module, name, moved)


if __name__ == "__main__":
    for each in ("cuda", "to"):
        moves(each)
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
