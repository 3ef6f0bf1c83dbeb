#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/facts.h"

/// If there are several pictures at one position: decides which belongs to which volume.
///
/// - Values that name a volume come first: time, b-value, echo, trigger, acquisition, type, instance. A value
///   counts if it separates the pictures at one position and occurs at most positions.
/// - Pictures that share all of these are told apart by their numbers (numbering.h).
/// - If the numbers do not help either, but each position has the same number of pictures, they are ordered
///   by the same values.
namespace highwater::scan::reader::dicom {

/// One picture at a position; `index` has a meaning only for the caller.
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
    std::vector<std::size_t> unclear;  ///< pictures left out because nothing tells their volume
    std::vector<std::size_t> lost;     ///< volumes before which one or more have no picture at all
};

Volumes assignVolumes(std::vector<std::vector<Candidate>> positions);

}  // namespace highwater::scan::reader::dicom
