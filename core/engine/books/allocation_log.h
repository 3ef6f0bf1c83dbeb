#pragma once

#include <vector>

#include "core/base/units.h"

namespace highwater::engine {

/// An entry of the log: an allocation or a free. The address identifies an allocation until it is freed.
struct LoggedAllocation {
    const void* address = nullptr;
    base::Bytes bytes = 0;  ///< requested size; 0: a free
};

/// Logs every allocation and free of CPU memory, on any thread, from its construction to stop(). Frees of
/// earlier blocks are not logged. The books (allocator.h) still count and refuse. Only one log may be active
/// at a time.
class AllocationLog {
public:
    AllocationLog();
    ~AllocationLog();
    AllocationLog(const AllocationLog&) = delete;
    AllocationLog& operator=(const AllocationLog&) = delete;

    /// Ends the log and returns its entries in order.
    std::vector<LoggedAllocation> stop();

private:
    bool open_ = true;
};

}  // namespace highwater::engine
