#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/profile.h"
#include "core/stack/experiment.h"

/// What others measured and published: files of the format highwater.public-truth/1
/// (resources/schema/public-truth.json), kept in tests/gpu/public/memory and tests/gpu/public/time. An entry
/// names its experiment, a file in tests/gpu/public/experiments.
namespace highwater::truth {

enum class Kind { TrainingStep, OneLayer, Forward, RefusedRequest };
std::string_view kindText(Kind kind);  ///< as in the files: "training step", "one layer", ...

enum class Measure { Allocated, Reserved, Refused };
std::string_view measureText(Measure measure);  ///< "allocated", "reserved", "refused request"

/// What of a prediction an entry is held against.
enum class Quantity {
    Peak,                    ///< the peak of what was measured: of what is allocated, or of what is reserved
    PeakAllocated,           ///< the peak of what is allocated, whatever was measured
    FirstLayerForward,       ///< what the first layer adds during its forward
    FirstActivationSegment,  ///< the first layer's activations, to a multiple of the allocator's 2 MiB
    FirstWorkspace,          ///< cuDNN's first workspace
    KeptAfterForward,        ///< input, parameters and the most activations
    CliffRequest             ///< the request that the first cliff makes
};

struct MemoryValue {
    Measure measure = Measure::Allocated;
    base::Bytes bytes = 0;
    base::Bytes rounding = 0;  ///< the published figure lies this near to the true one
};

/// Of a board that differs from its profile's: FLOP/s and bytes/s as published.
struct Roofs {
    double fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0, bytesPerSecond = 0;
};

struct Entry {
    std::string name;  ///< the file's, without its folder and ending
    std::string title, source;
    Kind kind = Kind::TrainingStep;
    std::string gpu;       ///< a profile's id
    std::string libtorch;  ///< as published; empty if it is not
    memory::TorchVersion predictWith;
    std::optional<predict::CudnnVersion> cudnn;  ///< to predict with; none: the one of that LibTorch
    std::optional<Roofs> roofs;                  ///< take the place of the profile's
    stack::Experiment experiment;
    std::vector<MemoryValue> memory;  ///< empty for an entry of a time
    Quantity quantity = Quantity::Peak;
    base::Bytes added = 0;        ///< belongs to what is compared: added to the prediction always
    base::Bytes pythonBytes = 0;  ///< what the published script holds and Highwater's step does not
    std::string trust;            ///< "highest", "high", "medium", "low"; empty for times
    double seconds = 0;           ///< of a step; 0: no time
    double secondsRounding = 0;   ///< as MemoryValue::rounding
    std::string network;          ///< times: "2D", "3D", "3D ResEnc"
    std::string series;           ///< times: the table or collection that it stands in
    bool waitsForData = false;    ///< times: the data, not the GPU, set the pace
    std::string why;              ///< of a miss, where it is understood
};

/// `experiments` is the folder of the experiments. Errors, one line: the file, and what in it is wrong.
base::Result<Entry> parseEntry(const std::string& text, const std::string& name,
                               const std::filesystem::path& experiments);

/// All entries of tests/gpu/public, those of memory first, by name.
base::Result<std::vector<Entry>> loadEntries(const std::filesystem::path& folder);

}  // namespace highwater::truth
