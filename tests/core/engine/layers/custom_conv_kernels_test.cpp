// The kernels of the fused custom_conv, without LibTorch: the CPU's, and a GPU's blocks run on the CPU,
// compared with the formula in doubles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/engine/kernels/custom_conv_cpu.h"
#include "tests/core/engine/device/host_cuda.h"

namespace highwater::engine::kernels {
namespace {
float toFloat(float value) {
    return value;
}
template <class T>
T fromFloat(float value) {
    return value;
}
}  // namespace
}  // namespace highwater::engine::kernels

#include "core/engine/kernels/custom_conv.cuh"

namespace highwater::engine::kernels {

float fusedRing[FusedCudaTile::kMostShared];

namespace {

using highwater::testing::launch;

/// x, W, d, b and the output's gradient, and the results of the formula.
struct Problem {
    FusedConv conv;
    std::vector<double> x, weight, fixed, bias, gradient;
    std::vector<double> y, inputGradient, weightGradient, biasGradient;
};

std::vector<double> drawn(std::int64_t count, std::mt19937_64& random) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
        value = std::uniform_real_distribution<>(-1, 1)(random);
    }
    return values;
}

std::size_t at(std::int64_t place) {
    return static_cast<std::size_t>(place);
}

/// f(output position, input position or -1, tap) for every tap of every output position.
template <class F>
void overWindows(const FusedConv& c, const F& f) {
    std::int64_t out = 0;
    for (std::int64_t z = 0; z < c.output[0]; ++z) {
        for (std::int64_t y = 0; y < c.output[1]; ++y) {
            for (std::int64_t x = 0; x < c.output[2]; ++x, ++out) {
                for (std::int64_t tap = 0; tap < c.taps(); ++tap) {
                    const std::int64_t fromZ = z + tap / (c.kernel[1] * c.kernel[2]) - c.padding[0],
                                       fromY = y + tap / c.kernel[2] % c.kernel[1] - c.padding[1],
                                       fromX = x + tap % c.kernel[2] - c.padding[2];
                    const bool inside = fromZ >= 0 && fromZ < c.input[0] && fromY >= 0 &&
                                        fromY < c.input[1] && fromX >= 0 && fromX < c.input[2];
                    if (inside) {
                        f(out, (fromZ * c.input[1] + fromY) * c.input[2] + fromX, tap);
                    }
                }
            }
        }
    }
}

void solve(Problem& p) {
    const FusedConv& c = p.conv;
    const std::int64_t places = c.places(), outs = c.outputPlaces();
    std::vector<double> h(at(c.batch * c.groups * places)), back(h.size());
    for (std::int64_t n = 0; n < c.batch; ++n) {
        for (std::int64_t g = 0; g < c.groups; ++g) {
            for (std::int64_t j = 0; j < c.in; ++j) {
                for (std::int64_t q = 0; q < places; ++q) {
                    h[at((n * c.groups + g) * places + q)] +=
                        p.weight[at(g * c.in + j)] * p.x[at((n * c.in + j) * places + q)];
                }
            }
        }
    }
    p.y.assign(at(c.batch * c.out() * outs), 0);
    p.biasGradient.assign(at(c.out()), 0);
    for (std::int64_t n = 0; n < c.batch; ++n) {
        for (std::int64_t o = 0; o < c.out(); ++o) {
            const std::int64_t from = (n * c.groups + o / c.each) * places, to = (n * c.out() + o) * outs;
            for (std::int64_t q = 0; q < outs; ++q) {
                p.y[at(to + q)] = p.bias[at(o)];
                p.biasGradient[at(o)] += p.gradient[at(to + q)];
            }
            overWindows(c, [&](std::int64_t out, std::int64_t in, std::int64_t tap) {
                const double by = p.fixed[at(o * c.taps() + tap)];
                p.y[at(to + out)] += by * h[at(from + in)];
                back[at(from + in)] += by * p.gradient[at(to + out)];
            });
        }
    }
    p.inputGradient.assign(p.x.size(), 0);
    p.weightGradient.assign(p.weight.size(), 0);
    for (std::int64_t n = 0; n < c.batch; ++n) {
        for (std::int64_t g = 0; g < c.groups; ++g) {
            for (std::int64_t j = 0; j < c.in; ++j) {
                for (std::int64_t q = 0; q < places; ++q) {
                    const double value = back[at((n * c.groups + g) * places + q)];
                    const std::size_t x = at((n * c.in + j) * places + q);
                    p.inputGradient[x] += p.weight[at(g * c.in + j)] * value;
                    p.weightGradient[at(g * c.in + j)] += p.x[x] * value;
                }
            }
        }
    }
}

