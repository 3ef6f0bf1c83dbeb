#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::cli {

/// The scans that an experiment trains on: one volume a channel, then the labels; of a cohort case by case;
/// none for synthetic input. Progress on a terminal; an interrupt (interrupt.h) ends it with an Error.
base::Result<std::vector<volume::Volume>> readVolumes(const stack::Experiment& experiment);

/// Scans that several experiments train on, each set read once and kept.
class ScanShelf {
public:
    /// The descriptors of an experiment's volumes, which stay open as long as this lives.
    base::Result<std::vector<int>> of(const stack::Experiment& experiment);

private:
    struct Key {
        std::string cohort;
        std::int64_t channels = 0;  ///< of the cohort's cases
        bool labels = false;
        std::vector<stack::ScanSource> sources;  ///< without a cohort
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::vector<volume::Volume>> kept_;
};

}  // namespace highwater::cli
