#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/gpu/kit/options.h"

/// From the journal's lines to the file, highwater.gpu-reference/1.
namespace highwater::kit {

/// Divided sizes on the CPU.
Scale scaleFor(const std::string& device);

/// The document. What stands once in `environment` is taken out of each result; numbers keep four decimals.
/// Experiments that were not reached are in left_out.
Json documentOf(const std::vector<Json>& journal, const Options& options, double seconds);

/// One experiment a line: small, and readable in a diff.
std::string textOf(const Json& document);

}  // namespace highwater::kit
