#include "core/volume/phantom.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/base/processor.h"
#include "core/volume/phantom_head.h"

namespace highwater::volume {
namespace {

constexpr std::array<double, 3> kFieldOfView{192 * 1.15, 192 * 1.15, 160 * 1.35};  // mm
// Noise before the blur, which leaves 0.23 of it: 5 HU in the result, with a grain like a scanner's.
constexpr double kNoise = 20;
constexpr int kMostThreads = 4;
constexpr double kLeast = -1024, kMost = 3071;  // 12 bits, as in scanners

Geometry phantomGeometry(const std::array<std::int64_t, 3>& size) {
    Geometry geometry;
    geometry.size = size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        geometry.spacing[axis] = kFieldOfView[axis] / static_cast<double>(size[axis]);
        geometry.origin[axis] = -geometry.spacing[axis] * static_cast<double>(size[axis] - 1) / 2;
    }
    return geometry;
}

/// Returns an approximately normal number: the sum of four 16-bit parts of a 64-bit number, centered, with
/// variance 1.
float gaussian(std::uint64_t& state) {
    const std::uint64_t bits = shapes::splitMix(state);
    const auto sum =
        static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
    return static_cast<float>((sum - 2 * 65535.0) / 65536.0 * std::sqrt(3.0));
}

void fillSlice(const Head& head, const Geometry& geometry, std::uint64_t seed, std::int64_t k, float* slice) {
    std::uint64_t state = seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(k);
    for (std::int64_t j = 0; j < geometry.size[1]; ++j) {
        for (std::int64_t i = 0; i < geometry.size[0]; ++i) {
            const auto mm = geometry.toMillimeters(
                {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
            const auto hounsfield = static_cast<float>(head.hounsfield({mm[0], mm[1], mm[2]}));
            *slice++ = hounsfield + static_cast<float>(kNoise) * gaussian(state);
        }
    }
}

/// Filters with the weights 1 2 1 along one axis of `count` lines; ends are repeated.
void blurLine(float* line, std::int64_t n, std::int64_t stride) {
    float before = line[0];
    for (std::int64_t i = 0; i < n; ++i) {
        const float here = line[i * stride];
        const float after = i + 1 < n ? line[(i + 1) * stride] : here;
        line[i * stride] = (before + 2 * here + after) / 4;
        before = here;
    }
}

void blurSlice(float* slice, std::int64_t width, std::int64_t height) {
    for (std::int64_t j = 0; j < height; ++j) {
        blurLine(slice + j * width, width, 1);
    }
    for (std::int64_t i = 0; i < width; ++i) {
        blurLine(slice + i, height, width);
    }
}

std::int16_t store(float hounsfield) {
    return static_cast<std::int16_t>(std::lround(std::clamp<double>(hounsfield, kLeast, kMost)));
}

/// Computes slices [from, to). Calls `done` after each and stops when it returns false.
template <class Done>
void makeSlices(Phantom& phantom, const Head& head, std::uint64_t seed, std::int64_t from, std::int64_t to,
                Done done) {
    const auto& size = phantom.geometry.size;
    const std::int64_t area = size[0] * size[1], last = size[2] - 1;
    // Three slices at a time are enough for the blur along z.
    std::array<std::vector<float>, 3> slices;
    const auto slice = [&](std::int64_t k) -> std::vector<float>& {
        return slices[static_cast<std::size_t>(k % 3)];
    };
    const auto make = [&](std::int64_t k) {
        slice(k).resize(static_cast<std::size_t>(area));
        fillSlice(head, phantom.geometry, seed, k, slice(k).data());
        blurSlice(slice(k).data(), size[0], size[1]);
    };
    make(std::max<std::int64_t>(from - 1, 0));
    if (from > 0) {
        make(from);
    }
    for (std::int64_t k = from; k < to; ++k) {
        if (k < last) {
            make(k + 1);
        }
        const auto& below = slice(std::max<std::int64_t>(k - 1, 0));
        const auto& here = slice(k);
        const auto& above = slice(std::min(k + 1, last));
        for (std::size_t at = 0; at < here.size(); ++at) {
            phantom.voxels[static_cast<std::size_t>(k * area) + at] =
                store((below[at] + 2 * here[at] + above[at]) / 4);
        }
        if (!done(k)) {
            return;
        }
    }
}

}  // namespace

base::Result<Phantom> makePhantom(const PhantomOptions& options) {
    Phantom phantom;
    std::array<std::int64_t, 3> size{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        size[axis] = std::clamp<std::int64_t>(options.size[axis], 8, 1024);
    }
    phantom.geometry = phantomGeometry(size);
    phantom.voxels.resize(static_cast<std::size_t>(phantom.geometry.voxels()));
    const Head head(options.seed);
    const std::int64_t parts = std::min(base::defaultThreads(), kMostThreads);
    std::atomic<bool> stopped{false};
    const auto cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
    std::vector<std::thread> others;
    for (std::int64_t part = 1; part < parts; ++part) {
        others.emplace_back([&, part] {
            makeSlices(phantom, head, options.seed, size[2] * part / parts, size[2] * (part + 1) / parts,
                       [&](std::int64_t) { return !stopped; });
        });
    }
    // The parts have equal sizes, so this part's progress represents all.
    const std::int64_t own = size[2] / parts;
    stopped = cancelled();
    if (!stopped) {
        makeSlices(phantom, head, options.seed, 0, own, [&](std::int64_t k) {
            if (options.progress) {
                options.progress(static_cast<double>(k + 1) / static_cast<double>(own));
            }
            stopped = cancelled();
            return !stopped;
        });
    }
    for (std::thread& other : others) {
        other.join();
    }
    if (stopped) {
        return base::Error{"cancelled"};
    }
    return phantom;
}

}  // namespace highwater::volume
