// InPlace-ABN's CUDA kernels, run on the CPU, compared with the CPU's own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/engine/kernels/abn_cpu.h"
#include "core/engine/kernels/abn_cuda.h"

namespace highwater::engine::kernels {
namespace {

struct Case {
    AbnShape shape;
    AbnActivation activation;
    double offset = 0.3;
};

/// The offset of element i of a contiguous tensor in the shape's layout.
std::size_t placeOf(const AbnShape& shape, std::int64_t i) {
    const std::int64_t position = i % shape.positions, channel = i / shape.positions % shape.channels,
                       sample = i / shape.positions / shape.channels;
    return static_cast<std::size_t>(
        shape.channelsLast ? (sample * shape.positions + position) * shape.channels + channel : i);
}

struct Values {
    std::vector<double> x, dz, weight, bias, runningMean, runningVar;
};

template <class T>
double rounded(double value) {
    return static_cast<double>(static_cast<float>(T(static_cast<float>(value))));
}

template <class T>
Values makeValues(const Case& c) {
    std::mt19937_64 random(17);
    std::normal_distribution<double> normal;
    Values v;
    for (std::int64_t i = 0; i < c.shape.batch * c.shape.channels * c.shape.positions; ++i) {
        v.x.push_back(rounded<T>(c.offset + 1.7 * normal(random)));
        v.dz.push_back(rounded<T>(normal(random)));
    }
    for (std::int64_t i = 0; i < c.shape.channels; ++i) {
        const double weight = normal(random);
        v.weight.push_back(static_cast<float>(weight + (weight < 0 ? -0.3 : 0.3)));
        v.bias.push_back(static_cast<float>(0.5 * normal(random)));
        v.runningMean.push_back(0);
        v.runningVar.push_back(1);
    }
    return v;
}

struct Result {
    std::vector<double> z, dx, dweight, dbias, invstd, runningMean, runningVar;
};

/// In double, by the CPU's kernels; z is rounded to the element type, as it is stored.
template <class T>
Result onCpu(const Case& c, const Values& v) {
    AbnShape shape = c.shape;
    shape.channelsLast = false;
    Result r{v.x, std::vector<double>(v.x.size()), {}, {}, {}, {}, {}};
    for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
        const auto i = static_cast<std::size_t>(channel);
        AbnMoments moments;
        for (std::int64_t p = 0; p < abnPieces(shape); ++p) {
            moments.add(abnMoments(r.z.data(), shape, channel, p));
        }
        const double var = moments.squares / moments.count;
        const AbnChannel<double> with{moments.mean, 1 / std::sqrt(var + 1e-5), std::abs(v.weight[i]) + 1e-5,
                                      v.bias[i]};
        for (std::int64_t p = 0; p < abnPieces(shape); ++p) {
            abnApply(r.z.data(), shape, channel, p, with, c.activation);
        }
        r.invstd.push_back(with.invstd);
        r.runningMean.push_back(0.1 * moments.mean);
        r.runningVar.push_back(0.9 + 0.1 * moments.squares / (moments.count - 1));
    }
    for (double& each : r.z) {
        each = rounded<T>(each);
    }
    for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
        const auto i = static_cast<std::size_t>(channel);
        const AbnChannel<double> with{0, r.invstd[i], std::abs(v.weight[i]) + 1e-5, v.bias[i]};
        AbnSums sums;
        for (std::int64_t p = 0; p < abnPieces(shape); ++p) {
            sums.add(abnSums(r.z.data(), v.dz.data(), shape, channel, p, with, c.activation));
        }
        r.dbias.push_back(sums.dy);
        r.dweight.push_back(v.weight[i] < 0 ? -sums.dyXhat : sums.dyXhat);
        for (std::int64_t p = 0; p < abnPieces(shape); ++p) {
            abnGradient(r.z.data(), v.dz.data(), r.dx.data(), shape, channel, p, with, sums, c.activation);
        }
    }
    return r;
}

std::vector<float> floats(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}
std::vector<double> doubles(const std::vector<float>& values) {
    return {values.begin(), values.end()};
}

