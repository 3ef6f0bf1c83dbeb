#include <gmock/gmock.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/scan/tissue_files.h"

namespace highwater::test {
namespace {

/// ITK's reading of a file: voxels as stored, and their positions in RAS millimeters.
struct ItkReading {
    std::vector<char> voxels;
    std::array<double, 3> origin{}, spacing{};
    std::array<std::array<double, 3>, 3> direction{};
};

template <class ImageIO = itk::NiftiImageIO>
ItkReading readWithItk(const std::string& path) {
    const auto io = ImageIO::New();
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

/// Compares all voxels and their positions.
void expectSame(const volume::Volume& ours, const ItkReading& itk) {
    const auto bytes =
        static_cast<std::size_t>(ours.geometry().voxels() * volume::voxelBytes(ours.header().type));
    ASSERT_EQ(itk.voxels.size(), bytes);
    EXPECT_EQ(std::memcmp(itk.voxels.data(), ours.data(), bytes), 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(itk.origin[axis], ours.geometry().origin[axis], 1e-3);
        EXPECT_NEAR(itk.spacing[axis], ours.geometry().spacing[axis], 1e-5);
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(itk.direction[axis][c], ours.geometry().direction[axis][c], 1e-5);
        }
    }
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
    expectSame(*ours, readWithItk(path));
}

INSTANTIATE_TEST_SUITE_P(RealScans, ItkAgrees, testing::Values("sag-anon.nii.gz", "anatomical.nii"),
                         [](const auto& one) { return std::string(one.param).substr(0, 3); });

/// All 48 blocks in both byte orders; the types alternate, without int64 and uint64, which Highwater hands
/// over as float64.
template <class ImageIO, class Write>
void expectItkAgrees(const std::string& name, Write write) {
    const TemporaryFolder folder;
    constexpr const char* kTypes[] = {"uint8",  "int8",  "uint16",  "int16",
                                      "uint32", "int32", "float32", "float64"};
    std::size_t at = 0;
    for (const Block& block : allBlocks()) {
        for (bool swapped : {false, true}) {
            const std::string path =
                folder.write(name, write(block, kTypes[at++ % std::size(kTypes)], swapped));
            const auto ours = readHere(path);
            ASSERT_TRUE(ours.ok()) << ours.error().message;
            ASSERT_NO_FATAL_FAILURE(expectSame(*ours, readWithItk<ImageIO>(path))) << block.letters;
        }
    }
}

TEST(ItkAgreesAboutTissue, Nifti) {
    for (const Form form : {Form::Sform, Form::Qform, Form::Both}) {
        expectItkAgrees<itk::NiftiImageIO>("a.nii", [&](const Block& block, const char* type, bool swapped) {
            return niftiTissue(block, type, swapped, form);
        });
    }
}

TEST(ItkAgreesAboutTissue, Nrrd) {
    for (const char* space : {"left-posterior-superior", "right-anterior-superior"}) {
        expectItkAgrees<itk::NrrdImageIO>("a.nrrd", [&](const Block& block, const char* type, bool swapped) {
            return nrrdTissue(block, type, swapped, space);
        });
    }
}

TEST(ItkAgreesAboutTissue, MetaImage) {
    expectItkAgrees<itk::MetaImageIO>("a.mha", metaTissue);
}

}  // namespace
}  // namespace highwater::test
