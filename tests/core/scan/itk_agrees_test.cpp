#include <gmock/gmock.h>
#include <itkNiftiImageIO.h>

#include <cmath>

#include "tests/core/scan/in_process.h"
#include "tests/core/scan/nifti_builder.h"

namespace highwater::test {
namespace {

/// ITK's whole reading of a file: voxels as stored, and where the last voxel lies in RAS millimetres.
struct ItkReading {
    std::vector<char> voxels;
    std::array<double, 3> origin{}, spacing{};
    std::array<std::array<double, 3>, 3> direction{};
};

ItkReading readWithItk(const std::string& path) {
    const auto io = itk::NiftiImageIO::New();
    io->SetFileName(path);
    io->ReadImageInformation();
    ItkReading out;
    itk::ImageIORegion region(io->GetNumberOfDimensions());
    for (unsigned axis = 0; axis < io->GetNumberOfDimensions(); ++axis) {
        region.SetSize(axis, io->GetDimensions(axis));
    }
    io->SetIORegion(region);
    out.voxels.resize(static_cast<std::size_t>(io->GetImageSizeInBytes()));
    io->Read(out.voxels.data());
    for (unsigned axis = 0; axis < 3; ++axis) {
        out.origin[axis] = io->GetOrigin(axis) * (axis < 2 ? -1 : 1);
        out.spacing[axis] = io->GetSpacing(axis);
        for (unsigned c = 0; c < 3; ++c) {
            out.direction[axis][c] = io->GetDirection(axis)[c] * (c < 2 ? -1 : 1);
        }
    }
    return out;
}

class ItkAgrees : public testing::TestWithParam<const char*> {};

TEST_P(ItkAgrees, VoxelForVoxelAndInPlace) {
    const auto folder = scansFolder();
    if (folder.empty()) {
        GTEST_SKIP() << "no scans: set HIGHWATER_SCANS";
    }
    const std::string path = (folder / GetParam()).string();
    const auto ours = readHere(path);
    ASSERT_TRUE(ours.ok()) << ours.error().message;
    const ItkReading itk = readWithItk(path);
    ASSERT_EQ(static_cast<std::int64_t>(itk.voxels.size()), ours->geometry().voxels() * 2);
    EXPECT_EQ(std::memcmp(itk.voxels.data(), ours->data(), itk.voxels.size()), 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(itk.origin[axis], ours->geometry().origin[axis], 1e-3);
        EXPECT_NEAR(itk.spacing[axis], ours->geometry().spacing[axis], 1e-5);
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(itk.direction[axis][c], ours->geometry().direction[axis][c], 1e-5);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(RealScans, ItkAgrees, testing::Values("sag-anon.nii.gz", "anatomical.nii"),
                         [](const auto& one) { return std::string(one.param).substr(0, 3); });

}  // namespace
}  // namespace highwater::test
