#include "core/volume/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/core/volume/make_volume.h"

namespace highwater::volume {
namespace {

constexpr Matrix3 kUnmoved{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Matrix3 aboutK(double degrees) {
    const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
    return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

/// A blob whose values are known everywhere.
double blob(double x, double y, double z) {
    return 100 * std::exp(-0.5 *
                          (std::pow((x - 14) / 5, 2) + std::pow((y - 9) / 4, 2) + std::pow((z - 11) / 6, 2)));
}

template <class Function>
std::vector<float> sampled(const Index3& size, Function function) {
    std::vector<float> values;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                values.push_back(static_cast<float>(
                    function(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k))));
            }
        }
    }
    return values;
}

std::vector<float> numbered(const Index3& size) {
    float next = 0;
    return sampled(size, [&](double, double, double) { return next++; });
}

Volume volumeOf(const Index3& size, const std::vector<float>& values, double slope = 1,
                double intercept = 0) {
    const auto stored = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        return values[static_cast<std::size_t>((k * size[1] + j) * size[0] + i)];
    };
    return highwater::test::makeVolume<float>(size, VoxelType::F32, stored, slope, intercept);
}

/// The largest difference between the rotated patch and the blob's formula.
template <class Resample>
double worst(const Placement& placement, const Index3& extent, Resample resample) {
    std::vector<float> out(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
    resample(out.data());
    double most = 0;
    std::size_t at = 0;
    for (std::int64_t k = 0; k < extent[2]; ++k) {
        for (std::int64_t j = 0; j < extent[1]; ++j) {
            for (std::int64_t i = 0; i < extent[0]; ++i, ++at) {
                const double o[3] = {static_cast<double>(i) - static_cast<double>(extent[0] - 1) / 2,
                                     static_cast<double>(j) - static_cast<double>(extent[1] - 1) / 2,
                                     static_cast<double>(k) - static_cast<double>(extent[2] - 1) / 2};
                double p[3];
                for (std::size_t a = 0; a < 3; ++a) {
                    p[a] = placement.center[a] + placement.matrix[a][0] * o[0] +
                           placement.matrix[a][1] * o[1] + placement.matrix[a][2] * o[2];
                }
                most = std::max(most, std::abs(out[at] - blob(p[0], p[1], p[2])));
            }
        }
    }
    return most;
}

TEST(Resample, ATurnedBlobIsWhereTheFormulaSays) {
    const Index3 size{30, 20, 24}, extent{10, 8, 12};
    const std::vector<float> values = sampled(size, blob);
    const Volume volume = volumeOf(size, values);
    for (const double degrees : {0.0, 7.0, -31.0, 90.0, 180.0}) {
        SCOPED_TRACE(degrees);
        const Placement placement = placementIn({{10, 6, 6}, extent}, aboutK(degrees));
        // Interpolation is off by at most an eighth of the second derivative along each axis:
        // (100 / 25 + 100 / 16 + 100 / 36) / 8 = 1.6.
        EXPECT_LT(worst(placement, extent,
                        [&](float* out) {
                            resamplePatch(volume, placement, extent, Interpolation::Linear, 0, out);
                        }),
                  2.0);
        EXPECT_LT(worst(placement, extent,
                        [&](float* out) {
                            resampleArray(values.data(), size, placement, extent, Interpolation::Linear, out);
                        }),
                  2.0);
    }
}

TEST(Resample, StraightItIsThePatch) {
    const Index3 size{9, 8, 7};
    const std::vector<float> values = numbered(size);
    const Volume volume = volumeOf(size, values, 2, -3);
    for (const Index3 start : {Index3{1, 2, 3}, Index3{-2, 0, 5}, Index3{7, 7, -3}, Index3{20, 0, 0}}) {
        const PatchBox box{start, {4, 5, 3}};
        std::vector<float> plain(60), turned(60), nearest(60);
        extractPatch(volume, box.start, box.extent, -7, plain.data());
        const Placement placement = placementIn(box, kUnmoved);
        resamplePatch(volume, placement, box.extent, Interpolation::Linear, -7, turned.data());
        resamplePatch(volume, placement, box.extent, Interpolation::Nearest, -7, nearest.data());
        EXPECT_EQ(plain, nearest);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            EXPECT_NEAR(plain[i], turned[i], 1e-3) << i;
        }
    }
}

TEST(Resample, AVolumesOutsideIsAValueAndAnArraysItsEdge) {
    const Index3 size{8, 8, 8};
    const std::vector<float> values(512, 5.0F);
    Placement placement = placementIn({{0, 0, 0}, size}, aboutK(45));
    std::vector<float> out(512);
    resamplePatch(volumeOf(size, values), placement, size, Interpolation::Linear, -1, out.data());
    EXPECT_NEAR(out.front(), -1, 1e-6) << "the corner lies outside";
    EXPECT_NEAR(out[3 + 8 * 3 + 64 * 3], 5, 1e-6);
    resampleArray(values.data(), size, placement, size, Interpolation::Linear, out.data());
    for (const float value : out) {
        EXPECT_NEAR(value, 5, 1e-5);
    }
    placement.matrix[0] = {1e30, -1e30, 0};  // far away is outside, too
    resamplePatch(volumeOf(size, values), placement, size, Interpolation::Nearest, -1, out.data());
    EXPECT_EQ(out.front(), -1);
}

