#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/facts.h"

/// Several pictures at one position: which belongs to which volume.
namespace highwater::scan::reader::dicom {

/// One picture at a position; `index` is the caller's.
struct Candidate {
    const Order* order = nullptr;
    std::int64_t frame = 0;
    std::size_t index = 0;
};

struct Volumes {
    /// [volume][position]: a candidate's index, or -1.
    std::vector<std::vector<std::int64_t>> indices;
    std::vector<std::size_t> doubles;  ///< positions that have more pictures than can be told apart
    std::int64_t leftOut = 0;          ///< pictures of volumes with less than half of the slices
};

Volumes assignVolumes(std::vector<std::vector<Candidate>> positions);

}  // namespace highwater::scan::reader::dicom
