#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Imports files written by torch.export.save: `torch.export.save(torch.export.export(model, (example,)),
/// "net.pt2")` of PyTorch 2.5 to 2.15. Only the graph's JSON is read, never the weights. The Python package
/// passes the graph without its archive: {"program": the graph, "ties": {another name of a parameter: its
/// first name}}.
namespace highwater::stack {

struct PytorchImport {
    Experiment experiment;
    std::string text;                ///< the experiment's file, one line per layer
    std::vector<std::string> notes;  ///< properties of the network that the file cannot express, one line
                                     ///< each
    /// The names of each layer's parameters in the network, by role: {"weight": "encoder.conv.weight"}. In
    /// the order of the stack, without blocks.
    std::vector<std::map<std::string, std::string>> parameters;
};

struct PytorchOptions {
    std::string output;  ///< key or index of the only output to use; empty: all, the smaller ones as heads
    std::string name;    ///< of the experiment; empty: the name of the network's class
    std::string loss;    ///< one of kLossNames; empty: derived from the output
    std::string optimizer =
        "adam";                ///< "sgd", "adam", "adamw"; all parameters are updated together (foreach)
    std::string precision;     ///< "fp32", "bf16", ...; empty: that of the parameters; if they are fp32, TF32
                               ///< in convolutions, which is PyTorch's default
    std::int64_t classes = 0;  ///< number of classes of random labels; 0: derived from the loss
    std::vector<std::string> scans;  ///< one for each channel; empty: random input
    std::string labels;              ///< the scan's label map
    /// Further keys of the file, such as {"step": {"micro_batches": 2}}; they override all others.
    base::Json settings = base::Json::object();
};

/// The layers in the order of execution, modules as blocks, side outputs as heads (docs/own-networks.md).
/// Errors, one line: an invalid option; not an archive of torch.export (the message says what it is); a
/// damaged archive or graph; symbolic sizes; several inputs; operators that no layer implements (each kind,
/// with its first location); a layer unknown to Highwater, or a stack that it refuses.
base::Result<PytorchImport> importPytorchFile(const std::filesystem::path& path,
                                              const PytorchOptions& options);
/// The same from a file's bytes; errors begin with `name`.
base::Result<PytorchImport> importPytorch(std::string_view bytes, std::string_view name,
                                          const PytorchOptions& options);

}  // namespace highwater::stack
