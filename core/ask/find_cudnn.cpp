#include "core/ask/find_cudnn.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/process.h"

namespace highwater::ask {

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kLongestPath = 4096;

/// Finds the wheel without importing it.
constexpr const char* kFind = R"(import importlib.util, os
spec = importlib.util.find_spec("nvidia.cudnn")
print(os.path.join(list(spec.submodule_search_locations)[0], "lib") if spec else "", end=""))";

std::filesystem::path ofPython() {
    auto pipe = base::openPipe();
    if (!pipe) {
        return {};
    }
    base::Launch launch;
    launch.program = "/usr/bin/env";
    launch.arguments = {"python3", "-c", kFind};
    launch.output = pipe->write.get();
    auto python = base::Process::start(launch);
    pipe->write = base::Descriptor();
    if (!python) {
        return {};
    }
    std::string text;
    const auto code = python->follow(
        pipe->read.get(),
        [&](std::string_view more) -> base::Status {
            text += more;
            return text.size() <= kLongestPath ? base::Status() : base::Error{"too long to be a path"};
        },
        [](auto silence) -> base::Status {
            return silence < kPatience ? base::Status() : base::Error{"no answer"};
        });
    std::error_code ignored;
    return code && *code == 0 &&
                   std::filesystem::exists(std::filesystem::path(text) / "libcudnn.so.9", ignored)
               ? std::filesystem::path(text)
               : std::filesystem::path();
}

}  // namespace

std::optional<std::filesystem::path> findCudnn() {
    if (const char* const named = std::getenv("HIGHWATER_CUDNN"); named != nullptr && *named != '\0') {
        return std::string_view(named) == "off" ? std::nullopt : std::optional<std::filesystem::path>(named);
    }
    static const std::filesystem::path found = ofPython();
    return found;
}

}  // namespace highwater::ask
