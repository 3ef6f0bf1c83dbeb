#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/hosts/hosts.h"

namespace highwater::hosts {

/// What is on a host. Text is as its programs say it, one line each; empty: it is not there.
struct HostFacts {
    struct Gpu {
        std::string name, driver;
        base::Bytes memory = 0;  ///< 0: unknown
        bool operator==(const Gpu&) const = default;
    };
    std::string system;  ///< "Linux x86_64"
    int cores = 0;
    base::Bytes memory = 0;
    std::string cache;  ///< the folder in which the engine is built, "/home/anna/.cache/highwater/engine"
    bool writable = false;
    base::Bytes free = 0;  ///< there
    std::vector<Gpu> gpus;
    std::string python, torch, torchPlace, compiler, compilerVersion, cmake, nvcc;
    std::vector<std::string> tools;  ///< of tar, gzip, make, sha256sum
    bool source = false;             ///< this version's source is there
    bool ready = false;              ///< this version's engine was built there
    std::string readyPython;         ///< for which one
};

/// Asks the host; nothing on it is changed, but for the cache's folder, which is made. What is found of its
/// GPUs is remembered here (core/hosts/known.h). Errors: it cannot be reached, or what it answers is no
/// answer.
base::Result<HostFacts> checkThere(const Host& host, const std::atomic<bool>* cancel = nullptr);

/// What is there, for people: a name and a value each.
std::vector<std::pair<std::string, std::string>> rowsOf(const HostFacts& facts);

/// What the engine needs there and is missing, as one line: "host NAME lacks a C++ compiler (...)"; empty:
/// nothing.
std::string missingThere(const Host& host, const HostFacts& facts);

/// The free space that a build takes at most.
inline constexpr base::Bytes kBuildBytes = base::kGiB;

}  // namespace highwater::hosts
