#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/hosts/check.h"

/// Remembers the facts from the last check of a host that determine what is offered and predicted:
/// hosts/NAME.json in the folder of the user's settings. The file is optional.
namespace highwater::hosts {

struct KnownHost {
    std::vector<HostFacts::Gpu> gpus;  ///< in nvidia-smi's order, without their drivers
    std::string torch;                 ///< HostFacts::torch
    bool operator==(const KnownHost&) const = default;
};

base::Status remember(const Host& host, const HostFacts& facts);
/// std::nullopt: it was never checked at this address with this Python, or the file is damaged.
std::optional<KnownHost> knownOf(const Host& host);

}  // namespace highwater::hosts
