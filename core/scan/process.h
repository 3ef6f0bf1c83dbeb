#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
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
    std::string name;                                     ///< what messages begin with
    std::string failure = "this file cannot be decoded";  ///< and how they go on where it dies or hangs
    int out = -1;  ///< a file the process gets as descriptor 3; -1: none
    std::chrono::seconds timeout{120};
    std::function<void(const Progress&)> progress;
    const std::atomic<bool>* cancel = nullptr;
    std::filesystem::path program;  ///< empty: highwater-scan beside this program
};

/// Runs it to its end and returns its last line, {"header": ...}, {"contents": ...} or {"done": true}.
/// Whatever happens (cancel, no progress for `timeout`, a crash, an error of its own, an answer that is none)
/// is one line; a crash names the stage. The process and those it started are gone when this returns.
base::Result<base::Json> runScanProcess(const ProcessRequest& request);

}  // namespace highwater::scan
