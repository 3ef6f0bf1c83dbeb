"""A signal that arrives while PyTorch computes convolutions on the CPU does no harm."""
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytest.importorskip("torch")

from watching import SOURCE  # noqa: E402

SCRIPT = textwrap.dedent("""
    import signal
    signal.signal(signal.SIGUSR1, lambda *_: None)
    import torch
    torch.set_num_threads(1)
    net = torch.nn.Sequential(torch.nn.Conv3d(1, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv3d(4, 1, 3, padding=1))
    print("ready", flush=True)
    for _ in range(150):
        net(torch.randn(2, 1, 32, 32, 32)).square().mean().backward()
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
""")


def test_signals_do_not_reach_into_onednns_memory(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "highwatermark", "run", "--store", str(tmp_path / "store"), str(script)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as training:
        training.stdout.readline()
        while training.poll() is None:
            os.kill(training.pid, signal.SIGUSR1)
            time.sleep(0.001)
        assert training.returncode == 0, training.stderr.read()
