#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

using test::Dicom;
using test::readDicomHere;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Vector = std::array<double, 3>;

/// The same "anatomy" everywhere: a value for every millimeter, linear, so that interpolation is exact.
double anatomy(const Vector& ras) {
    return 1000 + 3 * ras[0] + 5 * ras[1] + 7 * ras[2];
}

/// A slice of it with its first pixel at `position` (LPS).
Dicom sliceAt(const Vector& position, const std::array<double, 6>& orientation, int instance) {
    Dicom d;
    d.columns = 6;
    d.rows = 5;
    d.position = position;
    d.orientation = orientation;
    d.instance = instance;
    for (int row = 0; row < d.rows; ++row) {
        for (int column = 0; column < d.columns; ++column) {
            Vector lps = position;
            for (std::size_t c = 0; c < 3; ++c) {
                lps[c] += orientation[c] * column * d.spacing[1] + orientation[3 + c] * row * d.spacing[0];
            }
            d.values.push_back(std::llround(anatomy({-lps[0], -lps[1], lps[2]})));
        }
    }
    return d;
}

void expectAnatomy(const volume::Volume& volume, double tolerance) {
    const auto& size = volume.geometry().size;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                const Vector mm = volume.geometry().toMillimeters(
                    {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
                ASSERT_NEAR(volume.at(i, j, k), anatomy(mm), tolerance) << i << " " << j << " " << k;
            }
        }
    }
}

/// Every permutation and flip of the axes, in three encodings: the same anatomy at the same millimeter, and
/// letters that say which way each axis goes.
TEST(DicomGeometry, AllFortyEightOrientations) {
    static constexpr const char* kLetters[3] = {"RL", "AP", "SI"};  // of RAS: towards +, towards -
    std::array<std::size_t, 3> axes{0, 1, 2};
    int tried = 0;
    do {
        for (int flips = 0; flips < 8; ++flips) {
            const test::TemporaryFolder folder;
            const auto sign = [&](int axis) { return flips >> axis & 1 ? -1.0 : 1.0; };
            std::array<double, 6> orientation{};
            orientation[axes[0]] = sign(0);
            orientation[3 + axes[1]] = sign(1);
            for (int k = 0; k < 4; ++k) {
                Vector position{10, -20, 30};
                position[axes[2]] += sign(2) * 4 * k;
                Dicom d = sliceAt(position, orientation, k + 1);
                d.syntax = static_cast<test::Syntax>(tried % 3);
                folder.write("IM" + std::to_string(k), test::dicomFile(d));
            }
            const auto volume = readDicomHere(folder.path().string());
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{6, 5, 4}));
            EXPECT_EQ(volume->geometry().spacing, (Vector{1, 2, 4}));
            expectAnatomy(*volume, 1e-9);
            const std::string letters = volume->geometry().orientation();
            for (int axis = 0; axis < 2; ++axis) {
                const std::size_t world = axes[static_cast<std::size_t>(axis)];
                const bool towardsPlus = (sign(axis) > 0) != (world < 2);  // LPS to RAS
                EXPECT_EQ(letters[static_cast<std::size_t>(axis)], kLetters[world][towardsPlus ? 0 : 1]);
            }
            EXPECT_THAT(volume->header().warnings, IsEmpty());
            ++tried;
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    EXPECT_EQ(tried, 48);
}

