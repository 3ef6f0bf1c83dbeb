#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

/// For tests that drive a Python whose torch has CUDA. They define HIGHWATER_TORCH_PYTHON, the wheel that
/// this build uses, and HIGHWATER_PRETEND_LIBRARY.
namespace highwater::gpu {

inline constexpr int kCannot = 77;  ///< exit status of a script whose Python has no torch with CUDA

/// A Python whose torch has CUDA; empty if there is none.
inline std::string torchPython() {
    const char* named = std::getenv("HIGHWATER_TORCH_PYTHON");
    return named ? named : std::filesystem::exists(HIGHWATER_TORCH_PYTHON) ? HIGHWATER_TORCH_PYTHON : "";
}

/// A real device under HIGHWATER_ALLOCATOR_CHECK_DEVICE=real, the pretended device otherwise.
inline bool onPretendedDevice() {
    const char* device = std::getenv("HIGHWATER_ALLOCATOR_CHECK_DEVICE");
    return !device || std::string_view(device) != "real";
}

/// Why no such test can run here; empty if it can.
inline std::string whyNoTorch() {
    if (torchPython().empty()) {
        return "no Python with a CUDA torch: this build uses none; name one in HIGHWATER_TORCH_PYTHON";
    }
    return "";
}

/// The start of a command line that runs the following command on the pretended device: a GPU by its name,
/// and settings NAME=VALUE of the pretended device, quoted if needed. Empty for a real device.
inline std::string pretended(std::string_view gpu, std::string_view settings = "") {
    return onPretendedDevice() ? fmt::format("HIGHWATER_PRETEND_GPU={} {} LD_PRELOAD='{}'", gpu, settings,
                                             HIGHWATER_PRETEND_LIBRARY)
                               : "";
}

inline std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace highwater::gpu
