#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stack/pytorch/values.h"

/// Layers that read nothing: values that a network computes only from parameters and constants, with several
/// operators. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

struct Source {
    base::Json layer;
    Shape shape;            ///< of the layer's output; the call's has fewer axes of size one
    std::string parameter;  ///< empty if it has none
};

class Sources {
public:
    Sources(const Graph& graph, const Values& values) : graph_(graph), values_(values) {}

    /// The layer that ends with this call, which reads no activation: a relative_position_bias or a
    /// window_mask as MONAI and torchvision compute them. std::nullopt for all other calls.
    std::optional<Source> endingWith(const Call& call);

private:
    using Sizes = std::vector<std::int64_t>;
    std::optional<Source> windowMask(const Call& call);
    Sizes shiftsOf(const Call* image, std::size_t axes, std::int64_t firstAxis);
    void findCuts();

    const Graph& graph_;
    const Values& values_;
    bool searched_ = false;
    /// By tensor and axis: the distance from the axis's end to the end of the last slice with a negative
    /// bound.
    std::map<std::pair<const Call*, std::int64_t>, std::int64_t> cuts_;
};

}  // namespace highwater::stack::pytorch
