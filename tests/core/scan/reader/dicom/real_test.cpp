#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

using test::listHere;
using test::readDicomHere;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
namespace fs = std::filesystem;

class RealDicom : public testing::Test {
protected:
    void SetUp() override {
        scans_ = test::scansFolder();
        if (scans_.empty()) {
            GTEST_SKIP() << "no scans: set HIGHWATER_SCANS";
        }
    }
    fs::path scans_;
    test::TemporaryFolder own_;
};

bool sameVoxels(const volume::Volume& a, const volume::Volume& b) {
    return a.header().type == b.header().type &&
           std::memcmp(
               a.data(), b.data(),
               static_cast<std::size_t>(a.geometry().voxels() * volume::voxelBytes(a.header().type))) == 0;
}

TEST_F(RealDicom, NineSyntaxesAreOneSetOfValues) {
    const auto first = readDicomHere((scans_ / "dcm-qa-ts/1.dcm").string());
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_EQ(first->geometry().size, (std::array<std::int64_t, 3>{64, 64, 35}));
    EXPECT_EQ(first->geometry().spacing[0], 3.25);
    EXPECT_NEAR(first->geometry().spacing[2], 3.6, 1e-6);
    EXPECT_GT(first->header().max, 100);
    EXPECT_THAT(first->header().warnings, IsEmpty());
    for (int i = 2; i <= 9; ++i) {
        const auto next = readDicomHere((scans_ / ("dcm-qa-ts/" + std::to_string(i) + ".dcm")).string());
        ASSERT_TRUE(next.ok()) << i << ": " << next.error().message;
        EXPECT_EQ(next->geometry(), first->geometry()) << i;
        EXPECT_TRUE(sameVoxels(*next, *first)) << i;
        EXPECT_THAT(next->header().warnings, IsEmpty()) << i;
    }
}

/// dcm2niix and nibabel agree: the first slice's first voxel is offset by half of the mosaic's remainder.
TEST_F(RealDicom, TheMosaicsSlicesLieWhereTheyWereTaken) {
    const auto volume = readDicomHere((scans_ / "dcm-qa-ts/1.dcm").string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    const auto& origin = volume->geometry().origin;
    EXPECT_NEAR(origin[0], 624 - 520, 1e-6);
    EXPECT_NEAR(origin[1], 661.82658862211 - 520 * 0.99415096409965, 1e-3);
    EXPECT_NEAR(origin[2], -6.5255017698948 - 520 * 0.1079993545339, 1e-3);
    EXPECT_EQ(volume->geometry().orientation(), "LPS");
}

TEST_F(RealDicom, TheFolderIsTheNiftiWhereTheyOverlap) {
    const auto dicom = readDicomHere((scans_ / "sag-anon-dicom").string());
    ASSERT_TRUE(dicom.ok()) << dicom.error().message;
    const auto nifti = test::readHere((scans_ / "sag-anon.nii.gz").string());
    ASSERT_TRUE(nifti.ok()) << nifti.error().message;
    EXPECT_THAT(dicom->header().warnings, IsEmpty());
    const auto& size = dicom->geometry().size;
    EXPECT_EQ(size, (std::array<std::int64_t, 3>{256, 256, 64}));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(dicom->geometry().spacing[axis], nifti->geometry().spacing[axis], 1e-5);
    }
    std::int64_t differing = 0;
    for (std::int64_t k = 0; k < size[2]; k += 7) {
        for (std::int64_t j = 0; j < size[1]; j += 3) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                const auto mm = dicom->geometry().toMillimeters(
                    {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
                const auto at = nifti->geometry().toIndex(mm);
                const std::array<std::int64_t, 3> whole{std::llround(at[0]), std::llround(at[1]),
                                                        std::llround(at[2])};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    ASSERT_NEAR(at[axis], static_cast<double>(whole[axis]), 0.01);
                }
                differing += dicom->at(i, j, k) != nifti->at(whole[0], whole[1], whole[2]);
            }
        }
    }
    EXPECT_EQ(differing, 0);
}