/// Any sizes; `large`: as many positions and channels as pieces and blocks are split into.
Problem problem(std::uint64_t seed, bool large) {
    std::mt19937_64 random(seed);
    const auto between = [&](int low, int high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    Problem p;
    FusedConv& c = p.conv;
    c.batch = between(1, 2);
    c.in = between(1, large ? 20 : 5);
    c.groups = between(1, large ? 11 : 5);
    c.each = between(1, 3);
    for (int axis = 0; axis < 3; ++axis) {
        c.input[axis] = between(1, axis == 2 ? (large ? 70 : 34) : large ? 14 : 5);
        c.kernel[axis] = seed % 3 == 0 ? 3 : between(1, 5);
        c.padding[axis] = between(0, static_cast<int>(c.kernel[axis]));
        std::int64_t both = c.padding[axis] + between(0, 2);
        both = std::max(both, c.kernel[axis] - c.input[axis]);
        c.output[axis] = c.input[axis] + both - c.kernel[axis] + 1;
    }
    if (seed % 10 == 7) {  // more planes than are processed at once
        c.kernel[0] = 37;
        c.padding[0] = 18;
        c.output[0] = c.input[0];
    }
    p.x = drawn(c.batch * c.in * c.places(), random);
    p.weight = drawn(c.groups * c.in, random);
    p.fixed = drawn(c.out() * c.taps(), random);
    p.bias = drawn(c.out(), random);
    p.gradient = drawn(c.batch * c.out() * c.outputPlaces(), random);
    solve(p);
    return p;
}

template <class T>
std::vector<T> as(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}
template <class T>
std::vector<T> unset(std::size_t count) {
    return std::vector<T>(count, std::numeric_limits<T>::quiet_NaN());
}

/// Relative to the largest value.
template <class T>
void expectClose(const std::vector<T>& made, const std::vector<double>& right, double tolerance,
                 const char* what) {
    ASSERT_EQ(made.size(), right.size());
    double largest = 1e-30, apart = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        ASSERT_FALSE(std::isnan(made[i])) << what << " " << i;
        largest = std::max(largest, std::abs(right[i]));
        apart = std::max(apart, std::abs(static_cast<double>(made[i]) - right[i]));
    }
    EXPECT_LE(apart / largest, tolerance) << what;
}

template <class T>
void expectCpuRight(const Problem& p, double tolerance) {
    const FusedConv& c = p.conv;
    const auto x = as<T>(p.x), weight = as<T>(p.weight), fixed = as<T>(p.fixed), bias = as<T>(p.bias),
               gradient = as<T>(p.gradient);
    const FusedForwardTiles tiles = step::forwardTiles(c);
    auto y = unset<T>(p.y.size()), scratch = unset<T>(at(tiles.scratch));
    const FusedForward<T> forward{c, tiles, x.data(), weight.data(), fixed.data(), bias.data(), y.data()};
    for (std::int64_t piece = tiles.pieces; piece-- > 0;) {  // in any order
        fusedForward(forward, piece, piece + 1, scratch.data());
    }
    expectClose(y, p.y, tolerance, "output");

    const FusedBackwardTiles back = step::backwardTiles(c);
    auto dx = unset<T>(x.size()), dw = unset<T>(weight.size()), db = unset<T>(bias.size()),
         partials = unset<T>(weight.size() * at(back.parts)), own = unset<T>(at(back.scratch));
    const FusedBackward<T> backward{
        c, back, x.data(), weight.data(), fixed.data(), gradient.data(), dx.data(), partials.data()};
    fusedBackward(backward, 0, back.parts, own.data());
    sumParts(backward, dw.data());
    sumOutputs(c, gradient.data(), 0, c.out(), db.data());
    expectClose(dx, p.inputGradient, tolerance, "input's gradient");
    expectClose(dw, p.weightGradient, tolerance, "weight's gradient");
    expectClose(db, p.biasGradient, tolerance, "bias' gradient");
}

TEST(CustomConvKernels, TheCpusGiveWhatTheFormulaDoes) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const Problem p = problem(seed, true);
        expectCpuRight<double>(p, 1e-12);
        expectCpuRight<float>(p, 2e-5);
    }
}

unsigned blocksOf(std::int64_t count) {
    return static_cast<unsigned>(count);
}

