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

/// The parameters of one run of highwater-scan.
struct ProcessRequest {
    std::vector<std::string> arguments;
    std::string name;                                     ///< error messages begin with it
    std::string failure = "this file cannot be decoded";  ///< the rest of the message if the process crashes
                                                          ///< or hangs
    int out = -1;  ///< a file that the process receives as descriptor 3; -1: none
    std::chrono::seconds timeout{120};
    std::function<void(const Progress&)> progress;
    const std::atomic<bool>* cancel = nullptr;
    std::filesystem::path program;  ///< empty: this program's highwater-scan (base::siblingProgram)
};

/// Runs the process to its end and returns its last line, {"header": ...}, {"contents": ...} or {"done":
/// true}. Every failure is an error of one line: cancel, no progress for `timeout`, a crash (the message
/// names the stage), an error that the process reports, or an invalid answer. When this returns, the process
/// and all processes that it started have ended.
base::Result<base::Json> runScanProcess(const ProcessRequest& request);

}  // namespace highwater::scan