TEST_F(RealDicom, AMissingSliceIsNamedAndLeftBlank) {
    for (const auto& entry : fs::directory_iterator(scans_ / "sag-anon-dicom")) {
        if (entry.path().filename() != "0100.dcm") {
            fs::copy_file(entry.path(), own_.path() / entry.path().filename());
        }
    }
    const auto listed = listHere(own_.path().string());
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    ASSERT_THAT(listed->series, SizeIs(1));
    EXPECT_THAT(listed->series[0].warnings, ElementsAre(AllOf(HasSubstr("1 slice is missing"),
                                                              HasSubstr("0099.dcm"), HasSubstr("0101.dcm"))));
    EXPECT_EQ(listed->series[0].size[2], 64);
    EXPECT_EQ(listed->series[0].files, 63);
    EXPECT_EQ(listed->series[0].description, "SAG MPRAGE 220 FOV");
    EXPECT_NEAR(listed->series[0].spacing[2], 0.9, 1e-4);
    const auto gap = readDicomHere(own_.path().string());
    const auto whole = readDicomHere((scans_ / "sag-anon-dicom").string());
    ASSERT_TRUE(gap.ok() && whole.ok());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(gap->geometry().origin[axis], whole->geometry().origin[axis], 1e-9);
        EXPECT_NEAR(gap->geometry().spacing[axis], whole->geometry().spacing[axis], 1e-9);
    }
    int blank = 0;
    for (std::int64_t k = 0; k < 64; ++k) {
        const bool same = std::memcmp(gap->data() + k * 131072, whole->data() + k * 131072, 131072) == 0;
        blank += !same;
        if (!same) {
            EXPECT_EQ(gap->at(100, 100, k), whole->header().min);
        }
    }
    EXPECT_EQ(blank, 1);
}

TEST_F(RealDicom, TwoSeriesInOneFolderAreAChoice) {
    for (const auto& entry : fs::directory_iterator(scans_ / "sag-anon-dicom")) {
        fs::copy_file(entry.path(), own_.path() / entry.path().filename());
    }
    fs::copy_file(scans_ / "dcm-qa-ts/4.dcm", own_.path() / "mosaic");
    const auto listed = listHere(own_.path().string());
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    ASSERT_THAT(listed->series, SizeIs(2));
    EXPECT_EQ(listed->series[0].description, "ax_asc_35sl");
    EXPECT_EQ(listed->series[1].description, "SAG MPRAGE 220 FOV");
    const auto none = readDicomHere(own_.path().string());
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(none.error().message, AllOf(HasSubstr("holds 2 series"), HasSubstr("SAG MPRAGE 220 FOV"),
                                            HasSubstr(listed->series[0].id)));
    for (const auto& series : listed->series) {
        const auto volume = readDicomHere(own_.path().string(), series.id);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->geometry().size, series.size);
    }
}

TEST_F(RealDicom, MalformedFilesAreOneLineEachAndTheRestIsRead) {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(scans_ / "malformed")) {
        if (entry.path().extension() != ".dcm") {
            continue;
        }
        ++files;
        fs::copy_file(entry.path(), own_.path() / entry.path().filename());
        const auto volume = readDicomHere(entry.path().string());
        ASSERT_FALSE(volume.ok()) << entry.path();
        EXPECT_THAT(volume.error().message,
                    AllOf(HasSubstr(entry.path().filename().string()), Not(HasSubstr("\n"))));
    }
    EXPECT_EQ(files, 4);
    fs::copy_file(scans_ / "dcm-qa-ts/9.dcm", own_.path() / "good.dcm");
    const auto listed = listHere(own_.path().string());
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    std::string id;
    for (const auto& series : listed->series) {
        id = series.problem.empty() ? series.id : id;
    }
    const auto volume = readDicomHere(own_.path().string(), id);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size[2], 35);
}

}  // namespace
}  // namespace highwater::scan
