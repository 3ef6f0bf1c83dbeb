#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/volume/augment.h"
#include "core/volume/fast_math.h"
#include "core/volume/vector_clones.h"

namespace highwater::volume {

namespace {

constexpr std::size_t kLanes = 16;

// --- noise

/// Independent xoshiro128+ generators (Blackman and Vigna), one per lane.
struct Generators {
    std::uint32_t a[kLanes], b[kLanes], c[kLanes], d[kLanes];

    explicit Generators(std::uint64_t seed) {
        const auto next = [&seed] {  // splitmix64
            std::uint64_t z = seed += 0x9e3779b97f4a7c15U;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
            return z ^ (z >> 31);
        };
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t low = next(), high = next();
            a[lane] = static_cast<std::uint32_t>(low) | 1U;
            b[lane] = static_cast<std::uint32_t>(low >> 32);
            c[lane] = static_cast<std::uint32_t>(high);
            d[lane] = static_cast<std::uint32_t>(high >> 32);
        }
    }

    HIGHWATER_INLINE void next(std::uint32_t* out) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            out[lane] = a[lane] + d[lane];
            const std::uint32_t shifted = b[lane] << 9;
            c[lane] ^= a[lane];
            d[lane] ^= b[lane];
            b[lane] ^= c[lane];
            a[lane] ^= d[lane];
            c[lane] ^= shifted;
            d[lane] = (d[lane] << 11) | (d[lane] >> 21);
        }
    }
};

/// Draws two normal values per lane, by Box and Muller: cosines, then sines.
HIGHWATER_INLINE void normals(Generators& random, float* out) {
    std::uint32_t first[kLanes], second[kLanes];
    random.next(first);
    random.next(second);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const float u = static_cast<float>(static_cast<std::int32_t>(first[lane] >> 8) + 1) * 0x1p-24F;
        const float turns = static_cast<float>(static_cast<std::int32_t>(second[lane]) >> 8) * 0x1p-24F;
        const float r = std::sqrt(-2 * 0.693147181F * lesser(fastLog2(u), 0.0F));
        const SineCosine at = fastSineCosine(turns);
        out[lane] = r * at.cosine;
        out[kLanes + lane] = r * at.sine;
    }
}

HIGHWATER_VECTOR_CLONES
void addNoise(float* values, std::int64_t count, float sigma, std::uint64_t seed) {
    constexpr std::int64_t kBlock = 2 * kLanes;
    Generators random(seed);
    float drawn[kBlock];
    for (std::int64_t at = 0; at < count; at += kBlock) {
        normals(random, drawn);
        const std::int64_t some = std::min(kBlock, count - at);
        for (std::int64_t i = 0; i < some; ++i) {
            values[at + i] += sigma * drawn[i];
        }
    }
}

// --- blur

struct Kernel {
    std::vector<float> weights;  ///< from the middle outwards
    std::int64_t radius() const { return static_cast<std::int64_t>(weights.size()) - 1; }
};

Kernel gaussian(double sigma) {
    Kernel kernel;
    const auto radius = static_cast<std::int64_t>(std::max(1.0, std::ceil(3 * sigma)));
    double sum = 0;
    std::vector<double> weights;
    for (std::int64_t t = 0; t <= radius; ++t) {
        const double x = static_cast<double>(t) / sigma;
        weights.push_back(std::exp(-0.5 * x * x));
        sum += weights.back() * (t == 0 ? 1 : 2);
    }
    for (const double weight : weights) {
        kernel.weights.push_back(static_cast<float>(weight / sum));
    }
    return kernel;
}

HIGHWATER_VECTOR_CLONES
void addPair(float* out, const float* a, const float* b, float weight, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] += weight * (a[i] + b[i]);
    }
}

HIGHWATER_VECTOR_CLONES
void multiply(float* out, const float* in, float factor, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = in[i] * factor;
    }
}

void blurRow(const float* row, std::int64_t count, const Kernel& kernel, float* out) {
    const std::int64_t r = kernel.radius(), low = std::min(r, count), high = std::max(low, count - r);
    const auto weight = [&](std::int64_t t) { return kernel.weights[static_cast<std::size_t>(t)]; };
    const auto atEdge = [&](std::int64_t i) {
        out[i] = weight(0) * row[i];
        for (std::int64_t t = 1; t <= r; ++t) {
            out[i] += weight(t) * (row[std::max<std::int64_t>(i - t, 0)] + row[std::min(i + t, count - 1)]);
        }
    };
    for (std::int64_t i = 0; i < low; ++i) {
        atEdge(i);
    }
    for (std::int64_t i = high; i < count; ++i) {
        atEdge(i);
    }
    multiply(out + low, row + low, weight(0), high - low);
    for (std::int64_t t = 1; t <= r; ++t) {
        addPair(out + low, row + low - t, row + low + t, weight(t), high - low);
    }
}

