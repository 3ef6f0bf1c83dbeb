#pragma once

#include "core/engine/accounting.h"

namespace at {
class Tensor;
}

/// Our allocator for CPU tensors: LibTorch's own memory with a header of 64 bytes before it that names the
/// block in the books.
namespace highwater::engine {

/// The books of this process, and the allocator in LibTorch's place from the first call on. Never destroyed:
/// tensors may outlive main.
Accounting& installAllocator();

/// Moves the tensor's storage to a category, if our allocator made it.
void retag(const at::Tensor& tensor, Category category);
/// The same for what is still temporaries; other categories stay.
void retagTemporary(const at::Tensor& tensor, Category category);
/// The category of the tensor's storage; nothing where our allocator did not make it.
std::optional<Category> categoryOf(const at::Tensor& tensor);

}  // namespace highwater::engine
