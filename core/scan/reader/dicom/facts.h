#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/pixels.h"
#include "core/volume/vector.h"

/// What one file says about its pictures, whichever kind of object it is. Millimetres, RAS+.
namespace highwater::scan::reader::dicom {

using volume::cross, volume::dot, volume::length, volume::minus, volume::plus, volume::scaled, volume::Vector;

/// How a picture lies, but for its position.
struct Grid {
    std::int64_t columns = 0, rows = 0;
    bool oriented = false;
    Vector across{1, 0, 0};  ///< in which a row's columns follow each other: voxel axis i
    Vector down{0, 1, 0};    ///< in which rows follow each other: voxel axis j
    bool spacingKnown = false;
    std::array<double, 2> spacing{1, 1};  ///< i, j
    bool localizer = false;
};

/// Equal within what writers round to.
bool sameGrid(const Grid& a, const Grid& b);

/// What tells pictures at one position apart; 0 where a file says nothing.
struct Order {
    std::string type;  ///< "ORIGINAL\\PRIMARY\\M"
    double temporal = 0, bValue = 0, echo = 0, trigger = 0, acquisition = 0, instance = 0;
};

struct Picture {
    std::int64_t frame = 0;
    std::int64_t left = 0, top = 0;  ///< of a mosaic's tile in its frame
    Grid grid;
    bool placed = false;
    Vector position{};  ///< the centre of its first pixel
    double slope = 1, intercept = 0;
    Order order;
};

struct FileFacts {
    std::string name;  ///< inside the folder
    std::string seriesUid, instanceUid, description, modality, syntax;
    std::int64_t number = 0;
    bool compressed = false;
    Pixels pixels;
    std::vector<Picture> pictures;      ///< at least one, unless there is a problem
    double between = 0;                 ///< mm, as the file says (0018,0088); 0: it does not
    std::vector<std::string> warnings;  ///< of this file, for the whole series
    std::string problem;                ///< why it is not read though it is whole: colour, video, ...
};

/// Errors are those of damaged and truncated files.
base::Result<FileFacts> describe(const OpenFile& file);

/// The pictures in a Siemens mosaic (ImageType MOSAIC), each with its place; false where the file has no CSA
/// header that says where they lie. `facts` has the one big picture.
bool unfoldMosaic(const DataSet& set, FileFacts& facts);

}  // namespace highwater::scan::reader::dicom