/// Blurs along an axis whose positions are `stride` floats apart, `width` floats at once. The result for
/// position `place` of `count` is written to `out`.
void blurPlace(const float* from, std::int64_t place, std::int64_t count, std::int64_t stride,
               std::int64_t width, const Kernel& kernel, float* out) {
    multiply(out, from + place * stride, kernel.weights[0], width);
    for (std::int64_t t = 1; t <= kernel.radius(); ++t) {
        addPair(out, from + std::max<std::int64_t>(place - t, 0) * stride,
                from + std::min(place + t, count - 1) * stride, kernel.weights[static_cast<std::size_t>(t)],
                width);
    }
}

/// Blurs plane by plane along i and j into the scratch memory, then along k back. A plane stays in the cache.
void blur(float* values, const Index3& extent, double sigma, float* scratch) {
    const Kernel kernel = gaussian(sigma);
    const auto [ni, nj, nk] = extent;
    const std::int64_t plane = ni * nj;
    float* const between = scratch + plane * nk;
    const auto floats = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); };
    for (std::int64_t k = 0; k < nk; ++k) {
        float* const blurred = nj > 1 ? between : scratch + k * plane;
        for (std::int64_t j = 0; j < nj; ++j) {
            const float* const row = values + k * plane + j * ni;
            if (ni > 1) {
                blurRow(row, ni, kernel, blurred + j * ni);
            } else {
                std::memcpy(blurred + j * ni, row, floats(ni));
            }
        }
        for (std::int64_t j = 0; nj > 1 && j < nj; ++j) {
            blurPlace(between, j, nj, ni, ni, kernel, scratch + k * plane + j * ni);
        }
    }
    if (nk == 1) {
        std::memcpy(values, scratch, floats(plane));
    }
    for (std::int64_t k = 0; nk > 1 && k < nk; ++k) {
        for (std::int64_t j = 0; j < nj; ++j) {
            blurPlace(scratch + j * ni, k, nk, plane, ni, kernel, values + k * plane + j * ni);
        }
    }
}

// --- gamma

struct Range {
    float low = 0, high = 0;
};

HIGHWATER_VECTOR_CLONES
Range rangeOf(const float* values, std::int64_t count) {
    float low[kLanes], high[kLanes];
    std::fill_n(low, kLanes, values[0]);
    std::fill_n(high, kLanes, values[0]);
    std::int64_t at = 0;
    for (; at + static_cast<std::int64_t>(kLanes) <= count; at += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const float value = values[at + static_cast<std::int64_t>(lane)];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
        }
    }
    for (; at < count; ++at) {
        low[0] = std::min(low[0], values[at]);
        high[0] = std::max(high[0], values[at]);
    }
    return {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
}

HIGHWATER_VECTOR_CLONES
void raise(float* values, std::int64_t count, Range range, float exponent) {
    const float width = range.high - range.low, inverse = 1 / width;
    for (std::int64_t i = 0; i < count; ++i) {
        const float t = (values[i] - range.low) * inverse;
        const float power = fastExp2(greater(exponent * fastLog2(greater(t, 0x1p-60F)), -126.0F));
        const float something = t > 0x1p-60F ? 1.0F : 0.0F;
        values[i] = range.low + width * (power * something);
    }
}

void gamma(float* values, std::int64_t count, double exponent) {
    const Range range = rangeOf(values, count);
    const float width = range.high - range.low;
    if (std::isfinite(width) && std::isnormal(width) && std::isfinite(1 / width)) {
        raise(values, count, range, static_cast<float>(exponent));
    }
}

}  // namespace

std::int64_t augmentScratch(const Index3& extent) {
    return extent[0] * extent[1] * (extent[2] + 1);
}

void applyIntensity(const Intensity& intensity, const Index3& extent, float* values, float* scratch) {
    const std::int64_t count = extent[0] * extent[1] * extent[2];
    switch (intensity.kind) {
        case Augmentation::Kind::Noise:
            return addNoise(values, count, static_cast<float>(intensity.value), intensity.seed);
        case Augmentation::Kind::Blur:
            return blur(values, extent, intensity.value, scratch);
        case Augmentation::Kind::Brightness:
            return multiply(values, values, static_cast<float>(intensity.value), count);
        case Augmentation::Kind::Gamma:
            return gamma(values, count, intensity.value);
        default:
            return;  // of space
    }
}

}  // namespace highwater::volume
