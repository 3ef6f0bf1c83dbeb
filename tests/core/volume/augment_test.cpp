#include "core/volume/augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <tuple>
#include <vector>

#include "core/volume/fast_math.h"

namespace highwater::volume {
namespace {

using Kind = Augmentation::Kind;
constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr std::array<double, 3> kMillimeters{1, 1, 1};

DrawnAugmentation drawn(const std::vector<Augmentation>& list, std::uint64_t seed,
                        const Index3& extent = {8, 8, 8}, std::array<double, 3> spacing = kMillimeters,
                        std::size_t channels = 1) {
    std::mt19937_64 random(seed);
    return drawAugmentation(list, extent, spacing, channels, random);
}

std::vector<float> ramp(const Index3& extent) {
    std::vector<float> values(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 97) / 10 - 3;
    }
    return values;
}

void apply(Kind kind, double value, const Index3& extent, std::vector<float>& values,
           std::uint64_t seed = 1) {
    std::vector<float> scratch(static_cast<std::size_t>(augmentScratch(extent)), -1e30F);
    applyIntensity({kind, value, seed}, extent, values.data(), scratch.data());
}

double determinant(const Matrix3& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// --- what is drawn

TEST(AugmentDraw, NothingHappensWithoutProbability) {
    for (int kind = 0; kind < 8; ++kind) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const DrawnAugmentation none = drawn({{static_cast<Kind>(kind), 0, 0}}, seed);
            EXPECT_EQ(none.space, kIdentity);
            EXPECT_FALSE(none.resampled);
            EXPECT_TRUE(none.values[0].empty());
        }
    }
}

TEST(AugmentDraw, AsOftenAsItsProbabilitySays) {
    constexpr int kTimes = 4000;
    for (const double p : {0.25, 1.0}) {
        for (int kind = 2; kind < 8; ++kind) {
            int happened = 0;
            for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
                const DrawnAugmentation one = drawn({{static_cast<Kind>(kind), p, 0}}, seed);
                happened += one.resampled || !one.values[0].empty() ? 1 : 0;
            }
            // Six standard deviations.
            EXPECT_NEAR(happened, p * kTimes, 6 * std::sqrt(p * (1 - p) * kTimes) + 1e-9) << kind;
        }
    }
}

TEST(AugmentDraw, FlipsMirrorEachAxisForItself) {
    std::set<std::tuple<double, double, double>> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Matrix3 space = drawn({{Kind::Flip, 0.5, 0}}, seed, {8, 6, 4}).space;
        seen.insert({space[0][0], space[1][1], space[2][2]});
        EXPECT_EQ(std::abs(determinant(space)), 1);
    }
    EXPECT_EQ(seen.size(), 8U);
    EXPECT_EQ(drawn({{Kind::Flip, 1, 0}}, 3, {8, 6, 1}).space, (Matrix3{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}))
        << "an axis of one voxel stays";
}

TEST(AugmentDraw, QuarterTurnsKeepToPlanesWithEqualSides) {
    std::set<Matrix3> seen;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        seen.insert(drawn({{Kind::Rotate90, 1, 0}}, seed).space);
    }
    EXPECT_EQ(seen.size(), 9U) << "three planes, three turns";
    seen.clear();
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Matrix3 space = drawn({{Kind::Rotate90, 1, 0}}, seed, {8, 4, 8}).space;
        EXPECT_EQ(space[1], kIdentity[1]);
        EXPECT_EQ(determinant(space), 1) << "a turn, not a mirror";
        seen.insert(space);
    }
    EXPECT_EQ(seen.size(), 3U);
    EXPECT_EQ(drawn({{Kind::Rotate90, 1, 0}}, 0, {8, 4, 6}).space, kIdentity);
    EXPECT_EQ(drawn({{Kind::Rotate90, 1, 0}}, 0, {8, 1, 1}).space, kIdentity);
}

TEST(AugmentDraw, RotationsTurnRealSpaceByNoMoreThanTheAmount) {
    double most = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const std::array<double, 3> spacing{0.5, 1, 3};
        Matrix3 m = drawn({{Kind::Rotate, 1, 10}}, seed, {8, 8, 8}, spacing).space;
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                m[row][column] *= spacing[row] / spacing[column];
            }
        }
        EXPECT_NEAR(determinant(m), 1, 1e-12);
        for (std::size_t row = 0; row < 3; ++row) {
            EXPECT_NEAR(m[row][0] * m[row][0] + m[row][1] * m[row][1] + m[row][2] * m[row][2], 1, 1e-12);
        }
        const double angle = std::acos(std::min(1.0, (m[0][0] + m[1][1] + m[2][2] - 1) / 2));
        most = std::max(most, angle * 180 / std::numbers::pi);
    }
    EXPECT_LE(most, 10 + 1e-6);
    EXPECT_GT(most, 9);
    const Matrix3 image = drawn({{Kind::Rotate, 1, 10}}, 1, {8, 8, 1}).space;
    EXPECT_EQ(image[2], kIdentity[2]);
    EXPECT_NE(image, kIdentity);
}

