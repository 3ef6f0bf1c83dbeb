#pragma once

#include <string>
#include <vector>

#include "core/wire/events.h"

namespace highwater::cli {

struct DeviceColumn {
    std::string head;
    wire::DeviceMemory device;
};

/// What GPUs' memory held, part by part, a column each, in MiB as nvidia-smi counts: the parts sum to what
/// is used. Empty without columns.
std::string deviceTable(const std::vector<DeviceColumn>& columns);
/// At the peak, and after the last step or when it failed; empty for a CPU run.
std::vector<DeviceColumn> deviceColumns(const wire::RunResult& result);

/// What else there is to say of a GPU run, name and value: GPU and host apart, the conditions, workspaces
/// that could not be had; of any run that ran out of memory, what would have fitted. Empty otherwise.
std::vector<std::pair<std::string, std::string>> gpuRows(const wire::RunResult& result);

}  // namespace highwater::cli
