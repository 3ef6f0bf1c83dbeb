#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

// Settings of the pretended device are read once per process, so every test has its own process.
namespace highwater::pretend {

using Environment = std::vector<std::pair<const char*, const char*>>;

// Runs `body` in a new process with these settings ("MEMORY" for HIGHWATER_PRETEND_MEMORY); its failures are
// reported in this process, and its stderr must contain `words`.
inline void inDevice(const Environment& environment, const std::function<void()>& body,
                     const char* words = "") {
    EXPECT_EXIT(
        {
            for (const auto& [name, value] : environment) {
                setenv((std::string("HIGHWATER_PRETEND_") + name).c_str(), value, 1);
            }
            body();
            std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), words);
}

// A function of libnvidia-ml.so.1.
template <typename Function>
Function* nvml(const char* name) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
    void* found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        ADD_FAILURE() << name << " is not there";
        std::abort();
    }
    return reinterpret_cast<Function*>(found);
}

constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kGiB = 1 << 30;

}  // namespace highwater::pretend
