#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "core/volume/augment.h"

/// augment_bench [SECONDS]: processor time of each augmentation on one core, on noise patches of 64^3 and
/// 128^3 voxels; the fastest of several runs. compare.py compares it with other libraries.
namespace {

using namespace highwater::volume;
using Kind = Augmentation::Kind;

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Patch {
    explicit Patch(std::int64_t side) : extent{side, side, side} {
        const auto voxels = static_cast<std::size_t>(side * side * side);
        values.assign(voxels, 0);
        scratch.resize(static_cast<std::size_t>(augmentScratch(extent)));
        applyIntensity({Kind::Noise, 1, 1}, extent, values.data(), scratch.data());
    }

    /// As the engine does for noise input.
    void change(const DrawnAugmentation& drawn) {
        constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (drawn.resampled || drawn.space != kIdentity) {
            std::memcpy(scratch.data(), values.data(), values.size() * sizeof(float));
            if (drawn.resampled) {
                resampleArray(scratch.data(), extent, placementIn({{}, extent}, drawn.space), extent,
                              Interpolation::Linear, values.data());
            } else {
                reorient(scratch.data(), extent, drawn.space, values.data());
            }
        }
        for (const Intensity& each : drawn.values[0]) {
            applyIntensity(each, extent, values.data(), scratch.data());
        }
    }

    Index3 extent;
    std::vector<float> values, scratch;
};

/// Milliseconds of processor time per patch.
double measure(const std::vector<Augmentation>& list, std::int64_t side, double seconds) {
    Patch patch(side);
    std::mt19937_64 random(1);
    double best = 1e9;
    const double start = processorSeconds();
    for (int runs = 0; runs < 5 || processorSeconds() - start < seconds; ++runs) {
        const double before = processorSeconds();
        patch.change(drawAugmentation(list, patch.extent, {1, 1, 1}, 1, random));
        best = std::min(best, processorSeconds() - before);
    }
    return best * 1000;
}

}  // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
    const std::vector<std::pair<std::string, std::vector<Augmentation>>> lists = {
        {"flip", {{Kind::Flip, 1}}},
        {"rotate90", {{Kind::Rotate90, 1}}},
        {"rotate", {{Kind::Rotate, 1}}},
        {"scale", {{Kind::Scale, 1}}},
        {"rotate+scale", {{Kind::Rotate, 1}, {Kind::Scale, 1}}},
        {"noise", {{Kind::Noise, 1}}},
        {"blur", {{Kind::Blur, 1}}},
        {"brightness", {{Kind::Brightness, 1}}},
        {"gamma", {{Kind::Gamma, 1}}},
        {"all",
         {{Kind::Flip, 1},
          {Kind::Rotate90, 1},
          {Kind::Rotate, 1},
          {Kind::Scale, 1},
          {Kind::Noise, 1},
          {Kind::Blur, 1},
          {Kind::Brightness, 1},
          {Kind::Gamma, 1}}}};
    fmt::print("{:>5} {:<13} {:>9} {:>10} {:>9}\n", "side", "augmentation", "ms", "patches/s", "MiB/s");
    for (const std::int64_t side : {64, 128}) {
        for (const auto& [name, list] : lists) {
            const double ms = measure(list, side, seconds);
            const double mib = static_cast<double>(side * side * side) * 4 / (1 << 20);
            fmt::print("{:>5} {:<13} {:>9.3f} {:>10.1f} {:>9.0f}\n", side, name, ms, 1000 / ms,
                       mib * 1000 / ms);
        }
    }
}
