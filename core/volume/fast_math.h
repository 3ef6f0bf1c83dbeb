#pragma once

#include <bit>
#include <cstdint>

#include "core/volume/vector_clones.h"

/// Elementary functions of floats without branches or tables, so that the compiler can vectorize loops over
/// them. Private to core/volume and its tests.
namespace highwater::volume {

/// The logarithm to base 2 of a normal x > 0; error at most 2e-6.
HIGHWATER_INLINE float fastLog2(float x) {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); then log2(m) by the series of atanh((m - 1) / (m + 1)).
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t e = (bits - 0x3f3504f3) >> 23;
    const auto m = std::bit_cast<float>(bits - (e << 23));
    const float t = (m - 1) / (m + 1), u = t * t;
    const float series = 2.88539008F + u * (0.961796694F + u * (0.577078016F + u * 0.412198583F));
    return static_cast<float>(e) + t * series;
}

/// 2^x for x from -126 to 126; relative error at most 4e-7.
HIGHWATER_INLINE float fastExp2(float x) {
    constexpr float kRound = 12582912;  // 1.5 * 2^23: adding it rounds to a whole number
    const float whole = (x + kRound) - kRound;
    const float f = (x - whole) * 0.693147181F;  // within +-0.3466
    const float series =
        1 + f * (1 + f * (0.5F + f * (0.166666667F +
                                      f * (0.0416666667F + f * (0.00833333333F + f * 0.00138888889F)))));
    return series * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

struct SineCosine {
    float sine = 0, cosine = 0;
};

/// Sine and cosine of an angle of `turns` full turns, from -0.5 to 0.5; error at most 4e-7.
HIGHWATER_INLINE SineCosine fastSineCosine(float turns) {
    constexpr float kRound = 12582912;
    const float quarters = (turns * 4 + kRound) - kRound;
    const auto q = static_cast<std::int32_t>(quarters);
    const float x = (turns - quarters * 0.25F) * 6.28318531F, u = x * x;  // within +-pi/4
    const float s = x * (1 - u * (0.166666667F - u * (0.00833333333F - u * 0.000198412698F)));
    const float c = 1 - u * (0.5F - u * (0.0416666667F - u * (0.00138888889F - u * 0.0000248015873F)));
    const bool swaps = (q & 1) != 0;
    const float sine = swaps ? c : s, cosine = swaps ? s : c;
    return {(q & 2) != 0 ? -sine : sine, ((q + 1) & 2) != 0 ? -cosine : cosine};
}

}  // namespace highwater::volume
