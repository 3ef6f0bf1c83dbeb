#include "core/scan/reader/itk_geometry.h"

#include <fmt/format.h>
#include <itkNiftiImageIO.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "core/scan/reader/nifti_header.h"

namespace highwater::scan::reader {
namespace {

/// A folder of our own with the header alone in it, removed at the end.
class PrivateCopy {
public:
    explicit PrivateCopy(std::span<const std::byte> niftiHeader) {
        const char* temporary = std::getenv("TMPDIR");
        folder_ = std::string(temporary && *temporary ? temporary : "/tmp") + "/highwater-XXXXXX";
        if (!mkdtemp(folder_.data())) {
            return;
        }
        path_ = folder_ + "/header.nii";
        std::ofstream out(path_, std::ios::binary);
        out.write(reinterpret_cast<const char*>(niftiHeader.data()), kNiftiHeaderBytes);
        out.write("\0\0\0\0", 4);  // no extensions
    }
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    ~PrivateCopy() {
        if (!path_.empty()) {
            unlink(path_.c_str());
            rmdir(folder_.c_str());
        }
    }
    const std::string& path() const { return path_; }

private:
    std::string folder_;
    std::string path_;
};

/// ITK's reading, from its LPS+ to our RAS+.
std::optional<volume::Geometry> itkGeometry(const std::string& path, const volume::Geometry& ours) {
    try {
        const auto io = itk::NiftiImageIO::New();
        io->SetFileName(path);
        io->ReadImageInformation();
        volume::Geometry geometry = ours;
        const unsigned axes = std::min(3U, io->GetNumberOfDimensions());
        for (unsigned axis = 0; axis < axes; ++axis) {
            const double side = axis < 2 ? -1 : 1;
            const auto direction = io->GetDirection(axis);
            geometry.spacing[axis] = io->GetSpacing(axis);
            geometry.origin[axis] = io->GetOrigin(axis) * side;
            for (unsigned c = 0; c < 3 && c < direction.size(); ++c) {
                geometry.direction[axis][c] = direction[c] * (c < 2 ? -1 : 1);
            }
        }
        return axes == 3 ? std::optional(geometry) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

/// The furthest that two geometries place the same corner voxel apart, in millimetres.
double furthestCorner(const volume::Geometry& a, const volume::Geometry& b) {
    double furthest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        std::array<double, 3> ijk{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            ijk[axis] = (corner >> axis & 1) != 0 ? static_cast<double>(a.size[axis] - 1) : 0;
        }
        const auto p = a.toMillimetres(ijk);
        const auto q = b.toMillimetres(ijk);
        furthest = std::max(furthest, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
    return furthest;
}

}  // namespace

void addSecondOpinion(std::span<const std::byte> niftiHeader, volume::Header& header) {
    // Where nothing is known about the place or the spacing, that has been said already.
    std::int16_t codes[2];
    std::memcpy(codes, niftiHeader.data() + 252, sizeof(codes));
    if (!header.spacingKnown || (codes[0] == 0 && codes[1] == 0)) {
        return;
    }
    const PrivateCopy copy(niftiHeader.first(kNiftiHeaderBytes));
    if (copy.path().empty()) {
        return;
    }
    const auto theirs = itkGeometry(copy.path(), header.geometry);
    const auto& spacing = header.geometry.spacing;
    const double apart = theirs ? furthestCorner(header.geometry, *theirs) : 0;
    if (apart > 0.1 * *std::min_element(spacing.begin(), spacing.end())) {
        header.warnings.push_back(fmt::format(
            "its sform and qform differ: Highwater uses the sform, programs built on ITK place it up to "
            "{:.3g} mm elsewhere",
            apart));
    }
}

}  // namespace highwater::scan::reader
