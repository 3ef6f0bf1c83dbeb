#include "core/volume/augment_words.h"

#include <fmt/format.h>

#include <cmath>

namespace highwater::volume {
namespace {

using Kind = Augmentation::Kind;
constexpr const char* kAxes[] = {"i", "j", "k"};

std::string flipText(const std::array<bool, 3>& flipped) {
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (flipped[axis]) {
            axes.emplace_back(kAxes[axis]);
        }
    }
    std::string text = "flipped along " + axes[0];
    for (std::size_t n = 1; n < axes.size(); ++n) {
        text += (n + 1 == axes.size() ? " and " : ", ") + axes[n];
    }
    return text;
}

/// Rounds, without a minus sign before zero.
double rounded(double value, double steps) {
    return std::round(value * steps) / steps + 0.0;
}

/// About an axis of the patch, the angle's sign gives the direction; about another axis, the angle is
/// positive.
std::string turnText(const SpaceChange& change) {
    const char* const format =
        change.kind == Kind::Rotate90 ? "turned by {:.0f}° about {}" : "turned by {:.1f}° about {}";
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs(change.axis[axis]) == 1) {
            return fmt::format(fmt::runtime(format), rounded(change.value * change.axis[axis], 10),
                               kAxes[axis]);
        }
    }
    const double sense = change.value < 0 ? -1 : 1;
    const auto along = [&](std::size_t axis) { return rounded(sense * change.axis[axis], 100); };
    return fmt::format(fmt::runtime(format), sense * change.value,
                       fmt::format("({:.2f}, {:.2f}, {:.2f})", along(0), along(1), along(2)));
}

std::string spaceText(const SpaceChange& change) {
    if (change.kind == Kind::Flip) {
        return flipText(change.flipped);
    }
    return change.kind == Kind::Scale ? fmt::format("scaled {:.2f}", change.value) : turnText(change);
}

std::string valueText(const Intensity& change) {
    switch (change.kind) {
        case Kind::Noise:
            return fmt::format("noise σ {:.3g}", change.value);
        case Kind::Blur:
            return fmt::format("blur σ {:.3g} voxel{}", change.value, change.value == 1 ? "" : "s");
        case Kind::Brightness:
            return fmt::format("brightness {:.2f}", change.value);
        default:
            return fmt::format("gamma {:.2f}", change.value);
    }
}

}  // namespace

std::vector<std::string> wordsFor(const DrawnAugmentation& drawn) {
    std::vector<std::string> words;
    for (const SpaceChange& change : drawn.changes) {
        words.push_back(spaceText(change));
    }
    for (std::size_t channel = 0; channel < drawn.values.size(); ++channel) {
        for (const Intensity& change : drawn.values[channel]) {
            words.push_back((drawn.values.size() > 1 ? fmt::format("channel {}: ", channel + 1) : "") +
                            valueText(change));
        }
    }
    return words;
}

}  // namespace highwater::volume
