#include <cmath>
#include <cstring>
#include <string>

#include "core/scan/reader/dicom/facts.h"
#include "core/scan/reader/dicom/values.h"

/// Siemens mosaics and grids of United Imaging (UIH). Mosaics: all slices of a volume are tiles of one
/// picture, row by row in a square, with empty tiles at the end. The file has the position of the big
/// picture; a slice's position is further in by half the difference in size (the layout and the CSA header:
/// nipy.org/nibabel, "Siemens mosaic" and "CSA header").
namespace highwater::scan::reader::dicom {
namespace {

constexpr Tag kBetweenSlices = 0x00180088;

/// Returns the numbers of `name` in a CSA header of format SV10.
std::vector<double> csaNumbers(Bytes csa, const char* name) {
    constexpr std::size_t kTagHead = 84, kItemHead = 16, kName = 64;
    constexpr std::uint32_t kMostTags = 1024, kMostItems = 4096;
    if (csa.size() < 16 || std::memcmp(csa.data(), "SV10", 4) != 0) {
        return {};
    }
    const std::uint32_t tags = std::min(load32(csa.data() + 8, false), kMostTags);
    std::size_t at = 16;
    for (std::uint32_t tag = 0; tag < tags && at + kTagHead <= csa.size(); ++tag) {
        const char* label = reinterpret_cast<const char*>(csa.data() + at);
        const bool wanted = std::string(label, strnlen(label, kName)) == name;
        const std::uint32_t items = std::min(load32(csa.data() + at + 76, false), kMostItems);
        at += kTagHead;
        std::vector<double> out;
        for (std::uint32_t item = 0; item < items && at + kItemHead <= csa.size(); ++item) {
            const std::size_t bytes = load32(csa.data() + at + 4, false);
            at += kItemHead;
            if (bytes > csa.size() - at) {
                return {};
            }
            const std::string text(reinterpret_cast<const char*>(csa.data() + at), bytes);
            const auto values = parseDecimals(text.substr(0, text.find('\0')));
            out.insert(out.end(), values.begin(), values.end());
            at = std::min(csa.size(), at + (bytes + 3) / 4 * 4);
        }
        if (wanted) {
            return out;
        }
    }
    return {};
}

struct Csa {
    std::int64_t slices = 0;
    Vector normal{};
};

bool readCsa(const DataSet& set, Csa& out) {
    const Tag header = privateTag(set, 0x0029, "SIEMENS CSA HEADER", 0x10);
    const Element* csa = header ? set.find(header) : nullptr;
    if (!csa) {
        return false;
    }
    const auto normal = csaNumbers(csa->value, "SliceNormalVector");
    const auto count = csaNumbers(csa->value, "NumberOfImagesInMosaic");
    const Tag countTag = privateTag(set, 0x0019, "SIEMENS MR HEADER", 0x0A);
    const auto plain = countTag ? wholeOf(set, countTag, "US") : std::nullopt;
    constexpr double kMost = 65536;
    const double slices = count.empty() ? static_cast<double>(plain.value_or(0)) : count.front();
    if (normal.size() != 3 || slices < 1 || slices > kMost) {
        return false;
    }
    out.slices = static_cast<std::int64_t>(slices);
    out.normal = {-normal[0], -normal[1], normal[2]};
    return std::abs(length(out.normal) - 1) < 0.02;
}

}  // namespace

bool unfoldMosaic(const DataSet& set, FileFacts& facts) {
    Csa csa;
    const double between = numberOf(set, kBetweenSlices, "DS").value_or(0);
    Picture whole = facts.pictures.front();
    if (facts.pictures.size() != 1 || !whole.placed || !whole.grid.spacingKnown || between <= 0 ||
        !readCsa(set, csa)) {
        return false;
    }
    Grid& grid = whole.grid;
    const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(csa.slices)) - 1e-9));
    const std::int64_t columns = grid.columns / side, rows = grid.rows / side;
    if (columns * side != grid.columns || rows * side != grid.rows) {
        return false;
    }
    const double in = static_cast<double>(grid.columns - columns) / 2 * grid.spacing[0];
    const double below = static_cast<double>(grid.rows - rows) / 2 * grid.spacing[1];
    const Vector first = plus(whole.position, plus(scaled(grid.across, in), scaled(grid.down, below)));
    const Vector plane = cross(grid.across, grid.down);
    const Vector normal = scaled(plane, dot(plane, csa.normal) < 0 ? -1 : 1);
    grid.columns = columns;
    grid.rows = rows;
    facts.pictures.clear();
    for (std::int64_t slice = 0; slice < csa.slices; ++slice) {
        Picture tile = whole;
        tile.left = slice % side * columns;
        tile.top = slice / side * rows;
        tile.position = plus(first, scaled(normal, between * static_cast<double>(slice)));
        facts.pictures.push_back(tile);
    }
    return true;
}

/// The tiles are arranged row by row in ceil(sqrt(n)) columns, and a sequence has an item with the position
/// of each (github.com/rordenlab/dcm2niix, UIH/README.md).
bool unfoldVframe(const DataSet& set, FileFacts& facts) {
    constexpr Tag kTiles = 0x00651051, kPosition = 0x00200032;
    const auto tiles = sequenceItems(set, kTiles);
    const auto count = std::ssize(tiles);
    Picture whole = facts.pictures.front();
    if (facts.pictures.size() != 1 || !whole.grid.oriented || count < 1) {
        return false;
    }
    const auto across = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count)) - 1e-9));
    const std::int64_t down = (count + across - 1) / across;
    Grid& grid = whole.grid;
    if (grid.columns % across != 0 || grid.rows % down != 0) {
        return false;
    }
    grid.columns /= across;
    grid.rows /= down;
    whole.placed = true;
    std::vector<Picture> pictures;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto lps = numbersOf(tiles[static_cast<std::size_t>(i)], kPosition, "DS");
        if (lps.size() != 3) {
            return false;
        }
        Picture tile = whole;
        tile.left = i % across * grid.columns;
        tile.top = i / across * grid.rows;
        tile.position = {-lps[0], -lps[1], lps[2]};
        pictures.push_back(tile);
    }
    facts.pictures = std::move(pictures);
    return true;
}

}  // namespace highwater::scan::reader::dicom
