#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/hosts/hosts.h"

namespace highwater::hosts {

/// The software and hardware of a host. Texts are one line each, as its programs report them; empty: not
/// found.
struct HostFacts {
    struct Gpu {
        std::string name, driver;
        base::Bytes memory = 0;  ///< 0: unknown
        bool operator==(const Gpu&) const = default;
    };
    std::string system;  ///< "Linux x86_64"
    int cores = 0;
    base::Bytes memory = 0;
    std::string cache;  ///< the folder on the host in which the engine is built,
                        ///< "/home/anna/.cache/highwater/engine"
    bool writable = false;
    base::Bytes free = 0;  ///< free disk space there
    std::vector<Gpu> gpus;
    std::string python, torch, torchPlace, compiler, compilerVersion, cmake, nvcc;
    std::vector<std::string> tools;  ///< those of tar, gzip, make, sha256sum that were found
    bool source = false;             ///< this version's source is on the host
    bool ready = false;              ///< this version's engine was built on the host
    std::string readyPython;         ///< the Python that it was built for
};

/// Checks the host; it is not changed, except that the cache folder is created. The GPUs found are remembered
/// on this machine (core/hosts/known.h). Errors: it cannot be reached, or its answer cannot be parsed.
base::Result<HostFacts> checkThere(const Host& host, const std::atomic<bool>* cancel = nullptr);

/// The facts for display, as pairs of name and value.
std::vector<std::pair<std::string, std::string>> rowsOf(const HostFacts& facts);

/// What the engine needs and the host lacks, as one line: "host NAME lacks a C++ compiler (...)"; empty if
/// nothing is missing.
std::string missingThere(const Host& host, const HostFacts& facts);

/// The maximum disk space that a build takes.
inline constexpr base::Bytes kBuildBytes = base::kGiB;

}  // namespace highwater::hosts
