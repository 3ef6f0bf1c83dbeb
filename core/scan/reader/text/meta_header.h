#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/reader/bytes/layout.h"

namespace highwater::scan::reader {

/// The fields of a MetaImage header that are used here (itk.org/Wiki/ITK/MetaIO/Documentation), each checked
/// on its own. Lists have one entry per axis, the matrix the square of that; a list is empty if its field is
/// missing.
struct MetaHeader {
    std::size_t bytes = 0;  ///< length of the header, including its last line, ElementDataFile
    std::vector<std::int64_t> sizes;
    std::vector<double> spacing;
    std::vector<double> offset;
    std::vector<double> matrix;  ///< the direction of the first axis, then of the second, ...
    std::string type;            ///< "MET_SHORT"
    std::string dataFile;        ///< as named in the header; empty if the voxels follow the header
    bool bigEndian = false;
    bool compressed = false;
    base::Bytes compressedBytes = 0;  ///< 0: up to the end of the file
    base::Bytes headerBytes = 0;      ///< bytes to skip in the data file; -1: the voxels are its last bytes
    double slope = 1, intercept = 0;
};

bool looksLikeMeta(std::string_view beginning);

/// Parses a header. `text`: the file's beginning, at least its header or kMostHeaderText. Error for objects
/// that are not images, voxels written as text, several channels, and several data files. Errors do not name
/// the file.
base::Result<MetaHeader> parseMetaHeader(std::string_view text);

/// Checks a MetaImage header as a whole. `path` is the header's, for its data file. Errors do not name the
/// file.
base::Result<RawLayout> metaLayout(const MetaHeader& header, const std::string& path);

}  // namespace highwater::scan::reader
