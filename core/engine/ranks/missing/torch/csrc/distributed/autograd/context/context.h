#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

/// Debian's libtorch-dev 1.13 lacks this header, which c10d/reducer.hpp includes. The Reducer's class needs
/// only these names from it, and Highwater never creates such a context.
namespace torch::distributed::autograd {

class DistAutogradContext {
public:
    using GradCallback = std::function<bool(at::Tensor&)>;
};
using ContextPtr = std::shared_ptr<DistAutogradContext>;

}  // namespace torch::distributed::autograd