TEST(AugmentDraw, SpaceIsOneMatrixInTheOrderOfTheList) {
    const DrawnAugmentation both = drawn({{Kind::Flip, 1, 0}, {Kind::Scale, 1, 0.5}}, 4);
    EXPECT_TRUE(both.resampled);
    EXPECT_NEAR(both.space[0][0], both.space[1][1], 1e-12);
    EXPECT_LT(both.space[0][0], 0) << "mirrored";
    EXPECT_GE(-both.space[0][0], 1 / 1.5);
    EXPECT_LE(-both.space[0][0], 1 / 0.5);
    const DrawnAugmentation signal = drawn({{Kind::Scale, 1, 0.5}, {Kind::Rotate, 1, 30}}, 4, {64, 1, 1});
    EXPECT_EQ(signal.space[1], kIdentity[1]);
    EXPECT_EQ(signal.space[0][1], 0);
}

TEST(AugmentDraw, EachChannelHasValuesOfItsOwn) {
    const DrawnAugmentation two =
        drawn({{Kind::Noise, 1, 0}, {Kind::Gamma, 1, 0}}, 5, {8, 8, 8}, kMillimeters, 2);
    ASSERT_EQ(two.values.size(), 2U);
    ASSERT_EQ(two.values[0].size(), 2U);
    EXPECT_EQ(two.values[0][0].kind, Kind::Noise);
    EXPECT_EQ(two.values[0][0].value, defaultAmount(Kind::Noise));
    EXPECT_NE(two.values[0][0].seed, two.values[1][0].seed);
    EXPECT_NE(two.values[0][1].value, two.values[1][1].value);
    EXPECT_GE(two.values[0][1].value, 0.7);
    EXPECT_LE(two.values[0][1].value, 1.3);
}

// --- what is done

TEST(FastMath, IsAsExactAsItSays) {
    for (int i = 1; i < 100000; ++i) {
        const float x = static_cast<float>(i) * 1.7e-4F;
        EXPECT_NEAR(fastLog2(x), std::log2(static_cast<double>(x)), 2e-6) << x;
        const float e = static_cast<float>(i) * 2.5e-3F - 125;
        EXPECT_NEAR(fastExp2(e) / std::exp2(static_cast<double>(e)), 1, 4e-7) << e;
        const float t = static_cast<float>(i) * 1e-5F - 0.5F;
        const double angle = 2 * std::numbers::pi * static_cast<double>(t);
        EXPECT_NEAR(fastSineCosine(t).sine, std::sin(angle), 4e-7) << t;
        EXPECT_NEAR(fastSineCosine(t).cosine, std::cos(angle), 4e-7) << t;
    }
    EXPECT_EQ(fastLog2(1), 0);
    EXPECT_EQ(fastExp2(-126), 0x1p-126F);
}

TEST(Intensity, NoiseIsNormalAndIndependent) {
    const Index3 extent{64, 64, 61};
    std::vector<float> values(64 * 64 * 61, 2.0F), again = values, other = values;
    apply(Kind::Noise, 0.5, extent, values, 7);
    apply(Kind::Noise, 0.5, extent, again, 7);
    apply(Kind::Noise, 0.5, extent, other, 8);
    EXPECT_EQ(values, again);
    EXPECT_NE(values, other);
    const auto n = static_cast<double>(values.size());
    double moments[4] = {}, neighbors = 0, between = 0, within = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double z = (values[i] - 2.0) / 0.5;
        double power = 1;
        for (double& moment : moments) {
            moment += (power *= z) / n;
        }
        neighbors += z * (values[(i + 1) % values.size()] - 2.0) / 0.5 / n;
        between += z * (other[i] - 2.0) / 0.5 / n;
        within += std::abs(z) < 1 ? 1 / n : 0;
    }
    const double error = 6 / std::sqrt(n);
    EXPECT_NEAR(moments[0], 0, error);
    EXPECT_NEAR(moments[1], 1, error * std::sqrt(2));
    EXPECT_NEAR(moments[2], 0, error * std::sqrt(15));
    EXPECT_NEAR(moments[3], 3, error * std::sqrt(96));
    EXPECT_NEAR(neighbors, 0, error);
    EXPECT_NEAR(between, 0, error);
    EXPECT_NEAR(within, 0.682689, error);
}

