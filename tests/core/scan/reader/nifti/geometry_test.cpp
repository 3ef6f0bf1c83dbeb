#include "core/scan/reader/nifti/geometry.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/volume/slice.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

base::Result<volume::Header> headerOf(const Nifti& nifti) {
    const TemporaryFolder folder;
    return scan::reader::readScanFile({folder.write("a.nii", niftiFile(nifti, counting())), "", 0, -1},
                                      [](std::string_view, double) {});
}

/// A value for each position in the patient, so that the same anatomy has the same number.
std::int16_t anatomy(double x, double y, double z) {
    return static_cast<std::int16_t>(x + 20 * y + 400 * z);
}

struct Turned {
    std::array<int, 3> axes;  ///< the patient axis of each voxel axis
    std::array<int, 3> signs;
};

/// The same 5 x 6 x 7 mm block of anatomy, stored along the given axes.
std::string storedAlong(const Turned& turned, bool swapped, std::string& letters) {
    constexpr std::array<int, 3> size{5, 6, 7};
    Nifti n;
    n.swapped = swapped;
    n.rows = {};
    letters = "???";
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto world = static_cast<std::size_t>(turned.axes[axis]);
        n.dim[axis + 1] = static_cast<std::int16_t>(size[world]);
        n.pixdim[axis + 1] = 1;
        n.rows[world][axis] = static_cast<float>(turned.signs[axis]);
        n.rows[world][3] = turned.signs[axis] > 0 ? 0 : static_cast<float>(size[world] - 1);
        letters[axis] = (turned.signs[axis] > 0 ? "RAS" : "LPI")[world];
    }
    std::vector<std::int16_t> values;
    for (int k = 0; k < n.dim[3]; ++k) {
        for (int j = 0; j < n.dim[2]; ++j) {
            for (int i = 0; i < n.dim[1]; ++i) {
                double mm[3];
                for (std::size_t w = 0; w < 3; ++w) {
                    mm[w] = i * n.rows[w][0] + j * n.rows[w][1] + k * n.rows[w][2] + n.rows[w][3];
                }
                values.push_back(anatomy(mm[0], mm[1], mm[2]));
            }
        }
    }
    return niftiFile(n, values);
}

TEST(NiftiGeometry, All48OrientationsShowTheSameAnatomyInTheSamePlace) {
    const TemporaryFolder folder;
    int checked = 0;
    std::array<int, 3> axes{0, 1, 2};
    do {
        for (int flips = 0; flips < 8; ++flips) {
            const Turned turned{axes, {flips & 1 ? -1 : 1, flips & 2 ? -1 : 1, flips & 4 ? -1 : 1}};
            std::string letters;
            const auto path = folder.write("a.nii", storedAlong(turned, flips % 2 == 1, letters));
            const auto volume = readHere(path);
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->geometry().orientation(), letters);
            EXPECT_THAT(volume->header().warnings, IsEmpty()) << letters;
            for (const auto& mm : {std::array<double, 3>{1, 2, 3}, {4, 5, 6}, {0, 5, 1}}) {
                const auto ijk = volume->geometry().toIndex(mm);
                EXPECT_EQ(volume->at(std::lround(ijk[0]), std::lround(ijk[1]), std::lround(ijk[2])),
                          anatomy(mm[0], mm[1], mm[2]))
                    << letters;
            }
            // Axial, top left pixel: the patient's right (x = 4) and front (y = 5), whatever the storage.
            const auto layout = volume::sliceLayout(volume->geometry(), volume::Plane::Axial);
            const auto corner = layout.voxel(0, 0, 0);
            const double z = volume->geometry().toMillimeters({static_cast<double>(corner[0]),
                                                               static_cast<double>(corner[1]),
                                                               static_cast<double>(corner[2])})[2];
            EXPECT_EQ(volume->at(corner[0], corner[1], corner[2]), anatomy(4, 5, z)) << letters;
            ++checked;
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    EXPECT_EQ(checked, 48);
}

TEST(NiftiGeometry, SformGivesPlaceAndSpacing) {
    const auto header = headerOf({});
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->geometry.spacing, (std::array<double, 3>{2, 3, 4}));
    EXPECT_EQ(header->geometry.origin, (std::array<double, 3>{-10, -20, -30}));
    EXPECT_THAT(header->warnings, IsEmpty());
}

