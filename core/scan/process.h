#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/scan/scan_client.h"

namespace highwater::scan {

/// One start of highwater-scan.
struct ProcessRequest {
    std::vector<std::string> arguments;
    std::string name;  ///< what messages begin with
    int out = -1;      ///< a file the process gets as descriptor 3; -1: none
    std::chrono::seconds timeout{120};
    std::function<void(const Progress&)> progress;
    const std::atomic<bool>* cancel = nullptr;
};

/// Runs it to its end and returns its last line, {"header": ...} or {"done": true}. Whatever happens (cancel,
/// no progress for `timeout`, a crash, an error of its own) is one line.
base::Result<base::Json> runScanProcess(const ProcessRequest& request);

}  // namespace highwater::scan
