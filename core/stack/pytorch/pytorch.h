#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Imports what torch.export.save writes: `torch.export.save(torch.export.export(model, (example,)),
/// "net.pt2")` of PyTorch 2.5 to 2.15. Only the graph's JSON is read, weights never.
namespace highwater::stack {

struct PytorchImport {
    Experiment experiment;
    std::string text;  ///< the experiment's file, a layer a line, as the Python package writes it
    std::vector<std::string> notes;  ///< what the file cannot say of the network, one line each
};

struct PytorchOptions {
    std::string
        output;        ///< key or index of the only output that counts; empty: all, the smaller ones as heads
    std::string name;  ///< of the experiment; empty: that of the network's class
    std::string loss;  ///< "mse", "cross_entropy", "dice", "dice_cross_entropy", "mean"; empty: as the output
    std::string optimizer =
        "adam";             ///< "sgd", "adam", "adamw"; all parameters are updated together (foreach)
    std::string precision;  ///< "fp32", "bf16", ...; empty: as the parameters are
};

/// What the Python package makes of the same module (packaging/python, docs/own-networks.md): the layers in
/// the order of execution, modules as blocks, side outputs as heads. Errors, one line: no archive of
/// torch.export (the message says what else it is); an archive or a graph that is damaged; symbolic sizes;
/// several inputs; an operator that no layer stands for (each kind, with where it is first met); a layer that
/// Highwater does not know, or a stack that it refuses.
base::Result<PytorchImport> importPytorchFile(const std::filesystem::path& path,
                                              const PytorchOptions& options);
/// The same from an archive's bytes; errors begin with `name`.
base::Result<PytorchImport> importPytorch(std::string_view archive, std::string_view name,
                                          const PytorchOptions& options);

struct PytorchText {
    std::string text;
    std::vector<std::string> notes;
};
/// The experiment's file alone, not held against what Highwater can read.
base::Result<PytorchText> pytorchExperimentText(const std::filesystem::path& path,
                                                const PytorchOptions& options);

}  // namespace highwater::stack
