#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::cli {

/// Reads the scans that an experiment trains on: one volume for each channel, then the labels; case by case
/// for a cohort; none for synthetic input. Shows progress on a terminal. An interrupt (interrupt.h) ends it
/// with an Error.
base::Result<std::vector<volume::Volume>> readVolumes(const stack::Experiment& experiment);

/// A cache of the scans that several experiments train on: each set is read once.
class ScanShelf {
public:
    /// The descriptors of an experiment's volumes. They stay open as long as this object exists.
    base::Result<std::vector<int>> of(const stack::Experiment& experiment);

private:
    struct Key {
        std::string cohort;
        std::int64_t channels = 0;  ///< channels of each case of the cohort
        bool labels = false;
        std::vector<stack::ScanSource> sources;  ///< empty for a cohort
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::vector<volume::Volume>> kept_;
};

}  // namespace highwater::cli
