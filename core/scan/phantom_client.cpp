#include "core/scan/phantom_client.h"

#include <filesystem>

#include "core/scan/process.h"

namespace highwater::scan {

base::Status writePhantom(const std::string& path, std::uint64_t seed,
                          const std::function<void(const Progress&)>& progress,
                          const std::atomic<bool>* cancel) {
    ProcessRequest request;
    request.arguments = {"phantom", "--seed", std::to_string(seed), "--", path};
    request.name = std::filesystem::path(path).filename().string();
    request.failure = "the phantom was not made";
    request.progress = progress;
    request.cancel = cancel;
    HIGHWATER_TRY(runScanProcess(request));
    return {};
}

}  // namespace highwater::scan
