#pragma once

#include <optional>

#include "core/engine/books/device_books.h"

namespace at {
class Tensor;
}

/// Our ears in LibTorch's CUDA allocator. Private to core/engine.
namespace highwater::engine {

/// The books of this GPU, connected from the first call on; CUDA is initialised by it. Never destroyed.
/// In a build without CUDA: logic_error.
DeviceBooks& installCudaBooks(int index);

bool retagCuda(const at::Tensor& tensor, Category category, bool onlyTemporaries);
std::optional<Category> categoryOnCuda(const at::Tensor& tensor);

/// Writes down every allocation and free of this GPU's memory, as AllocationLog does for the CPU's.
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