TEST(Resample, LabelsStayLabels) {
    const Index3 size{16, 16, 16};
    const std::vector<float> labels = sampled(
        size, [](double x, double y, double z) { return static_cast<int>(x + 2 * y + 3 * z) % 4 * 10; });
    const Volume volume = volumeOf(size, labels);
    const Matrix3 matrix{{{0.9, -0.3, 0.1}, {0.3, 0.8, -0.2}, {0.1, 0.2, 1.1}}};
    std::vector<float> out(4096);
    for (const bool fromArray : {false, true}) {
        const Placement placement = placementIn({{0, 0, 0}, size}, matrix);
        if (fromArray) {
            resampleArray(labels.data(), size, placement, size, Interpolation::Nearest, out.data());
        } else {
            resamplePatch(volume, placement, size, Interpolation::Nearest, 0, out.data());
        }
        for (const float value : out) {
            EXPECT_TRUE(value == 0 || value == 10 || value == 20 || value == 30) << value;
        }
    }
}

TEST(Resample, StoredIntegersBecomeRealValues) {
    const Index3 size{12, 11, 10};
    const auto plane = [](auto i, auto j, auto k) {
        return static_cast<std::int16_t>(7 * i - 5 * j + 3 * k);
    };
    const Volume volume = highwater::test::makeVolume<std::int16_t>(size, VoxelType::I16, plane, 0.5, -100);
    const PatchBox box{{4, 4, 3}, {4, 3, 4}};
    std::vector<float> out(48);
    const Placement placement = placementIn(box, aboutK(20));
    resamplePatch(volume, placement, box.extent, Interpolation::Linear, 0, out.data());
    // Interpolation of a plane is exact.
    const double c = std::cos(std::numbers::pi / 9), s = std::sin(std::numbers::pi / 9);
    const double x = placement.center[0] + c * -1.5 - s * -1, y = placement.center[1] + s * -1.5 + c * -1;
    EXPECT_NEAR(out[0], (7 * x - 5 * y + 3 * 3) * 0.5 - 100, 1e-3);
}

TEST(Resample, OneSliceAndOneLineAreSources) {
    const std::vector<float> values = numbered({6, 6, 1});
    std::vector<float> out(36);
    const Placement placement = placementIn({{0, 0, 0}, {6, 6, 1}}, aboutK(90));
    resampleArray(values.data(), {6, 6, 1}, placement, {6, 6, 1}, Interpolation::Linear, out.data());
    // Output (i, j) shows source (5 - j, i).
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            EXPECT_NEAR(out[static_cast<std::size_t>(j * 6 + i)], (5 - j) + 6 * i, 1e-4);
        }
    }
    std::vector<float> line(6);
    resamplePatch(volumeOf({6, 1, 1}, numbered({6, 1, 1})), placementIn({{0, 0, 0}, {6, 1, 1}}, kUnmoved),
                  {6, 1, 1}, Interpolation::Linear, 0, line.data());
    EXPECT_EQ(line, numbered({6, 1, 1}));
}

TEST(Reorient, EveryPermutationAndMirroringIsExact) {
    const Index3 size{19, 19, 19};
    const std::vector<float> values = numbered(size);
    std::array<std::size_t, 3> axes{0, 1, 2};
    do {
        for (int signs = 0; signs < 8; ++signs) {
            Matrix3 matrix{};
            for (std::size_t source = 0; source < 3; ++source) {
                matrix[source][axes[source]] = ((signs >> source) & 1) != 0 ? -1 : 1;
            }
            std::vector<float> out(values.size());
            reorient(values.data(), size, matrix, out.data());
            for (std::int64_t k = 0; k < 19; ++k) {
                for (std::int64_t j = 0; j < 19; ++j) {
                    for (std::int64_t i = 0; i < 19; ++i) {
                        const Index3 o{i, j, k};
                        Index3 s{};
                        for (std::size_t source = 0; source < 3; ++source) {
                            const std::int64_t along = o[axes[source]];
                            s[source] = matrix[source][axes[source]] < 0 ? 18 - along : along;
                        }
                        ASSERT_EQ(out[static_cast<std::size_t>((k * 19 + j) * 19 + i)],
                                  values[static_cast<std::size_t>((s[2] * 19 + s[1]) * 19 + s[0])]);
                    }
                }
            }
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(Reorient, SidesMayDiffer) {
    const Index3 size{5, 7, 3};
    const std::vector<float> values = numbered(size);
    std::vector<float> out(values.size()), back(values.size());
    const Matrix3 mirrored{{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
    reorient(values.data(), size, mirrored, out.data());
    EXPECT_EQ(out[0], values[4 + 5 * 7 * 2]);
    reorient(out.data(), size, mirrored, back.data());
    EXPECT_EQ(values, back);
}

}  // namespace
}  // namespace highwater::volume