TEST(DicomGeometry, ATiltedGantryIsNotShearedSilently) {
    const test::TemporaryFolder folder;
    const double angle = 12 * std::numbers::pi / 180;
    const std::array<double, 6> orientation{1, 0, 0, 0, std::cos(angle), std::sin(angle)};
    for (int k = 0; k < 6; ++k) {
        folder.write("IM" + std::to_string(k), test::dicomFile(sliceAt({0, 0, 5.0 * k}, orientation, k + 1)));
    }
    const auto volume = readDicomHere(folder.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_THAT(volume->header().warnings, ElementsAre(HasSubstr("tilted by 12.0°")));
    const auto& geometry = volume->geometry();
    EXPECT_NEAR(geometry.spacing[2], 5 * std::cos(angle), 1e-9);
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& first = geometry.direction[a];
        const auto& second = geometry.direction[(a + 1) % 3];
        EXPECT_NEAR(first[0] * second[0] + first[1] * second[1] + first[2] * second[2], 0, 1e-9);
    }
    // Wherever a picture has voxels, they show the original values.
    int inside = 0;
    for (std::int64_t k = 0; k < geometry.size[2]; ++k) {
        const auto picture = sliceAt({0, 0, 5.0 * static_cast<double>(k)}, orientation, 1).values;
        const auto lowest = static_cast<double>(*std::min_element(picture.begin(), picture.end()));
        for (std::int64_t j = 0; j < geometry.size[1]; ++j) {
            const Vector mm = geometry.toMillimeters({2, static_cast<double>(j), static_cast<double>(k)});
            const Vector lps{-mm[0], -mm[1], mm[2]};
            const double down =
                (lps[1]) * std::cos(angle) + (lps[2] - 5.0 * static_cast<double>(k)) * std::sin(angle);
            if (down > -1e-6 && down < 8 + 1e-6) {
                EXPECT_NEAR(volume->at(2, j, k), anatomy(mm), 1.01);
                ++inside;
            } else {
                EXPECT_EQ(volume->at(2, j, k), lowest);
            }
        }
    }
    EXPECT_GE(inside, 6 * 4);
}

/// Slices with a tilt of `degrees`, whose positions were rounded to `unit` mm, as some scanners write them.
void writeRounded(const test::TemporaryFolder& folder, double degrees, double unit, double step) {
    constexpr double kOblique = 7.71 * std::numbers::pi / 180;
    const double along = kOblique + degrees * std::numbers::pi / 180;
    const std::array<double, 6> orientation{1, 0, 0, 0, std::cos(kOblique), std::sin(kOblique)};
    const auto rounded = [&](double mm) { return unit > 0 ? std::round(mm / unit) * unit : mm; };
    for (int k = 0; k < 20; ++k) {
        Dicom d = sliceAt({-110.5, -78.3063 - rounded(step * k * std::sin(along)),
                           -72.7575 + rounded(step * k * std::cos(along))},
                          orientation, k + 1);
        d.extra[0x00200032] = test::text(
            "DS", fmt::format("{:.6g}\\{:.6g}\\{:.6g}", d.position[0], d.position[1], d.position[2]));
        d.extra[0x00200037] = test::text("DS", fmt::format("{:.6g}", fmt::join(orientation, "\\")));
        folder.write("IM" + std::to_string(k), test::dicomFile(d));
    }
}

TEST(DicomGeometry, RoundedPositionsAreNoTilt) {
    for (const double unit : {0.0, 0.01, 0.1}) {
        for (const double step : {0.6, 1.0, 3.3, 7.0}) {
            SCOPED_TRACE(fmt::format("rounded to {} mm, {} mm apart", unit, step));
            const test::TemporaryFolder folder;
            writeRounded(folder, 0, unit, step);
            const auto volume = readDicomHere(folder.path().string());
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_THAT(volume->header().warnings, IsEmpty());
            EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{6, 5, 20}));
            EXPECT_NEAR(volume->geometry().spacing[2], step, 0.01);
            EXPECT_EQ(volume->geometry().origin, (Vector{110.5, 78.3063, -72.7575}));
            const auto picture = sliceAt({}, {1, 0, 0, 0, 1, 0}, 1);
            EXPECT_EQ(volume->at(1, 0, 3) - volume->at(0, 0, 3),
                      -3);  // as in the file: not interpolated
        }
    }
}

TEST(DicomGeometry, ATiltIsFoundInRoundedPositionsToo) {
    for (const double unit : {0.0, 0.01, 0.1}) {
        for (const double degrees : {-3.0, -1.0, 1.0, 2.0}) {
            for (const double step : {1.0, 5.0}) {
                SCOPED_TRACE(fmt::format("{}°, rounded to {} mm, {} mm apart", degrees, unit, step));
                const test::TemporaryFolder folder;
                writeRounded(folder, degrees, unit, step);
                const auto volume = readDicomHere(folder.path().string());
                ASSERT_TRUE(volume.ok()) << volume.error().message;
                ASSERT_THAT(volume->header().warnings, Contains(HasSubstr("tilted by ")));
                const std::string& line = volume->header().warnings.back();
                EXPECT_NEAR(std::stod(line.substr(line.find("by ") + 3)), std::abs(degrees), 0.15);
                EXPECT_EQ(volume->geometry().size[0], 6);  // the tilt is in the other direction
            }
        }
    }
}

