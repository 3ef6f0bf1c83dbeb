#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/wire/events.h"

namespace highwater::wire {

/// What Python itself takes of a step: the time in which no operator of PyTorch's was running. Measured after
/// the run's last step, in one more.
struct PythonShare {
    Millis step = 0;    ///< of that step
    Millis python = 0;  ///< of it
    double callUs = 0;  ///< microseconds that a layer's forward takes in which nothing is computed
    bool operator==(const PythonShare&) const = default;
};

/// A layer of the experiment, and what stands for it in the exported program.
struct PythonLayer {
    std::string name, type;
    stack::Shape outputShape;
    std::int64_t parameters = 0;
    std::string module;  ///< as named_modules() names it; empty: nothing does
    int block = -1;      ///< the block around it, an index into the list; -1: none
    bool operator==(const PythonLayer&) const = default;
};

/// The Python whose own PyTorch trains an experiment in place of the engine, from the exported program
/// (model.py in the run's folder).
struct PythonSource {
    std::filesystem::path python;  ///< the interpreter
    std::string version;           ///< Python's, "3.11.7"
    std::string torch;             ///< PyTorch's, "2.11.0+cu130"
    std::string gpu;               ///< the profile of the GPU that is pretended; empty: none
    std::optional<PythonShare> share = {};
    std::filesystem::path cudnn = {};  ///< the folder of its libcudnn.so.9; empty: none. Not kept
    bool pretended() const { return !gpu.empty(); }
    bool operator==(const PythonSource&) const = default;
};

/// "PyTorch 2.11.0+cu130 in Python 3.11.7".
std::string pythonText(const PythonSource& source);
/// "6.1 ms of 40 ms are Python's own (15 %); a layer's forward takes 3 µs in which nothing is computed".
std::string shareText(const PythonShare& share);

/// RUN/python.json: it tells a run through Python from one of the engine. What trains reads the layers and
/// the prediction there, and adds the share.
base::Status writePython(const std::filesystem::path& runFolder, const PythonSource& source,
                         const std::vector<PythonLayer>& layers, const std::optional<Predicted>& predicted);
/// Nothing if the run is the engine's. Error: the file is damaged.
base::Result<std::optional<PythonSource>> readPython(const std::filesystem::path& runFolder);
/// For people's programs: the same without layers and prediction.
nlohmann::ordered_json toJson(const PythonSource& source);

}  // namespace highwater::wire
