#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/gpu/kit/options.h"

/// Converts the journal's lines to the file, highwater.gpu-reference/1.
namespace highwater::kit {

/// Divided sizes on the CPU.
Scale scaleFor(const std::string& device);

/// The document. Values stored in `environment` are removed from each result; numbers keep four decimals.
/// Experiments that were not reached are in left_out.
Json documentOf(const std::vector<Json>& journal, const Options& options, double seconds);

/// One experiment per line: small, and readable in a diff.
std::string textOf(const Json& document);

}  // namespace highwater::kit
