#pragma once

#include "core/engine/device/device.h"

/// Our allocator for CPU tensors: LibTorch's own memory with a header of 64 bytes before it that names the
/// block in the books.
namespace highwater::engine {

/// The books of this process, and the allocator in LibTorch's place from the first call on. Never destroyed:
/// tensors may outlive main.
Accounting& installAllocator();

/// As device.h's, for memory of this allocator: moves it to a category. False: it made it not.
bool retagHost(const at::Tensor& tensor, Category category, bool onlyTemporaries);
std::optional<Category> categoryOnHost(const at::Tensor& tensor);

}  // namespace highwater::engine
