#!/usr/bin/env python3
"""Trains the small 3D U-Net of tests/core/pretend/torch_training.py and dumps a memory snapshot of it.

    record.py OUT.pickle all|python [benchmark] [float16]

Needs a torch with CUDA, else the exit status is 77, and a device, real or the pretended device of core/pretend.
"""
import os
import sys

try:
    import torch
except ImportError:
    print(f"{sys.executable} has no torch")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../core/pretend"))
from torch_training import train  # noqa: E402

if not torch.backends.cuda.is_built():
    print(f"torch {torch.__version__} of {sys.executable} was built without CUDA")
    sys.exit(77)
out, stacks, *words = sys.argv[1:]
torch.cuda.init()
torch.cuda.memory._record_memory_history("all", context="all", stacks=stacks)
torch.backends.cudnn.allow_tf32 = False
try:
    train(torch, benchmark="benchmark" in words, amp="float16" if "float16" in words else None)
except SystemExit as complaint:  # of the peaks, which are not what is tested here
    print(complaint)
torch.cuda.memory._dump_snapshot(out)
