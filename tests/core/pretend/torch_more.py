"""More checks of torch_check.py: what scripts touch beside training, each in a process of its own."""
import ctypes
import json
import os

from torch_training import expect

MIB = 1 << 20


def report():
    with open(os.environ["HIGHWATER_PRETEND_REPORT"]) as file:
        return json.load(file)


def requests(torch, run):
    torch.cuda.memory._record_memory_history(max_entries=100000)
    run()
    return [e["size"] for e in torch.cuda.memory._snapshot()["device_traces"][0] if e["action"] == "alloc"]


def convolution(torch, **keywords):
    conv = torch.nn.Conv3d(8, 16, 3, padding=1, bias=False, **keywords).cuda()
    x = torch.zeros(1, 8, 24, 24, 24, device="cuda", requires_grad=True)
    conv(x).sum().backward()


def asked_workspaces(torch):
    """Every part of a convolution once, TF32's plans left out where it is not allowed."""
    sizes = requests(torch, lambda: convolution(torch))
    known = report()["workspaces"]
    expect("convolutions known", sum(known[source] for source in ("asked", "cached", "table", "guessed")), 3)
    expect("the largest workspace was asked for", known["largest"] == 0 or known["largest"] in sizes, True)
    convolution(torch)
    expect("convolutions known then", sum(report()["workspaces"][s] for s in ("asked", "cached", "table", "guessed")), 3)
    expect("searched", report()["workspaces"]["benchmarked"], {"operations": 0, "least": 0, "most": 0})


def searched_workspaces(torch):
    """`benchmark`: one block of the largest workspace, and the first plan wins, in every run."""
    torch.backends.cudnn.benchmark = True
    sizes = requests(torch, lambda: convolution(torch))
    timed = report()["workspaces"]["benchmarked"]
    if timed["operations"]:  # of one plan alone nothing is timed
        expect("workspaces of those that were timed", 0 <= timed["least"] <= timed["most"] <= max(sizes), True)
    torch.cuda.reset_peak_memory_stats()
    again = requests(torch, lambda: convolution(torch))
    expect("the search is done once", max(again) <= max(sizes), True)


def graphs(torch):
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
    x = torch.zeros(8, 64, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        net(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
        other = torch.cuda.Stream()
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            z = x * 2
        torch.cuda.current_stream().wait_stream(other)
    pools = {tuple(s["segment_pool_id"]) for s in torch.cuda.memory._snapshot()["segments"]}
    expect("a private pool", len(pools), 2)
    graph.replay()
    made = torch.cuda.make_graphed_callables(net, (x.clone().requires_grad_(),))
    made(x.clone().requires_grad_()).sum().backward()
    expect("shapes", (y.shape, z.shape), (x.shape, x.shape))


def synchronizing_a_capture_is_an_error(torch):
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            torch.zeros(1, device="cuda").item()
    except RuntimeError as error:
        expect("words of the error", "captur" in str(error), True)
        return
    raise SystemExit("a capture was synchronized")


def profiler_of_the_host(torch):
    kinds = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA], profile_memory=True) as profile:
        torch.zeros(100, device="cuda").add(1).sum()
    expect("an operator is there", any(e.key == "aten::add" for e in profile.key_averages()), True)


def pinned_memory_is_bounded(torch):
    torch.zeros(MIB, pin_memory=True).cuda(non_blocking=True)
    try:
        torch.empty(1 << 45, dtype=torch.uint8, pin_memory=True)
    except RuntimeError as error:
        expect("words of the error", "out of memory" in str(error), True)
        return
    raise SystemExit("32 TiB were pinned")


def one_device(torch):
    expect("devices", torch.cuda.device_count(), 1)
    try:
        torch.zeros(1, device="cuda:1")
    except RuntimeError as error:
        expect("words of the error", "invalid device ordinal" in str(error), True)
        return
    raise SystemExit("there was a second device")


def recurrent_layers(torch):
    for layer in (torch.nn.LSTM(12, 20, 2, bidirectional=True, dropout=0.1), torch.nn.GRU(12, 20, bias=False),
                  torch.nn.RNN(12, 20), torch.nn.LSTM(12, 20, proj_size=8)):
        layer.cuda()
        x = torch.zeros(7, 3, 12, device="cuda", requires_grad=True)
        out, _ = layer(x)
        out.sum().backward()
        expect("gradients", [n for n, p in layer.named_parameters() if p.grad is None], [])


def transforms(torch):
    x = torch.zeros(2, 32, 32, 32, device="cuda", requires_grad=True)
    y = torch.fft.irfftn(torch.fft.rfftn(x, dim=(1, 2, 3)), s=(32, 32, 32), dim=(1, 2, 3))
    y.sum().backward()
    expect("shape", x.grad.shape, x.shape)


def solvers(torch):
    for kind in (torch.float32, torch.float64, torch.complex64):
        x = torch.zeros(3, 40, 40, dtype=kind, device="cuda")
        for found in (torch.linalg.inv(x), torch.linalg.cholesky(x), *torch.linalg.qr(x), *torch.linalg.svd(x),
                      *torch.linalg.eigh(x), torch.linalg.solve(x, x), torch.linalg.det(x)):
            expect("samples", found.shape[0], 3)


def values_that_the_host_reads(torch):
    events = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulonglong)

    @kind
    def heard(what, text, size):
        events.append((what.decode(), text.decode(), size))

    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    library.highwaterPretendOnEvent(heard)
    x = torch.zeros(100, device="cuda")
    x.sum().item()
    expect("read by item()", events, [("read", "", 4)])
    x.cpu()
    expect("no value", len(events), 1)
    expect("elements that are not zero", x.nonzero().shape[0], 0)
    expect("read by nonzero()", len(events) > 1, True)
    library.highwaterPretendOnEvent(None)


def checkpoints_while_memory_is_recorded(torch):
    """Recorded as run_script.py does. With context="all", PyTorch 2.11 lost the exception that ends a recomputation."""
    from torch.utils.checkpoint import checkpoint
    torch.cuda.memory._record_memory_history("all", context="alloc", stacks="python")
    layer = torch.nn.Linear(8, 8, device="cuda")

    def part(x):
        z = layer(x) + 1  # freed while the exception passes
        return torch.nn.functional.dropout(z, 0.5)

    checkpoint(part, torch.zeros(4, 8, device="cuda", requires_grad=True), use_reentrant=False).sum().backward()
    expect("gradient", layer.weight.grad is not None, True)


def only_code_for_the_gpu_runs(torch):
    """PyTorch's wheels for CUDA 13 have none for a V100."""
    known = "sm_70" in torch.cuda.get_arch_list()
    try:
        torch.ones(1, device="cuda").add_(1)
        expect("code for sm_70", known, True)
    except RuntimeError as error:
        expect("words of the error", "no kernel image is available" in str(error), True)
        expect("code for sm_70", known, False)


CHECKS = {
    checkpoints_while_memory_is_recorded: {},
    only_code_for_the_gpu_runs: {"GPU": "v100"},
    asked_workspaces: {"ASK": "1", "REPORT": "1"},
    searched_workspaces: {"ASK": "1", "REPORT": "1"},
    graphs: {},
    synchronizing_a_capture_is_an_error: {},
    profiler_of_the_host: {},
    pinned_memory_is_bounded: {},
    one_device: {},
    recurrent_layers: {},
    transforms: {},
    solvers: {"ZEROS": "1"},
    values_that_the_host_reads: {},
}
