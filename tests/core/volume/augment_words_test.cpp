#include "core/volume/augment_words.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

namespace highwater::volume {
namespace {

using Kind = Augmentation::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
constexpr Matrix3 kNoChange{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

DrawnAugmentation drawnWords(const std::vector<Augmentation>& list, std::uint64_t seed,
                             const Index3& extent = {8, 8, 8}, std::array<double, 3> spacing = {1, 1, 1},
                             std::size_t channels = 1) {
    std::mt19937_64 random(seed);
    return drawAugmentation(list, extent, spacing, channels, random);
}

Matrix3 product(const Matrix3& a, const Matrix3& b) {
    Matrix3 out{};
    for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
            for (std::size_t k = 0; k < 3; ++k) {
                out[r][c] += a[r][k] * b[k][c];
            }
        }
    }
    return out;
}

Matrix3 turn(std::array<double, 3> axis, double degrees) {
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    for (double& each : axis) {
        each /= length;  // the text is rounded
    }
    const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
    const auto [x, y, z] = axis;
    return {{{c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s},
             {y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s},
             {z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)}}};
}

std::size_t axisOf(char letter) {
    return static_cast<std::size_t>(letter - 'i');
}

/// The transform of an offset in millimeters according to the text.
Matrix3 said(const std::string& words) {
    Matrix3 out = kNoChange;
    if (words.starts_with("flipped along ")) {
        for (const char letter : words.substr(14)) {
            if (letter >= 'i' && letter <= 'k') {
                out[axisOf(letter)][axisOf(letter)] = -1;
            }
        }
    } else if (words.starts_with("scaled ")) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            out[axis][axis] = std::stod(words.substr(7));
        }
    } else if (words.starts_with("turned by ")) {
        const std::string about = words.substr(words.find(" about ") + 7);
        std::array<double, 3> axis{};
        if (about[0] == '(') {
            std::istringstream text(about.substr(1));
            char comma = 0;
            text >> axis[0] >> comma >> axis[1] >> comma >> axis[2];
        } else {
            axis[axisOf(about[0])] = 1;
        }
        out = turn(axis, std::stod(words.substr(10)));
    } else {
        ADD_FAILURE() << words;
    }
    return out;
}

/// The text, taken literally, gives the matrix that is used: what is seen at S in the source appears at W S,
/// so that W * space is the identity.
TEST(AugmentWords, SayWhatHappensToSpaceInItsOrder) {
    const std::vector<Augmentation> list = {{Kind::Scale, 0.6, 0.3}, {Kind::Flip, 0.3, 0},
                                            {Kind::Rotate, 0.6, 60}, {Kind::Rotate90, 0.6, 0},
                                            {Kind::Rotate, 0.4, 20}, {Kind::Flip, 0.3, 0}};
    int turned = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const std::array<double, 3> spacing{0.5, 1, 3};
        const DrawnAugmentation one = drawnWords(list, seed, {8, 8, 8}, spacing);
        Matrix3 seen = kNoChange;
        std::string all;
        for (const std::string& words : wordsFor(one)) {
            // Quarter turns apply to voxels, whatever their spacing.
            Matrix3 next = said(words);
            if (words.find('.') != std::string::npos || words.starts_with("flipped")) {
                for (std::size_t r = 0; r < 3; ++r) {
                    for (std::size_t c = 0; c < 3; ++c) {
                        next[r][c] *= spacing[c] / spacing[r];
                    }
                }
            }
            seen = product(next, seen);
            all += words + "; ";
            turned += words.starts_with("turned") ? 1 : 0;
        }
        const Matrix3 none = product(seen, one.space);
        for (std::size_t r = 0; r < 3; ++r) {
            for (std::size_t c = 0; c < 3; ++c) {
                EXPECT_NEAR(none[r][c], r == c ? 1 : 0, 0.12) << all << seed;
            }
        }
        if (all.empty()) {
            EXPECT_EQ(one.space, kNoChange);
        }
    }
    EXPECT_GT(turned, 300);
}

TEST(AugmentWords, ReadAsPeopleSayThem) {
    DrawnAugmentation one;
    one.values.resize(1);
    EXPECT_THAT(wordsFor(one), IsEmpty());
    one.changes = {{Kind::Flip, {true, false, false}, {}, 0},  {Kind::Flip, {true, false, true}, {}, 0},
                   {Kind::Flip, {true, true, true}, {}, 0},    {Kind::Rotate90, {}, {0, 0, 1}, -90},
                   {Kind::Rotate, {}, {0, 0, 1}, 7.06},        {Kind::Rotate, {}, {0, 0, 1}, -0.02},
                   {Kind::Rotate, {}, {0.6, 0, -0.8}, -12.34}, {Kind::Scale, {}, {}, 1.08}};
    one.values[0] = {
        {Kind::Noise, 0.05, 1}, {Kind::Blur, 1, 0}, {Kind::Brightness, 1.1249, 0}, {Kind::Gamma, 0.83, 0}};
    EXPECT_THAT(wordsFor(one),
                ElementsAre("flipped along i", "flipped along i and k", "flipped along i, j and k",
                            "turned by -90° about k", "turned by 7.1° about k", "turned by 0.0° about k",
                            "turned by 12.3° about (-0.60, 0.00, 0.80)", "scaled 1.08", "noise σ 0.05",
                            "blur σ 1 voxel", "brightness 1.12", "gamma 0.83"));
    one.changes.clear();
    one.values = {{}, {{Kind::Gamma, 0.83, 0}, {Kind::Noise, 0.05, 1}}};
    EXPECT_THAT(wordsFor(one), ElementsAre("channel 2: gamma 0.83", "channel 2: noise σ 0.05"));
}

TEST(AugmentWords, ValuesAreThoseThatAreApplied) {
    const std::vector<Augmentation> list = {
        {Kind::Gamma, 1, 0.3}, {Kind::Noise, 1, 0.25}, {Kind::Brightness, 1, 0.2}, {Kind::Blur, 1, 1.5}};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const DrawnAugmentation one = drawnWords(list, seed, {8, 8, 8}, {1, 1, 1}, 2);
        const std::vector<std::string> words = wordsFor(one);
        ASSERT_EQ(words.size(), 8U);
        for (std::size_t channel = 0; channel < 2; ++channel) {
            for (std::size_t n = 0; n < 4; ++n) {
                const std::string& text = words[channel * 4 + n];
                EXPECT_TRUE(text.starts_with(channel == 0 ? "channel 1: " : "channel 2: ")) << text;
                const Intensity& change = one.values[channel][n];
                const std::size_t digit = text.find_first_of("0123456789", 11);
                EXPECT_NEAR(std::stod(text.substr(digit)), change.value, 0.0051) << text;
                constexpr const char* kNames[] = {"noise", "blur", "brightness", "gamma"};
                EXPECT_NE(text.find(kNames[static_cast<int>(change.kind) - static_cast<int>(Kind::Noise)]),
                          std::string::npos)
                    << text;
            }
        }
    }
}

}  // namespace
}  // namespace highwater::volume
