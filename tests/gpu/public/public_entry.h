#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/profile.h"
#include "core/stack/experiment.h"

/// Published measurements: files of the format highwater.public-truth/1 (resources/schema/public-truth.json),
/// in tests/gpu/public/memory and tests/gpu/public/time. An entry names its experiment, a file in
/// tests/gpu/public/experiments.
namespace highwater::truth {

enum class Kind { TrainingStep, OneLayer, Forward, RefusedRequest };
std::string_view kindText(Kind kind);  ///< as in the files: "training step", "one layer", ...

enum class Measure { Allocated, Reserved, Refused };
std::string_view measureText(Measure measure);  ///< "allocated", "reserved", "refused request"

/// The part of a prediction that an entry is compared with.
enum class Quantity {
    Peak,                    ///< the peak of the measured quantity: allocated or reserved
    PeakAllocated,           ///< the peak of allocated memory, whatever was measured
    FirstLayerForward,       ///< what the first layer adds during its forward
    FirstActivationSegment,  ///< the first layer's activations, rounded up to the allocator's 2 MiB
    FirstWorkspace,          ///< cuDNN's first workspace
    KeptAfterForward,        ///< input, parameters and the most activations
    CliffRequest             ///< the request that the first cliff makes
};

struct MemoryValue {
    Measure measure = Measure::Allocated;
    base::Bytes bytes = 0;
    base::Bytes rounding = 0;  ///< the rounding error of the published figure
};

/// For a board that differs from its profile: FLOP/s and bytes/s as published.
struct Roofs {
    double fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0, bytesPerSecond = 0;
};

struct Entry {
    std::string name;  ///< the file name, without folder and suffix
    std::string title, source;
    Kind kind = Kind::TrainingStep;
    std::string gpu;       ///< a profile's id
    std::string libtorch;  ///< as published; empty if unknown
    memory::TorchVersion predictWith;
    std::optional<predict::CudnnVersion> cudnn;  ///< to predict with; std::nullopt: the one of that LibTorch
    std::optional<Roofs> roofs;                  ///< replaces the profile's
    stack::Experiment experiment;
    std::vector<MemoryValue> memory;  ///< empty for an entry about time
    Quantity quantity = Quantity::Peak;
    base::Bytes added = 0;        ///< part of what is compared: always added to the prediction
    base::Bytes pythonBytes = 0;  ///< memory of the published script that Highwater's step does not use
    std::string trust;            ///< "highest", "high", "medium", "low"; empty for times
    double seconds = 0;           ///< of a step; 0: no time
    double secondsRounding = 0;   ///< as MemoryValue::rounding
    std::string network;          ///< times: "2D", "3D", "3D ResEnc"
    std::string series;           ///< times: the table or collection that contains it
    bool waitsForData = false;    ///< times: limited by the data, not by the GPU
    std::string why;              ///< the reason for a miss, if known
};

/// `experiments` is the folder of the experiments. Errors, one line: the file, and what is wrong in it.
base::Result<Entry> parseEntry(const std::string& text, const std::string& name,
                               const std::filesystem::path& experiments);

/// All entries of tests/gpu/public, those of memory first, by name.
base::Result<std::vector<Entry>> loadEntries(const std::filesystem::path& folder);

}  // namespace highwater::truth