/// `beside`: elements between an aligned address and the tensor.
template <class T>
Result emulated(const Case& c, const Values& v, Element element, std::size_t beside) {
    const AbnShape& shape = c.shape;
    const std::size_t size = v.x.size();
    // A guard after it, which must not be written.
    const auto laid = [&](const std::vector<double>& values) {
        std::vector<T> made(size + beside + 64, T(777.0F));
        for (std::size_t i = 0; i < size; ++i) {
            made[beside + placeOf(shape, static_cast<std::int64_t>(i))] = T(static_cast<float>(values[i]));
        }
        return made;
    };
    const auto read = [&](const std::vector<T>& from) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i < beside || i >= beside + size) {
                EXPECT_EQ(static_cast<float>(from[i]), static_cast<float>(T(777.0F))) << "written beside";
            }
        }
        std::vector<double> made;
        for (std::size_t i = 0; i < size; ++i) {
            made.push_back(static_cast<float>(from[beside + placeOf(shape, static_cast<std::int64_t>(i))]));
        }
        return made;
    };
    std::vector<T> z = laid(v.x), dz = laid(v.dz);
    const auto channels = static_cast<std::size_t>(shape.channels);
    std::vector<float> weight = floats(v.weight), bias = floats(v.bias), mean(channels), invstd(channels),
                       dweight(channels), dbias(channels), runningMean = floats(v.runningMean),
                       runningVar = floats(v.runningVar);
    const auto passing = [](std::int64_t count) {
        return std::vector<float>(static_cast<std::size_t>(count));
    };
    std::vector<float> moments = passing(abnMomentFloats(shape)), sums = passing(abnSumFloats(shape));
    const AbnPlace place{element, shape, c.activation, weight.data(), bias.data(), 1e-5F};
    abnMoments(place, z.data() + beside,
               {mean.data(), invstd.data(), runningMean.data(), runningVar.data(), 0.1F}, moments.data(),
               nullptr);
    abnApply(place, z.data() + beside, mean.data(), invstd.data(), false, nullptr);
    Result r{read(z), {}, {}, {}, doubles(invstd), doubles(runningMean), doubles(runningVar)};
    abnSums(place, z.data() + beside, dz.data() + beside, dweight.data(), dbias.data(), sums.data(), nullptr);
    abnGradient(place, z.data() + beside, dz.data() + beside, dz.data() + beside, invstd.data(),
                dweight.data(), dbias.data(), nullptr);
    r.dx = read(dz);
    r.dweight = doubles(dweight);
    r.dbias = doubles(dbias);
    return r;
}

double error(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0, most = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
        worst = std::max(worst, std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : HUGE_VAL);
        most = std::max(most, std::abs(b[i]));
    }
    return worst / most;
}

double typical(const std::vector<double>& a, const std::vector<double>& b) {
    double apart = 0, all = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart += std::abs(a[i] - b[i]);
        all += std::abs(b[i]);
    }
    return apart / all;
}

const std::vector<AbnShape> kShapes{{2, 3, 64},  {3, 5, 37},   {1, 1, 9000}, {2, 40, 24}, {4, 70, 5},
                                    {17, 12, 1}, {1, 300, 16}, {3, 8, 4200}, {2, 1, 2}};

template <class T>
void compare(Element element, double tolerance) {
    for (AbnShape shape : kShapes) {
        for (const bool channelsLast : {false, true}) {
            for (const bool elu : {false, true}) {
                for (const std::size_t beside : {0, 1}) {
                    shape.channelsLast = channelsLast;
                    const Case c{shape, {elu, 0.1}};
                    SCOPED_TRACE(::testing::Message()
                                 << shape.batch << " x " << shape.channels << " x " << shape.positions
                                 << (channelsLast ? " channels last" : "") << (elu ? " elu" : "")
                                 << " beside " << beside);
                    const Values v = makeValues<T>(c);
                    const Result a = emulated<T>(c, v, element, beside), b = onCpu<T>(c, v);
                    EXPECT_LE(error(a.z, b.z), tolerance);
                    EXPECT_LE(error(a.invstd, b.invstd), 1e-5);
                    EXPECT_LE(error(a.runningMean, b.runningMean), 1e-5);
                    EXPECT_LE(error(a.runningVar, b.runningVar), 1e-5);
                    if (shape.perChannel() <= 4) {
                        continue;  // xhat is +-1: gradients are differences with cancellation
                    }
                    EXPECT_LE(typical(a.dx, b.dx), tolerance);
                    EXPECT_LE(error(a.dbias, b.dbias), tolerance);
                    EXPECT_LE(error(a.dweight, b.dweight), 5 * tolerance);
                }
            }
        }
    }
}

TEST(EmulatedInplaceAbn, FloatIsAsTheCpus) {
    compare<float>(Element::Float, 2e-5);
}
TEST(EmulatedInplaceAbn, HalfIsAsTheCpusButForItsRoundings) {
    compare<__half>(Element::Half, 4e-3);
}
TEST(EmulatedInplaceAbn, Bfloat16IsAsTheCpusButForItsRoundings) {
    compare<__nv_bfloat16>(Element::BFloat16, 3e-2);
}

TEST(EmulatedInplaceAbn, StatisticsKeepTheirDigitsFarFromZero) {
    for (const bool channelsLast : {false, true}) {
        const Case c{{2, 4, 5000, channelsLast}, {false, 0.1}, 1e4};
        const Values v = makeValues<float>(c);
        const Result a = emulated<float>(c, v, Element::Float, 0), b = onCpu<float>(c, v);
        EXPECT_LE(error(a.invstd, b.invstd), 1e-4);
        EXPECT_LE(error(a.runningVar, b.runningVar), 1e-4);
    }
}

}  // namespace
}  // namespace highwater::engine::kernels