void expectBlocksRight(const Problem& p, bool largeKernel) {
    const FusedConv& c = p.conv;
    const auto x = as<float>(p.x), weight = as<float>(p.weight), fixed = as<float>(p.fixed),
               bias = as<float>(p.bias), gradient = as<float>(p.gradient);
    auto y = unset<float>(p.y.size());
    const FusedForwardOf<float> forward{c, x.data(), weight.data(), fixed.data(), bias.data(), y.data()};
    const FusedCudaTile tile = fusedTile(c);
    EXPECT_LE(tile.shared, FusedCudaTile::kMostShared);
    if (largeKernel || tile.shared == 0) {
        launch({2, 1, 1}, kFusedThreads, [&] { fusedForwardLarge(forward); });
    } else {
        launch({blocksOf(tile.blocks), 1, 1}, kFusedThreads, [&] { fusedForwardBlock(forward, tile); });
    }
    expectClose(y, p.y, 2e-5, "output");

    const std::int64_t parts = std::min<std::int64_t>(3, step::cudaParts(c));
    auto dx = unset<float>(x.size()), dw = unset<float>(weight.size()), db = unset<float>(bias.size()),
         partials = unset<float>(weight.size() * at(parts));
    const FusedBackwardOf<float> backward{
        c, x.data(), weight.data(), fixed.data(), gradient.data(), dx.data(), partials.data()};
    launch({blocksOf(parts), blocksOf((c.in + kFusedInputs - 1) / kFusedInputs), 1}, kFusedThreads,
           [&] { fusedBackwardBlock(backward); });
    const auto elements = static_cast<std::int64_t>(weight.size());
    launch({blocksOf((elements + kFusedThreads - 1) / kFusedThreads), 1, 1}, kFusedThreads,
           [&] { fusedSumParts(partials.data(), parts, elements, dw.data()); });
    launch({blocksOf(c.out()), 1, 1}, kFusedThreads, [&] { fusedSumOutputs(c, gradient.data(), db.data()); });
    expectClose(dx, p.inputGradient, 2e-5, "input's gradient");
    expectClose(dw, p.weightGradient, 2e-5, "weight's gradient");
    expectClose(db, p.biasGradient, 2e-5, "bias' gradient");
}

TEST(CustomConvKernels, AGpusBlocksGiveWhatTheFormulaDoes) {
    for (std::uint64_t seed = 100; seed < 106; ++seed) {
        SCOPED_TRACE(seed);
        expectBlocksRight(problem(seed, false), seed % 3 == 2);
    }
}

/// More channels than a block processes at once, of both kinds.
TEST(CustomConvKernels, AGpusBlocksTakeManyChannels) {
    Problem p;
    p.conv.in = kFusedInputs + 3;
    p.conv.groups = kFusedGroups + 2;
    p.conv.input[2] = p.conv.output[2] = 70;
    p.conv.kernel[2] = 3;
    p.conv.padding[2] = 1;
    std::mt19937_64 random(1);
    p.x = drawn(p.conv.in * 70, random);
    p.weight = drawn(p.conv.groups * p.conv.in, random);
    p.fixed = drawn(p.conv.out() * 3, random);
    p.bias = drawn(p.conv.out(), random);
    p.gradient = drawn(p.conv.out() * 70, random);
    solve(p);
    expectBlocksRight(p, false);
    expectCpuRight<float>(p, 2e-5);
}

TEST(CustomConvKernels, TilesHoldForAnySize) {
    for (const std::int64_t kernel : {1, 3, 7, 15, 101, 5000}) {
        for (const std::int64_t length : {1, 33, 4096, 100000}) {
            for (const std::int64_t groups : {1, 3, 64, 5000}) {
                SCOPED_TRACE(fmt::format("kernel {}, length {}, groups {}", kernel, length, groups));
                FusedConv c;
                c.in = 5;
                c.groups = groups;
                for (const int axis : {0, 2}) {
                    c.input[axis] = c.output[axis] = length;
                    c.kernel[axis] = kernel;
                    c.padding[axis] = kernel / 2;
                }
                const FusedForwardTiles forward = step::forwardTiles(c);
                for (const std::int64_t value : {forward.channels, forward.planes, forward.rows,
                                                 forward.columns, forward.pieces, forward.scratch}) {
                    EXPECT_GE(value, 1);
                }
                EXPECT_LE(forward.channels, groups);
                const FusedBackwardTiles back = step::backwardTiles(c);
                EXPECT_LE(back.parts, back.pieces);
                EXPECT_GE(back.parts, 1);
                EXPECT_GE(back.rows * back.columns, 1);
                EXPECT_GE(step::cudaParts(c), 1);
            }
        }
    }
}

}  // namespace
}  // namespace highwater::engine::kernels
