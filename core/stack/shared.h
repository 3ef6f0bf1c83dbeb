#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/stack/experiment.h"

/// Layers that share the parameters of another layer.
namespace highwater::stack {

/// The operator of each layer of a stack. It points into the layers, which must outlive it.
class Operators {
public:
    explicit Operators(const std::vector<Layer>& layers) { collect(layers); }

    /// The layer's own operator, or that of the layer that a Shared reuses. A Shared itself if no layer has
    /// that id.
    const Op& of(const Layer& layer) const;

private:
    void collect(const std::vector<Layer>& layers);

    std::map<std::string, const Op*, std::less<>> named_;
};

}  // namespace highwater::stack
