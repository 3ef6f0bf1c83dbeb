#pragma once

#include <fmt/format.h>

#include <regex>
#include <string>

#include "core/base/result.h"
#include "core/base/text.h"

namespace highwater::cli {

/// Error if `device` is not cpu, cuda or cuda:N.
inline base::Status checkDevice(const std::string& device) {
    static const std::regex devices("cpu|cuda(:[0-9]{1,3})?");
    if (std::regex_match(device, devices)) {
        return {};
    }
    return base::Error{
        fmt::format("--device: \"{}\" is no device; give cpu, cuda or cuda:N", base::oneLine(device, 60))};
}

}  // namespace highwater::cli
