"""Checks of torch_check.py with several processes, the ranks, each on a pretended GPU: torch_ranks.py KIND is one of them."""
import json
import os
import socket
import subprocess
import sys
import time

from torch_training import expect


def wait_for_watchdog(torch, at_most):
    """Runs collectives until at most this many bytes are allocated, on every rank.

    The tensors of a collective are freed by the next one after PyTorch's watchdog thread, which looks every 100 ms, has
    found it completed. Until then the peak depends on how busy this machine is.
    """
    from torch import distributed
    end = time.monotonic() + 60
    while time.monotonic() < end:
        waiting = torch.tensor([int(torch.cuda.memory_allocated() > at_most)]).cuda()
        distributed.all_reduce(waiting)
        if waiting.item() == 0:
            return
        del waiting
        time.sleep(0.05)
    raise AssertionError(f"{torch.cuda.memory_allocated()} bytes are still allocated; {at_most} were after the first step")


def rank_main(kind):
    import torch
    from torch import distributed, nn
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.BatchNorm1d(512), nn.Linear(512, 256)).cuda()
    weights = sum(p.numel() for p in net.parameters())
    if kind == "ddp":
        net = nn.parallel.DistributedDataParallel(net, device_ids=[rank])
    else:
        from torch.distributed.fsdp import fully_shard
        fully_shard(net[0])
        fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters())
    allocated = []
    for step in range(4):
        net(torch.zeros(8, 256, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        allocated.append(torch.cuda.memory_allocated())
        if step == 1:  # DDP has rebuilt its buckets
            wait_for_watchdog(torch, allocated[0])
            torch.cuda.reset_peak_memory_stats()
    local = sum(getattr(p, "_local_tensor", p).numel() for p in net.parameters())
    number = torch.tensor([rank + 1, 10]).cuda()
    everybodys = [torch.empty_like(number) for _ in range(distributed.get_world_size())]
    distributed.all_gather(everybodys, number)
    distributed.all_reduce(number)
    distributed.barrier()
    print(json.dumps({"weights": weights, "local": local, "peak": torch.cuda.max_memory_allocated(), "sum": number.tolist(),
                      "gathered": [each.tolist() for each in everybodys], "device": torch.cuda.current_device(),
                      "devices": torch.cuda.device_count(), "used": torch.cuda.mem_get_info()[1] - torch.cuda.mem_get_info()[0],
                      "reserved": torch.cuda.memory_reserved()}), flush=True)
    distributed.destroy_process_group()


def trained(kind, count):
    """What each rank printed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {**os.environ, "WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
              "OMP_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([sys.executable, "-W", "ignore", __file__, kind], stdout=subprocess.PIPE, text=True,
                              env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(count)]
    said = [rank.communicate()[0] for rank in ranks]
    expect("exit codes", [rank.returncode for rank in ranks], [0] * count)
    return [json.loads(text.splitlines()[-1]) for text in said]


def expect_ranks(kind, count):
    ranks = trained(kind, count)
    expect("devices", [(rank["device"], rank["devices"]) for rank in ranks], [(number, count) for number in range(count)])
    expect("peaks", [rank["peak"] for rank in ranks], [ranks[0]["peak"]] * count)
    expect("sums", [rank["sum"] for rank in ranks], [[count * (count + 1) // 2, 10 * count]] * count)
    expect("gathered", [rank["gathered"] for rank in ranks], [[[number + 1, 10] for number in range(count)]] * count)
    buffers, context = int(os.environ["HIGHWATER_PRETEND_NCCL"]), int(os.environ["HIGHWATER_PRETEND_CONTEXT"])
    expect("memory of the device", [rank["used"] - rank["reserved"] for rank in ranks], [buffers + context] * count)
    return ranks


def distributed_data_parallel(torch):
    ranks = expect_ranks("ddp", 2)
    expect("parameters", [rank["local"] for rank in ranks], [rank["weights"] for rank in ranks])


def fully_sharded(torch):
    ranks = expect_ranks("fsdp", 2)
    expect("parameters", sum(rank["local"] for rank in ranks), ranks[0]["weights"])


_SETTINGS = {"DEVICES": "2", "ZEROS": "1", "NCCL": str(100 << 20), "CONTEXT": str(300 << 20), "RANK_PATIENCE": "120"}
CHECKS = {distributed_data_parallel: _SETTINGS, fully_sharded: _SETTINGS}

if __name__ == "__main__":
    rank_main(sys.argv[1])
