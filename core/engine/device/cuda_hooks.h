#pragma once

#include <optional>

#include "core/engine/books/device_books.h"

namespace at {
class Tensor;
}

/// Connects the books to LibTorch's CUDA caching allocator. Private to core/engine.
namespace highwater::engine {

/// The books of this GPU. The first call initializes CUDA and attaches them to the allocator. Never
/// destroyed. Throws std::logic_error in a build without CUDA.
DeviceBooks& installCudaBooks(int index);

bool retagCuda(const at::Tensor& tensor, Category category, bool onlyTemporaries);
std::optional<Category> categoryOnCuda(const at::Tensor& tensor);

}  // namespace highwater::engine
