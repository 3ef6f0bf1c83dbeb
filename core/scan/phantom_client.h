#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/scan/scan_client.h"

namespace highwater::scan {

/// Has highwater-scan write the head phantom (core/volume/phantom.h) as a .nii.gz at `path`, made beside it
/// and renamed over it. Blocks for about two seconds. Errors: "cancelled", the folder cannot be written, ...
base::Status writePhantom(const std::string& path, std::uint64_t seed = 1,
                          const std::function<void(const Progress&)>& progress = {},
                          const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::scan
