#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/hosts/check.h"

/// What the last check of a host found that decides what is offered and predicted here: hosts/NAME.json in
/// the folder of the user's settings. Nothing depends on its being there.
namespace highwater::hosts {

struct KnownHost {
    std::vector<HostFacts::Gpu> gpus;  ///< as nvidia-smi numbers them, without their drivers
    std::string torch;                 ///< HostFacts::torch
    bool operator==(const KnownHost&) const = default;
};

base::Status remember(const Host& host, const HostFacts& facts);
/// Nothing: it was never checked under this address and with this Python, or the file is damaged.
std::optional<KnownHost> knownOf(const Host& host);

}  // namespace highwater::hosts
