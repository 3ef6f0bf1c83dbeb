#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Imports what torch.export.save writes: `torch.export.save(torch.export.export(model, (example,)),
/// "net.pt2")` of PyTorch 2.5 to 2.15. Only the graph's JSON is read, weights never. The Python package
/// gives the graph without its archive: {"program": the graph, "ties": {another name of a parameter: its
/// first name}}.
namespace highwater::stack {

struct PytorchImport {
    Experiment experiment;
    std::string text;                ///< the experiment's file, a layer a line
    std::vector<std::string> notes;  ///< what the file cannot say of the network, one line each
    /// What the parameters of each layer are called in the network, by role: {"weight":
    /// "encoder.conv.weight"}. In the order of the stack, blocks not counted.
    std::vector<std::map<std::string, std::string>> parameters;
};

struct PytorchOptions {
    std::string
        output;        ///< key or index of the only output that counts; empty: all, the smaller ones as heads
    std::string name;  ///< of the experiment; empty: that of the network's class
    std::string loss;  ///< one of kLossNames; empty: as the output
    std::string optimizer =
        "adam";                ///< "sgd", "adam", "adamw"; all parameters are updated together (foreach)
    std::string precision;     ///< "fp32", "bf16", ...; empty: as the parameters are, and where they are fp32
                               ///< with TF32 in convolutions, as PyTorch does unless it is told otherwise
    std::int64_t classes = 0;  ///< of random labels; 0: as the loss needs
    std::vector<std::string> scans;  ///< one for each channel; empty: random input
    std::string labels;              ///< the scan's label map
    /// Further keys of the file, such as {"step": {"micro_batches": 2}}; they have the last word.
    base::Json settings = base::Json::object();
};

/// The layers in the order of execution, modules as blocks, side outputs as heads (docs/own-networks.md).
/// Errors, one line: an option that does not fit; no archive of
/// torch.export (the message says what else it is); an archive or a graph that is damaged; symbolic sizes;
/// several inputs; an operator that no layer stands for (each kind, with where it is first met); a layer that
/// Highwater does not know, or a stack that it refuses.
base::Result<PytorchImport> importPytorchFile(const std::filesystem::path& path,
                                              const PytorchOptions& options);
/// The same from a file's bytes; errors begin with `name`.
base::Result<PytorchImport> importPytorch(std::string_view bytes, std::string_view name,
                                          const PytorchOptions& options);

}  // namespace highwater::stack
