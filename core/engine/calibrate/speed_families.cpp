#include "core/engine/calibrate/speed_families.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "core/engine/step/optimizers.h"

namespace highwater::engine {

namespace {

/// A float tensor [2, 16, side, side, side] of about `bytes` bytes.
at::Tensor volumeOf(base::Bytes bytes) {
    std::int64_t side = 2;
    while (4 * 32 * (side + 2) * (side + 2) * (side + 2) <= bytes) {
        side += 2;
    }
    return at::full({2, 16, side, side, side}, 0.5F);
}

double sizeOf(const at::Tensor& tensor) {
    return static_cast<double>(tensor.nbytes());
}

void addElementwise(std::vector<MemoryOperator>& all, const at::Tensor& x) {
    all.push_back({"elementwise", 2 * sizeOf(x), [x] { at::relu(x); }});
    all.push_back({"elementwise", 2 * sizeOf(x), [x] { at::gelu(x); }});
    all.push_back({"elementwise", 3 * sizeOf(x), [x] { at::add(x, x.detach()); }});
    all.push_back(
        {"elementwise", 3 * sizeOf(x), [x, g = at::ones_like(x)] { at::threshold_backward(g, x, 0); }});
}

void addNorms(std::vector<MemoryOperator>& all, const at::Tensor& x) {
    const at::Tensor weight = at::ones({x.size(1)}), bias = at::zeros({x.size(1)});
    all.push_back({"norm", 2 * sizeOf(x),
                   [x, weight, bias] { at::batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5, true); }});
    all.push_back({"norm", 2 * sizeOf(x),
                   [x, weight, bias] { at::instance_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5, true); }});
    all.push_back(
        {"norm", 2 * sizeOf(x), [x, weight, bias] { at::group_norm(x, 4, weight, bias, 1e-5, true); }});
    const auto [out, mean, deviation] = at::native_batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5);
    all.push_back(
        {"norm", 3 * sizeOf(x), [x, weight, mean = mean, deviation = deviation, g = at::ones_like(x)] {
             at::native_batch_norm_backward(g, x, weight, {}, {}, mean, deviation, true, 1e-5,
                                            {true, true, true});
         }});
}

void addShapes(std::vector<MemoryOperator>& all, const at::Tensor& x) {
    all.push_back({"pool", 1.375 * sizeOf(x), [x] { at::max_pool3d_with_indices(x, {2, 2, 2}); }});
    all.push_back({"pool", 1.125 * sizeOf(x), [x] { at::avg_pool3d(x, {2, 2, 2}); }});
    const at::Tensor small = at::max_pool3d(x, {2, 2, 2});
    const std::vector<std::int64_t> size(x.sizes().begin() + 2, x.sizes().end());
    all.push_back({"upsample", 1.125 * sizeOf(x), [small, size] { at::upsample_nearest3d(small, size); }});
    all.push_back(
        {"upsample", 1.125 * sizeOf(x), [small, size] { at::upsample_trilinear3d(small, size, false); }});
    all.push_back({"copy", 2 * sizeOf(x), [x] { x.clone(); }});
    all.push_back({"copy", 4 * sizeOf(x), [x] { at::cat({x, x}, 1); }});
}

/// A whole step of Adam over one tensor: 4 tensors read, 3 written.
void addOptimizer(std::vector<MemoryOperator>& all, const at::Tensor& x) {
    at::Tensor parameter = x.clone();
    parameter.set_requires_grad(true);
    parameter.mutable_grad() = at::ones_like(x);
    stack::Optimizer adam;
    adam.kind = stack::Optimizer::Kind::Adam;
    const auto optimizer = std::make_shared<Optimizer>(adam, std::vector<at::Tensor>{parameter});
    all.push_back({"optimizer", 7 * sizeOf(x), [optimizer] { optimizer->step(); }});
}

}  // namespace

std::vector<MemoryOperator> memoryOperators(base::Bytes tensor) {
    const c10::AutoGradMode noGraph(false);
    const at::Tensor x = volumeOf(tensor);
    std::vector<MemoryOperator> all;
    addElementwise(all, x);
    addNorms(all, x);
    addShapes(all, x);
    addOptimizer(all, x);
    return all;
}

}  // namespace highwater::engine
