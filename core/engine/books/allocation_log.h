#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/units.h"

namespace highwater::engine {

/// What the allocator was asked for, in order. An allocation's address names it until it is freed.
struct LoggedAllocation {
    const void* address = nullptr;
    base::Bytes bytes = 0;  ///< asked; 0: freed
};

/// Writes down every allocation and free of CPU memory, on any thread, from its making to stop(). What was
/// alive before is freed without a word. The books (allocator.h) count and refuse as ever. One at a time.
class AllocationLog {
public:
    AllocationLog();
    ~AllocationLog();
    AllocationLog(const AllocationLog&) = delete;
    AllocationLog& operator=(const AllocationLog&) = delete;

    /// Ends it, and gives what was written down.
    std::vector<LoggedAllocation> stop();

private:
    bool open_ = true;
};

}  // namespace highwater::engine
