#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/pixels.h"
#include "core/volume/vector.h"

/// The description of the pictures in one file, for every kind of DICOM object. Millimeters, RAS+.
namespace highwater::scan::reader::dicom {

using volume::cross, volume::dot, volume::length, volume::minus, volume::plus, volume::scaled, volume::Vector;

/// The orientation and spacing of a picture, without its position.
struct Grid {
    std::int64_t columns = 0, rows = 0;
    bool oriented = false;
    Vector across{1, 0, 0};  ///< direction in which a row's columns follow each other: voxel axis i
    Vector down{0, 1, 0};    ///< direction in which rows follow each other: voxel axis j
    double skew = 0;         ///< how far the two, as written in the file, are from perpendicular and of unit
                             ///< length
    bool spacingKnown = false;
    std::array<double, 2> spacing{1, 1};  ///< i, j
    bool localizer = false;
    bool segments = false;  ///< for a segmentation: values are labels, and slices without any may be left out
};

/// Whether two grids are equal within the rounding of common writers.
bool sameGrid(const Grid& a, const Grid& b);

/// The values that distinguish pictures at one position; 0 if a file has none.
struct Order {
    std::string type;  ///< "ORIGINAL\\PRIMARY\\M"
    double temporal = 0, bValue = 0, echo = 0, trigger = 0, acquisition = 0, instance = 0;
};

struct Picture {
    std::int64_t frame = 0;
    std::int64_t left = 0, top = 0;  ///< position of a mosaic's tile in its frame, in pixels
    Grid grid;
    bool placed = false;
    Vector position{};  ///< center of its first pixel
    double slope = 1, intercept = 0;
    std::int64_t segment = 0;  ///< for a binary segmentation: the label of the nonzero pixels
    Order order;
};

struct FileFacts {
    std::string name;  ///< inside the folder
    std::string seriesUid, instanceUid, description, modality, syntax;
    std::int64_t number = 0;
    bool compressed = false;
    Pixels pixels;
    std::vector<Picture> pictures;      ///< at least one, unless there is a problem
    double between = 0;                 ///< mm between slices, from (0018,0088); 0 if not given
    std::vector<std::string> warnings;  ///< from this file, for the whole series
    std::string problem;                ///< why an intact file is not read: color, video, ...
};

/// Reads these facts. Error if the file is damaged or truncated.
base::Result<FileFacts> describe(const OpenFile& file);

/// Splits a Siemens mosaic (ImageType MOSAIC) into its pictures, each with its position. Returns false if the
/// file has no CSA header with the slices' positions. `facts` contains the whole mosaic as one picture.
bool unfoldMosaic(const DataSet& set, FileFacts& facts);

/// Splits a grid of United Imaging (ImageType VFRAME) in the same way. Returns false if the file does not
/// contain the positions of its tiles.
bool unfoldVframe(const DataSet& set, FileFacts& facts);

/// The kind of a segmentation (PS3.3, A.51): "BINARY", "FRACTIONAL", "LABELMAP"; empty if the file is not
/// one.
std::string segmentationType(const DataSet& set);

/// Sets the segments of a segmentation's pictures. `frames`: the functional groups of each picture, `shared`
/// those of all. A problem in `facts` names what is unsupported: fractions of several segments.
base::Status readSegments(const DataSet& set, const DataSet* shared, const std::vector<DataSet>& frames,
                          FileFacts& facts);

}  // namespace highwater::scan::reader::dicom