/// Couches move by whole millimeters, and such positions are exact.
TEST(DicomGeometry, WholeMillimetersAreExact) {
    const test::TemporaryFolder folder;
    const double angle = std::numbers::pi / 180;
    for (int k = 0; k < 4; ++k) {
        folder.write("IM" + std::to_string(k),
                     test::dicomFile(sliceAt({-100, -100, 5.0 * k},
                                             {1, 0, 0, 0, std::cos(angle), std::sin(angle)}, k + 1)));
    }
    EXPECT_THAT(readDicomHere(folder.path().string())->header().warnings,
                ElementsAre(HasSubstr("tilted by 1.0°")));
}

TEST(DicomGeometry, RoundedDirectionsAreNoTilt) {
    const test::TemporaryFolder folder;
    const double angle = 25 * std::numbers::pi / 180;
    for (int k = 0; k < 20; ++k) {
        Dicom d =
            sliceAt({0, -3.0 * k * std::sin(angle), 3.0 * k * std::cos(angle)}, {1, 0, 0, 0, 1, 0}, k + 1);
        d.extra[0x00200037] = test::text("DS", "1\\0\\0\\0\\0.906\\0.422");  // not 0.9063 and 0.4226
        folder.write("IM" + std::to_string(k), test::dicomFile(d));
    }
    EXPECT_THAT(readDicomHere(folder.path().string())->header().warnings, IsEmpty());
}

TEST(DicomGeometry, AShiftByWholePixelsCopiesValues) {
    const test::TemporaryFolder folder;
    folder.write("a", test::dicomFile(sliceAt({0, 0, 0}, {1, 0, 0, 0, 1, 0}, 1)));
    folder.write("b", test::dicomFile(sliceAt({0, 4, 3}, {1, 0, 0, 0, 1, 0}, 2)));
    const auto volume = readDicomHere(folder.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{6, 7, 2}));
    for (std::int64_t j = 0; j < 5; ++j) {
        const Vector first = volume->geometry().toMillimeters({1, static_cast<double>(j), 0});
        const Vector second = volume->geometry().toMillimeters({1, static_cast<double>(j + 2), 1});
        EXPECT_EQ(volume->at(1, j, 0), anatomy(first));
        EXPECT_EQ(volume->at(1, j + 2, 1), anatomy(second));
    }
}

TEST(DicomGeometry, UnevenSlicesAreInterpolatedAndSaidSo) {
    const test::TemporaryFolder folder;
    int instance = 0;
    for (const double z : {0.0, 2.0, 4.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0}) {
        ++instance;
        folder.write("IM" + std::to_string(instance),
                     test::dicomFile(sliceAt({0, 0, z}, {1, 0, 0, 0, 1, 0}, instance)));
    }
    const auto volume = readDicomHere(folder.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_THAT(volume->header().warnings, ElementsAre(HasSubstr("unevenly")));
    EXPECT_EQ(volume->geometry().spacing[2], 3);
    EXPECT_EQ(volume->geometry().size[2], 8);
    expectAnatomy(*volume, 0.51);
}

TEST(DicomGeometry, PicturesFarFromEachOtherAreRefused) {
    const test::TemporaryFolder folder;
    for (int k = 0; k < 3; ++k) {
        const double z = k == 2 ? 100000 : k;
        folder.write("IM" + std::to_string(k),
                     test::dicomFile(sliceAt({0, 0, z}, {1, 0, 0, 0, 1, 0}, k + 1)));
    }
    const auto volume = readDicomHere(folder.path().string());
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("make no volume"));
}

TEST(DicomGeometry, WithoutPositionsNothingIsInvented) {
    const test::TemporaryFolder folder;
    for (int k = 0; k < 3; ++k) {
        Dicom d;
        d.instance = 3 - k;
        d.values = {k};
        d.extra[0x00200032] = {};
        d.extra[0x00280030] = {};
        folder.write("IM" + std::to_string(k), test::dicomFile(d));
    }
    const auto volume = readDicomHere(folder.path().string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_FALSE(volume->header().spacingKnown);
    EXPECT_THAT(volume->header().warnings,
                ElementsAre(HasSubstr("no spacing"), HasSubstr("do not give the positions")));
    EXPECT_EQ(volume->at(0, 0, 0), 2);
    EXPECT_EQ(volume->at(0, 0, 2), 0);
}

}  // namespace
}  // namespace highwater::scan
