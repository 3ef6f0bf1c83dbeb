#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/widgets/scan/volumes.h"

/// One anatomy stored with every order and direction of its voxel axes.
namespace highwater::testing {

/// "RAS", "LAS", "ARS", ...: all 48.
inline std::vector<std::string> allOrientations() {
    std::vector<std::string> out;
    std::string axes = "012";
    do {
        for (unsigned flips = 0; flips < 8; ++flips) {
            std::string letters;
            for (const char axis : axes) {
                const auto a = static_cast<unsigned>(axis - '0');
                letters += (flips >> a & 1U) != 0 ? "LPI"[a] : "RAS"[a];
            }
            out.push_back(letters);
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    return out;
}

/// The volume with its first voxel's center at that position.
inline volume::Volume withOrigin(const volume::Volume& v, const std::array<double, 3>& origin) {
    volume::Header h = v.header();
    h.geometry.origin = origin;
    return {h, std::shared_ptr<const std::byte>(std::make_shared<volume::Volume>(v), v.data())};
}

/// 36 x 40 x 44 mm, a body with a bump of a different size toward R, A and S: no rotation or mirror image of
/// it is equal to it.
inline float bumpyBody(double x, double y, double z) {
    const auto within = [&](double cx, double cy, double cz, double r) {
        return std::pow(x - cx, 2) + std::pow(y - cy, 2) + std::pow(z - cz, 2) < r * r;
    };
    if (within(28, 18, 18, 6)) {
        return 900.0F;
    }
    if (within(16, 31, 20, 4) || within(17, 19, 34, 5)) {
        return 700.0F;
    }
    return within(17, 20, 20, 11) ? 600.0F : 20.0F;
}

/// That body in an orientation; every voxel has the same position in millimeters as in "RAS".
inline volume::Volume bumpyVolume(const std::string& letters) {
    constexpr std::array<std::int64_t, 3> kSize{24, 40, 22};  // along x, y, z
    constexpr std::array<double, 3> kSpacing{1.5, 1, 2};
    std::array<std::int64_t, 3> size{};
    std::array<double, 3> spacing{}, origin{};
    std::array<std::size_t, 3> patientAxis{};
    std::array<bool, 3> flipped{};
    for (std::size_t a = 0; a < 3; ++a) {
        flipped[a] = std::string("LPI").find(letters[a]) != std::string::npos;
        patientAxis[a] = std::string(flipped[a] ? "LPI" : "RAS").find(letters[a]);
        size[a] = kSize[patientAxis[a]];
        spacing[a] = kSpacing[patientAxis[a]];
        if (flipped[a]) {
            origin[patientAxis[a]] = static_cast<double>(size[a] - 1) * spacing[a];
        }
    }
    const auto value = [=](std::int64_t i, std::int64_t j, std::int64_t k) {
        const std::array<std::int64_t, 3> n{i, j, k};
        std::array<double, 3> mm{};
        for (std::size_t a = 0; a < 3; ++a) {
            mm[patientAxis[a]] = static_cast<double>(flipped[a] ? size[a] - 1 - n[a] : n[a]) * spacing[a];
        }
        return bumpyBody(mm[0], mm[1], mm[2]);
    };
    return withOrigin(makeVolume(size, value, letters, spacing), origin);
}

}  // namespace highwater::testing
