#pragma once

#include <string>
#include <vector>

#include "core/wire/events.h"

namespace highwater::cli {

struct DeviceColumn {
    std::string head;
    wire::DeviceMemory device;
};

/// A table of GPU memory by parts, with one column for each entry, in MiB as in nvidia-smi: the parts sum to
/// the used memory. Empty if there are no columns.
std::string deviceTable(const std::vector<DeviceColumn>& columns);
/// The columns of a run: at the peak, and after the last step or at the failure. Empty for a CPU run.
std::vector<DeviceColumn> deviceColumns(const wire::RunResult& result);

/// Further rows about a GPU run, as name and value: times of GPU and host, the conditions, refused
/// workspaces. For any run that ran out of memory: what would have fitted. Otherwise empty.
std::vector<std::pair<std::string, std::string>> gpuRows(const wire::RunResult& result);

}  // namespace highwater::cli