TEST(NiftiGeometry, QformTurnsAndMirrors) {
    Nifti n;
    n.sform = 0;
    n.qform = 1;
    n.quaternion = {0, 0, static_cast<float>(std::sqrt(0.5))};  // a quarter turn about z
    n.qoffset = {1, 2, 3};
    n.pixdim[0] = -1;  // and the third axis reversed
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->geometry.orientation(), "ALI");
    EXPECT_EQ(header->geometry.spacing, (std::array<double, 3>{2, 3, 4}));
    const auto mm = header->geometry.toMillimeters({1, 1, 1});
    EXPECT_NEAR(mm[0], 1 - 3, 1e-5);
    EXPECT_NEAR(mm[1], 2 + 2, 1e-5);
    EXPECT_NEAR(mm[2], 3 - 4, 1e-5);
}

TEST(NiftiGeometry, NeitherIsSaid) {
    Nifti n;
    n.sform = 0;
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->geometry.spacing, (std::array<double, 3>{2, 3, 4}));
    EXPECT_THAT(header->warnings, Contains(HasSubstr("neither sform nor qform")));
}

TEST(NiftiGeometry, UnknownSpacingIsShownNotInvented) {
    for (float bad : {0.0F, -2.0F, std::nanf(""), INFINITY}) {
        Nifti n;
        n.sform = 0;
        n.qform = 1;
        n.pixdim[2] = bad;
        const auto header = headerOf(n);
        ASSERT_TRUE(header.ok());
        EXPECT_FALSE(header->spacingKnown);
        EXPECT_THAT(header->warnings, Contains(HasSubstr("spacing along y is unknown")));
    }
}

Nifti sheared() {
    Nifti n;
    n.rows[1][2] = 1;  // 14 degrees
    return n;
}

TEST(NiftiGeometry, AShearedSformIsReadWithTheQform) {
    Nifti n = sheared();
    n.qform = 1;
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->geometry.spacing, (std::array<double, 3>{2, 3, 4}));
    EXPECT_THAT(header->warnings, Contains(HasSubstr("sheared by 14.0 degrees")));
}

TEST(NiftiGeometry, AShearedSformAloneIsRefused) {
    const auto header = headerOf(sheared());
    ASSERT_FALSE(header.ok());
    EXPECT_THAT(header.error().message,
                HasSubstr("sheared by 14.0 degrees (a tilted gantry?) and there is no qform"));
}

TEST(NiftiGeometry, ASformALittleOffIsReadWithAWarning) {
    Nifti n;
    n.rows[1][2] = 0.02F;
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_THAT(header->warnings, Contains(HasSubstr("off a right angle")));
}

TEST(NiftiGeometry, ASingularSformIsRefusedOrReplaced) {
    Nifti n;
    n.rows[0] = {0, 0, 0, 0};
    const auto refused = headerOf(n);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("singular"));
    n.qform = 1;
    EXPECT_TRUE(headerOf(n).ok());
}

TEST(NiftiGeometry, WhereTheQformPutsItElsewhereIsSaid) {
    Nifti n;
    n.sform = 2;
    n.qform = 1;
    n.qoffset = {-10, -20, 5};
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_THAT(header->warnings,
                Contains(HasSubstr("programs that use the qform (ITK's do) place it up to 35 mm elsewhere")));
}

TEST(NiftiGeometry, SpacingThatDisagreesIsSaid) {
    Nifti n;
    n.pixdim[3] = 5;
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->geometry.spacing[2], 4);
    EXPECT_THAT(header->warnings,
                Contains(HasSubstr("spacing along z is 4 mm in the sform and 5 in pixdim")));
}

TEST(NiftiGeometry, MetresBecomeMillimeters) {
    Nifti n;
    n.units = 1;
    for (auto& row : n.rows) {
        for (float& value : row) {
            value /= 1000;
        }
    }
    n.pixdim = {1, 0.002F, 0.003F, 0.004F, 1, 1, 1, 1};
    const auto header = headerOf(n);
    ASSERT_TRUE(header.ok());
    EXPECT_NEAR(header->geometry.spacing[1], 3, 1e-6);
    EXPECT_NEAR(header->geometry.origin[2], -30, 1e-5);
}

}  // namespace
}  // namespace highwater::test
