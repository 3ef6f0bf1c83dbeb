#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/scan/scan_client.h"

namespace highwater::scan {

/// Makes highwater-scan write the head phantom (core/volume/phantom.h) as a .nii.gz to `path`: first to a
/// temporary file in the same folder, which is then renamed. Blocks for about two seconds. Errors:
/// "cancelled", the folder is not writable, ...
base::Status writePhantom(const std::string& path, std::uint64_t seed = 1,
                          const std::function<void(const Progress&)>& progress = {},
                          const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::scan
