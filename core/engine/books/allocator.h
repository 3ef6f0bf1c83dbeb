#pragma once

#include <optional>

#include "core/engine/books/accounting.h"

namespace at {
class Tensor;
}

/// The allocator for CPU tensors: LibTorch's own memory with a header of 64 bytes in front that identifies
/// the block in the books.
namespace highwater::engine {

/// Returns the books of this process's CPU memory. The first call replaces LibTorch's CPU allocator. Never
/// destroyed: tensors may outlive main.
Accounting& installAllocator();

/// Like retag() of device.h, for memory of this allocator. False if the memory is not from this allocator.
bool retagHost(const at::Tensor& tensor, Category category, bool onlyTemporaries);
std::optional<Category> categoryOnHost(const at::Tensor& tensor);

}  // namespace highwater::engine