TEST(Intensity, BlurOfAPointIsItsKernel) {
    const Index3 extent{33, 31, 29};
    for (const double sigma : {0.5, 1.0, 3.0}) {
        std::vector<float> values(33 * 31 * 29, 0.0F);
        values[static_cast<std::size_t>((14 * 31 + 15) * 33 + 16)] = 1;
        apply(Kind::Blur, sigma, extent, values);
        double sum = 0;
        for (const float value : values) {
            sum += value;
        }
        EXPECT_NEAR(sum, 1, 1e-5);
        const auto at = [&](int i, int j, int k) {
            return values[static_cast<std::size_t>(((14 + k) * 31 + 15 + j) * 33 + 16 + i)];
        };
        const double ratio = std::exp(-0.5 / (sigma * sigma));
        EXPECT_NEAR(at(1, 0, 0) / at(0, 0, 0), ratio, 1e-5);
        EXPECT_NEAR(at(0, -1, 0) / at(0, 0, 0), ratio, 1e-5);
        EXPECT_NEAR(at(0, 0, 1) / at(0, 0, 0), ratio, 1e-5);
        EXPECT_NEAR(at(1, 1, -1) / at(0, 0, 0), ratio * ratio * ratio, 1e-5);
        EXPECT_EQ(at(0, 0, static_cast<int>(std::ceil(3 * sigma)) + 1), 0);
    }
}

TEST(Intensity, BlurKeepsWhatIsFlatAndRepeatsEdges) {
    for (const Index3& extent : {Index3{5, 4, 3}, Index3{7, 1, 1}, Index3{6, 9, 1}, Index3{1, 1, 8},
                                 Index3{1, 5, 1}, Index3{40, 2, 3}}) {
        std::vector<float> flat(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]), 3.5F);
        apply(Kind::Blur, 4, extent, flat);
        for (const float value : flat) {
            EXPECT_NEAR(value, 3.5, 1e-5);
        }
    }
    std::vector<float> step{0, 0, 0, 0, 8, 8, 8, 8}, across = step;
    apply(Kind::Blur, 1, {8, 1, 1}, step);
    apply(Kind::Blur, 1, {1, 1, 8}, across);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(step[i] + step[7 - i], 8, 1e-5) << "symmetric";
        EXPECT_NEAR(step[i], across[i], 1e-6) << "axes are alike";
    }
    EXPECT_LT(step[0], step[3]);
}

TEST(Intensity, BrightnessMultiplies) {
    const Index3 extent{7, 5, 3};
    std::vector<float> values = ramp(extent);
    const std::vector<float> before = values;
    apply(Kind::Brightness, 1.25, extent, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_FLOAT_EQ(values[i], before[i] * 1.25F);
    }
}

TEST(Intensity, GammaIsAPowerOnThePatchsOwnRange) {
    const Index3 extent{17, 11, 5};
    for (const double exponent : {0.1, 0.7, 1.0, 1.9}) {
        std::vector<float> values = ramp(extent);
        const std::vector<float> before = values;
        const auto [low, high] = std::minmax_element(before.begin(), before.end());
        apply(Kind::Gamma, exponent, extent, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double t = (before[i] - *low) / static_cast<double>(*high - *low);
            EXPECT_NEAR(values[i], *low + std::pow(t, exponent) * (*high - *low), 3e-5) << t;
        }
    }
    std::vector<float> flat(27, 4.0F);
    apply(Kind::Gamma, 0.5, {3, 3, 3}, flat);
    EXPECT_EQ(flat, std::vector<float>(27, 4.0F));
}

/// Any list on any patch: the result is finite, nothing outside is written, and the same draw gives the same
/// result.
TEST(Augment, AnyListOnAnyPatch) {
    std::mt19937_64 random(11);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    constexpr double kMost[] = {0, 0, 180, 0.9, 360, 16, 1, 0.9};
    constexpr float kGuard = 12345;
    for (int round = 0; round < 300; ++round) {
        Index3 extent{between(1, 20), between(1, 20), between(1, 20)};
        if (round % 3 == 0) {
            extent[1] = extent[2] = extent[0];
        }
        std::vector<Augmentation> list;
        for (std::int64_t n = between(0, 6); n > 0; --n) {
            const auto kind = static_cast<std::size_t>(between(0, 7));
            list.push_back({static_cast<Kind>(kind), static_cast<double>(between(0, 4)) * 0.25,
                            kMost[kind] * static_cast<double>(between(0, 10)) / 10});
        }
        const std::vector<float> source = ramp(extent);
        std::vector<float> first;
        for (int again = 0; again < 2; ++again) {
            const DrawnAugmentation one =
                drawn(list, static_cast<std::uint64_t>(round), extent, {0.7, 1, 2.5});
            std::vector<float> values(source.size() + 1, kGuard),
                scratch(static_cast<std::size_t>(augmentScratch(extent)) + 1, kGuard);
            if (one.resampled) {
                resampleArray(source.data(), extent, placementIn({{}, extent}, one.space), extent,
                              Interpolation::Linear, values.data());
            } else {
                reorient(source.data(), extent, one.space, values.data());
            }
            for (const Intensity& change : one.values[0]) {
                applyIntensity(change, extent, values.data(), scratch.data());
            }
            EXPECT_EQ(values.back(), kGuard);
            EXPECT_EQ(scratch.back(), kGuard);
            EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }));
            if (again == 0) {
                first = values;
            }
            EXPECT_EQ(first, values);
        }
    }
}

}  // namespace
}  // namespace highwater::volume
