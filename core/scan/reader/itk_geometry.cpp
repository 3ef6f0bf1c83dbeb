#include "core/scan/reader/itk_geometry.h"

#include <fmt/format.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

namespace highwater::scan::reader {
namespace {

/// A folder of our own with the header alone in it, removed at the end.
class PrivateCopy {
public:
    PrivateCopy(std::string_view text, std::string_view ending) {
        const char* temporary = std::getenv("TMPDIR");
        folder_ = std::string(temporary && *temporary ? temporary : "/tmp") + "/highwater-XXXXXX";
        if (!mkdtemp(folder_.data())) {
            return;
        }
        path_ = fmt::format("{}/header{}", folder_, ending);
        std::ofstream(path_, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
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

itk::ImageIOBase::Pointer makeItk(ItkReader reader) {
    switch (reader) {
        case ItkReader::Nrrd:
            return itk::NrrdImageIO::New().GetPointer();
        case ItkReader::Meta:
            return itk::MetaImageIO::New().GetPointer();
        case ItkReader::Nifti:
            break;
    }
    return itk::NiftiImageIO::New().GetPointer();
}

/// ITK's reading, from its LPS+ to our RAS+.
std::optional<volume::Geometry> itkGeometry(ItkReader reader, const std::string& path,
                                            const volume::Geometry& ours) {
    try {
        const auto io = makeItk(reader);
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

void addSecondOpinion(ItkReader reader, std::string_view place, volume::Header& header) {
    if (place.empty() || !header.spacingKnown) {
        return;
    }
    constexpr std::string_view kEndings[] = {".nii", ".nrrd", ".mha"};
    const PrivateCopy copy(place, kEndings[static_cast<std::size_t>(reader)]);
    if (copy.path().empty()) {
        return;
    }
    const auto theirs = itkGeometry(reader, copy.path(), header.geometry);
    const auto& spacing = header.geometry.spacing;
    const double apart = theirs ? furthestCorner(header.geometry, *theirs) : 0;
    if (apart > 0.1 * *std::min_element(spacing.begin(), spacing.end())) {
        header.warnings.push_back(fmt::format(
            "{}programs built on ITK place it up to {:.3g} mm elsewhere",
            reader == ItkReader::Nifti ? "its sform and qform differ: Highwater uses the sform, " : "",
            apart));
    }
}

}  // namespace highwater::scan::reader
