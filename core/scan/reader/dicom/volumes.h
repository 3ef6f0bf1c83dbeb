#pragma once

#include <vector>

#include "core/scan/reader/dicom/facts.h"

/// Decides which picture belongs to which volume if there are several at one position.
///
/// - Values that identify a volume come first: time, b-value, echo, trigger, acquisition, type, instance. A
///   value is used if it separates the pictures at one position and occurs at most positions.
/// - Pictures with the same values are distinguished by their numbers (numbering.h).
/// - If the numbers do not help either, but each position has the same number of pictures, they are ordered
///   by the same values.
namespace highwater::scan::reader::dicom {

/// One picture at a position; `index` is only meaningful to the caller.
struct Candidate {
    const Order* order = nullptr;
    std::int64_t frame = 0;
    std::size_t index = 0;
};

struct Volumes {
    /// [volume][position]: a candidate's index, or -1.
    std::vector<std::vector<std::int64_t>> indices;
    struct Double {
        std::size_t shown, other;
    };
    std::vector<Double> doubles;       ///< pictures of the same volume and position: one is shown
    std::vector<std::size_t> leftOut;  ///< pictures of volumes with less than half of their slices
    std::vector<std::size_t> unclear;  ///< pictures left out because nothing identifies their volume
    std::vector<std::size_t> lost;     ///< volumes preceded by one or more without any picture
};

Volumes assignVolumes(std::vector<std::vector<Candidate>> positions);

}  // namespace highwater::scan::reader::dicom
