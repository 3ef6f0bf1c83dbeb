#include "core/stack/export/export_pytorch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using namespace python;

std::string header(const Experiment& e) {
    const std::string name = literal(base::oneLine(e.name.empty() ? "an experiment" : e.name, 70));
    return fmt::format(
        "\"\"\"{} in PyTorch, exported by Highwater.\n\n"
        "    python model.py --steps 10               # prints each step's loss\n"
        "    python model.py --steps 10 --device cpu\n"
        "    python model.py --steps 3 --memory       # and the peak of the tensors' memory\n\"\"\"\n\n",
        name.substr(1, name.size() - 2));
}

/// Environment variables that PyTorch reads when it is imported.
std::string environment(const Backend& backend) {
    std::string text;
    if (backend.workspaceLimit) {
        text += fmt::format("os.environ[\"CUDNN_CONV_WSCAP_DBG\"] = \"{}\"  # MiB of one workspace\n",
                            *backend.workspaceLimit / base::kMiB);
    }
    if (!backend.allocConf.empty()) {
        text += fmt::format("os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = {}\n", literal(backend.allocConf));
    }
    return text;
}

/// Whether the text contains this name, other than as the end of a longer one.
bool mentions(const std::string& text, std::string_view what) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_' && before != '.') {
            return true;
        }
    }
    return false;
}

std::string imports(const std::string& program, const std::string& environment) {
    std::string text = "import argparse\n";
    for (const std::string module : {"itertools", "math", "os", "time", "warnings"}) {
        if (mentions(module == "os" ? environment + program : program, module + ".")) {
            text += "import " + module + "\n";
        }
    }
    if (!environment.empty()) {
        text += "\n" + environment;
    }
    text += mentions(program, "np.") ? "\nimport numpy as np\nimport torch\n" : "\nimport torch\n";
    if (mentions(program, "F.")) {
        text += "import torch.nn.functional as F\n";
    }
    text += "from torch import nn\n";
    if (mentions(program, "checkpoint(")) {
        text += "from torch.utils.checkpoint import checkpoint\n";
    }
    return text;
}

/// The context manager around an offloaded part of the network.
std::string offloading(const std::string& network, base::Bytes above) {
    if (!mentions(network, "offloaded(")) {
        return {};
    }
    return fmt::format(R"(def to_host(tensor):
    """Large activations of a GPU wait in the host's memory. The copies are made in the stream that
    computes, so nothing overwrites a tensor before; Highwater's engine copies beside it."""
    if isinstance(tensor, nn.Parameter) or not tensor.is_cuda or tensor.nbytes <= {}:
        return tensor, None
    host = torch.empty_like(tensor, device="cpu", pin_memory=True)
    host.copy_(tensor, non_blocking=True)
    return host, tensor.device


def to_device(saved):
    tensor, device = saved
    return tensor if device is None else tensor.to(device, non_blocking=True)


def offloaded():
    return torch.autograd.graph.saved_tensors_hooks(to_host, to_device)
)",
                       above);
}

std::string constants(const Experiment& e, bool scaler) {
    std::string text = fmt::format("\nSEED = {}\n", e.step.seed);
    if (e.step.microBatches > 1) {
        text += fmt::format("MICRO_BATCHES = {}\n", e.step.microBatches);
    }
    if (scaler) {
        text += "GradScaler = getattr(torch.amp, \"GradScaler\", torch.cuda.amp.GradScaler)\n";
    }
    return text;
}

}  // namespace

base::Result<std::string> exportPytorch(const Experiment& experiment) {
    const auto info = HIGHWATER_TRY(inferShapes(experiment));
    if (isCohort(experiment)) {
        return base::Error{"/input/cohort is not exported; give one case as /input/scan"};
    }
    if (const auto unknown = unknownOperators(experiment.stack); !unknown.empty()) {
        return base::Error{
            fmt::format("no layer represents {}, so the stack cannot be exported; replace the layer",
                        fmt::join(unknown, ", "))};
    }
    const Program program = makeProgram(experiment, info);
    const std::string network = networkClass(experiment, info, program);
    std::string body;
    for (const std::string& part :
         {ownModules(program), offloading(network, program.offloadsAbove), network,
          lossFunction(experiment, info, program), windowFunctions(experiment, info),
          stepFunction(experiment, info, program), dataFunctions(experiment, info),
          mainFunctions(experiment, info)}) {
        if (!part.empty()) {
            body += "\n\n" + part;
        }
    }
    return header(experiment) + imports(body, environment(experiment.backend)) +
           constants(experiment, mentions(body, "GradScaler(")) + body;
}

std::vector<std::string> exportedModules(const Experiment& experiment, const StackInfo& info) {
    return moduleNames(experiment, info, makeProgram(experiment, info));
}

bool readsPhantom(const Experiment& experiment) {
    const auto* const scan = std::get_if<ScanInput>(&experiment.input);
    return scan != nullptr &&
           std::ranges::find(scan->scans, base::kHeadPhantom, &ScanSource::path) != scan->scans.end();
}

}  // namespace highwater::stack
