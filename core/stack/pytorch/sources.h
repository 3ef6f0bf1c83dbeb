#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stack/pytorch/values.h"

/// Layers that read nothing: what a network computes of parameters and constants alone, by several operators.
/// Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

struct Source {
    base::Json layer;
    Shape shape;            ///< of the layer's output; the call's has fewer axes of one element
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
    /// Of a tensor and an axis: how far before the axis's end the last slice ends that counts from there.
    std::map<std::pair<const Call*, std::int64_t>, std::int64_t> cuts_;
};

}  // namespace highwater::stack::pytorch
