#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace highwater::cli {

/// The options that name a network in a plans file of nnU-Net: PLANS, --configuration, --classes, --channels.
struct NnunetFileOptions {
    std::string plans, configuration;
    std::int64_t classes = 0, channels = 0;
};
void addNnunetFileOptions(CLI::App& command, NnunetFileOptions& options);
/// The given configuration, or the only one. Error: the file has several, or is not a plans file.
base::Result<std::string> chosenConfiguration(const NnunetFileOptions& options);

}  // namespace highwater::cli
