#pragma once

#include <optional>

#include "core/engine/books/device_books.h"

namespace at {
class Tensor;
}

/// Connects the books to LibTorch's CUDA caching allocator. Private to core/engine.
namespace highwater::engine {

/// The books of this GPU. The first call initialises CUDA and attaches them to the allocator. Never
/// destroyed. Throws std::logic_error in a build without CUDA.
DeviceBooks& installCudaBooks(int index);

bool retagCuda(const at::Tensor& tensor, Category category, bool onlyTemporaries);
std::optional<Category> categoryOnCuda(const at::Tensor& tensor);

/// Logs every allocation and free of this GPU's memory, like AllocationLog for the CPU.
class CudaAllocationLog {
public:
    explicit CudaAllocationLog(int index);
    ~CudaAllocationLog();
    CudaAllocationLog(const CudaAllocationLog&) = delete;
    CudaAllocationLog& operator=(const CudaAllocationLog&) = delete;

    std::vector<LoggedAllocation> stop();

private:
    DeviceBooks& books_;
    bool open_ = true;
};

}  // namespace highwater::engine
