#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/volume/augment.h"

namespace highwater::volume {

namespace {

using Kind = Augmentation::Kind;
using Vector3 = std::array<double, 3>;

constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// Returns a uniform number in [0, 1), the same on every machine.
double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

double between(std::mt19937_64& random, double low, double high) {
    return low + (high - low) * uniform(random);
}

std::size_t below(std::mt19937_64& random, std::size_t count) {
    return std::min(static_cast<std::size_t>(uniform(random) * static_cast<double>(count)), count - 1);
}

Matrix3 product(const Matrix3& a, const Matrix3& b) {
    Matrix3 out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            for (std::size_t k = 0; k < 3; ++k) {
                out[row][column] += a[row][k] * b[k][column];
            }
        }
    }
    return out;
}

/// Rodrigues' formula.
Matrix3 rotation(const Vector3& axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    Matrix3 out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            out[row][column] = axis[row] * axis[column] * (1 - c) + (row == column ? c : 0);
        }
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        out[i][j] -= s * axis[k];
        out[j][i] += s * axis[k];
    }
    return out;
}

Vector3 randomAxis(const Index3& extent, std::mt19937_64& random) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (extent[axis] == 1) {
            Vector3 normal{};
            normal[axis] = 1;
            return normal;
        }
    }
    const double z = between(random, -1, 1), angle = between(random, 0, 2 * std::numbers::pi);
    const double r = std::sqrt(std::max(0.0, 1 - z * z));
    return {r * std::cos(angle), r * std::sin(angle), z};
}

std::size_t activeAxes(const Index3& extent) {
    return static_cast<std::size_t>(
        std::count_if(extent.begin(), extent.end(), [](std::int64_t n) { return n > 1; }));
}

/// A spatial step: its matrix and its description. `change` is std::nullopt if it does not change the patch.
struct Turn {
    Matrix3 space = kIdentity;
    std::optional<SpaceChange> change;
};

/// The matrix maps from the patch to its source, so the visible content turns in the opposite direction.
Turn drawRotation(double degrees, const Index3& extent, const Vector3& spacing, std::mt19937_64& random) {
    const Vector3 axis = randomAxis(extent, random);
    const double angle = between(random, -degrees, degrees);
    Matrix3 out = rotation(axis, angle * std::numbers::pi / 180);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            out[row][column] *= spacing[column] / spacing[row];
        }
    }
    return {out, SpaceChange{Kind::Rotate, {}, axis, -angle}};
}

Turn drawScale(double amount, const Index3& extent, std::mt19937_64& random) {
    const double factor = between(random, 1 - amount, 1 + amount);
    Matrix3 out = kIdentity;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out[axis][axis] = extent[axis] > 1 ? 1 / factor : 1;
    }
    return {out, SpaceChange{Kind::Scale, {}, {}, factor}};
}

Turn drawFlips(double p, const Index3& extent, std::mt19937_64& random) {
    Turn out;
    SpaceChange change;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (const bool flips = uniform(random) < p; flips && extent[axis] > 1) {
            out.space[axis][axis] = -1;
            change.flipped[axis] = true;
            out.change = change;
        }
    }
    return out;
}

Turn drawQuarterTurns(const Index3& extent, std::mt19937_64& random) {
    std::vector<std::size_t> normals;  // normals of the planes with sides of equal length
    for (std::size_t k = 0; k < 3; ++k) {
        if (extent[(k + 1) % 3] == extent[(k + 2) % 3] && extent[(k + 1) % 3] > 1) {
            normals.push_back(k);
        }
    }
    if (normals.empty()) {
        return {};
    }
    const std::size_t k = normals[below(random, normals.size())], i = (k + 1) % 3, j = (k + 2) % 3;
    const std::size_t turns = 1 + below(random, 3);
    Matrix3 quarter = kIdentity;
    quarter[i][i] = quarter[j][j] = 0;
    quarter[i][j] = -1;
    quarter[j][i] = 1;
    Turn out;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        out.space = product(out.space, quarter);
    }
    constexpr double kSeen[] = {0, -90, 180, 90};
    SpaceChange change{Kind::Rotate90, {}, {}, kSeen[turns]};
    change.axis[k] = 1;
    out.change = change;
    return out;
}

double amountOf(const Augmentation& step) {
    return step.amount > 0 ? step.amount : defaultAmount(step.kind);
}

Intensity drawIntensity(const Augmentation& step, std::mt19937_64& random) {
    const double amount = amountOf(step);
    if (step.kind == Kind::Noise) {
        return {step.kind, amount, random()};
    }
    return {step.kind, step.kind == Kind::Blur ? amount : between(random, 1 - amount, 1 + amount), 0};
}

/// Returns a Turn without a change if the step is not applied.
Turn drawTurn(const Augmentation& step, const Index3& extent, const Vector3& spacing,
              std::mt19937_64& random) {
    if (step.kind == Kind::Flip) {
        return drawFlips(step.p, extent, random);
    }
    if (uniform(random) >= step.p) {
        return {};
    }
    const std::size_t needed = step.kind == Kind::Scale ? 1 : 2;
    if (activeAxes(extent) < needed) {
        return {};
    }
    if (step.kind == Kind::Rotate90) {
        return drawQuarterTurns(extent, random);
    }
    return step.kind == Kind::Rotate ? drawRotation(amountOf(step), extent, spacing, random)
                                     : drawScale(amountOf(step), extent, random);
}

/// Adds one spatial step to `drawn`.
void addSpace(DrawnAugmentation& drawn, const Augmentation& step, const Index3& extent,
              const Vector3& spacing, std::mt19937_64& random) {
    const Turn turn = drawTurn(step, extent, spacing, random);
    if (!turn.change) {
        return;
    }
    drawn.resampled = drawn.resampled || step.kind == Kind::Rotate || step.kind == Kind::Scale;
    drawn.space = product(drawn.space, turn.space);
    drawn.changes.push_back(*turn.change);
}

}  // namespace

double defaultAmount(Kind kind) {
    switch (kind) {
        case Kind::Flip:
        case Kind::Rotate90:
            return 0;
        case Kind::Rotate:
            return 15;
        case Kind::Scale:
            return 0.2;
        case Kind::Noise:
            return 0.1;
        case Kind::Blur:
            return 1;
        case Kind::Brightness:
            return 0.25;
        case Kind::Gamma:
            break;
    }
    return 0.3;
}

DrawnAugmentation drawAugmentation(std::span<const Augmentation> list, const Index3& extent,
                                   const Vector3& spacing, std::size_t channels, std::mt19937_64& random) {
    DrawnAugmentation drawn;
    drawn.values.resize(channels);
    for (const Augmentation& step : list) {
        if (step.kind < Kind::Noise) {
            addSpace(drawn, step, extent, spacing, random);
            continue;
        }
        for (std::vector<Intensity>& channel : drawn.values) {
            if (uniform(random) < step.p) {
                channel.push_back(drawIntensity(step, random));
            }
        }
    }
    return drawn;
}

}  // namespace highwater::volume
