"""A training to watch, or to run alone: python watched.py STORE|- DEVICE WAY. Prints a fingerprint of the weights.

WAY says how it ends, and what else it does: see `WAYS`.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/python/src"))
STORE, DEVICE, WAY = (sys.argv + ["-", "cpu", "plain"][len(sys.argv) - 1:])[1:4]
STEPS = 20


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv3d(1, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU(inplace=True))
        self.head = nn.Conv3d(8, 3, 1)

    def forward(self, x):
        return self.head(nn.functional.dropout(self.encoder(x), 0.1, self.training))


def fingerprint(model) -> str:
    return hashlib.sha256(b"".join(value.detach().cpu().numpy().tobytes() for value in model.state_dict().values())).hexdigest()


def written() -> bytes:
    return next(Path(STORE).glob("runs/*/events.jsonl")).read_bytes()


def middle(step: int) -> None:
    """What happens in the middle of the training."""
    if step != STEPS // 2:
        return
    if WAY == "raises":
        raise ValueError("in the middle")
    if WAY in ("killed", "full"):
        while STORE != "-" and written().count(b'"event": "step"') < STEPS // 2:
            time.sleep(0.01)
    if WAY == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if WAY == "leaves":
        os._exit(7)
    if WAY == "interrupted":
        os.kill(os.getpid(), signal.SIGINT)
    if WAY == "full" and STORE != "-":
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(written()) + 200, resource.RLIM_INFINITY))
    if WAY == "gone" and STORE != "-":
        import shutil
        shutil.rmtree(STORE, ignore_errors=True)
    if WAY == "forks":
        child = os.fork()
        if child == 0:
            torch.zeros(10).sum()
            os._exit(0)
        os.waitpid(child, 0)
    if WAY == "profiles":
        with torch.profiler.profile(profile_memory=True):
            torch.ones(4).sum()


def train() -> nn.Module:
    torch.manual_seed(3)
    torch.use_deterministic_algorithms(DEVICE == "cpu")
    model = Net().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    if STORE != "-":
        import highwatermark
        highwatermark.watch(model, optimizer, store=STORE, name=f"the way {WAY}", trace="first,worst,5")
    data = TensorDataset(torch.randn(2 * STEPS, 1, 12, 12, 12), torch.randint(0, 3, (2 * STEPS, 12, 12, 12)))
    for step, (image, label) in enumerate(DataLoader(data, 2, num_workers=1 if WAY == "forks" else 0)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(image.to(DEVICE)), label.to(DEVICE))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        middle(step)
        if step % 8 == 7:
            model.eval()
            with torch.no_grad():
                model(image.to(DEVICE))
            model.train()
    return model


if __name__ == "__main__":
    print(fingerprint(train()), flush=True)
