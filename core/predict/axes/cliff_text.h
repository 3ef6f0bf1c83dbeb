#pragma once

#include "core/predict/axes/cliffs.h"

/// The one-line message of a cliff. Private to core/predict.
namespace highwater::predict {

/// One convolution on a cliff.
struct Finding {
    Cliff::Kind kind;
    int layer;
    ConvKey op;
    CudnnRefusal refusal;
    base::Bytes bytes;
};

using SafeSizes = std::map<std::string, std::vector<std::int64_t>>;

/// "layer 5 conv: one sample's input has ...": what happens, with which versions, and what is safe.
std::string cliffMessage(const Finding& finding, std::string_view layer, const CudaVersions& versions,
                         const SafeSizes& safe, const stack::Experiment& experiment);

}  // namespace highwater::predict
