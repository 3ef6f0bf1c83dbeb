#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

/// Debian's libtorch-dev 1.13 lacks this header, which c10d/reducer.hpp includes. Of what it declares, the
/// Reducer's class needs these names alone, and Highwater never makes such a context.
namespace torch::distributed::autograd {

class DistAutogradContext {
public:
    using GradCallback = std::function<bool(at::Tensor&)>;
};
using ContextPtr = std::shared_ptr<DistAutogradContext>;

}  // namespace torch::distributed::autograd
