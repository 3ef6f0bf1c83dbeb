#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/facts.h"

/// If there are several pictures at one position: decides which belongs to which volume.
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
    std::vector<std::size_t> doubles;  ///< positions with more pictures than can be told apart
    std::int64_t leftOut = 0;  ///< number of pictures left out because their volume has less than half of the
                               ///< slices
};

Volumes assignVolumes(std::vector<std::vector<Candidate>> positions);

}  // namespace highwater::scan::reader::dicom
