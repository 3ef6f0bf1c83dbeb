#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/engine/kernels/abn_cpu.h"
#include "core/engine/layers/abn_compute.h"

namespace highwater::engine {

namespace {

using kernels::AbnChannel;
using kernels::AbnMoments;
using kernels::AbnShape;
using kernels::AbnSums;

/// Makes two passes over each channel. First the results of part(c, piece) are added in order of the pieces;
/// finish(c, sum) turns the sum into the argument of apply(c, piece, ...) in the second pass. Threads share
/// the channels, so that a channel is still in the cache at its second pass. If there are few channels, they
/// are processed one by one and threads share the pieces.
template <class Part, class Finish, class Apply>
void twoPasses(const AbnShape& shape, const Part& part, const Finish& finish, const Apply& apply) {
    const std::int64_t pieces = kernels::abnPieces(shape), threads = at::get_num_threads();
    using Sum = decltype(part(0, 0));
    if (pieces <= 1 || shape.channels % threads == 0 || shape.channels >= 4 * threads) {
        const std::int64_t grain =
            std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, shape.perChannel()));
        at::parallel_for(0, shape.channels, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t c = from; c < to; ++c) {
                Sum sum;
                for (std::int64_t p = 0; p < pieces; ++p) {
                    sum.add(part(c, p));
                }
                const auto with = finish(c, sum);
                for (std::int64_t p = 0; p < pieces; ++p) {
                    apply(c, p, with);
                }
            }
        });
        return;
    }
    std::vector<Sum> parts(static_cast<std::size_t>(pieces));
    for (std::int64_t c = 0; c < shape.channels; ++c) {
        at::parallel_for(0, pieces, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t p = from; p < to; ++p) {
                parts[static_cast<std::size_t>(p)] = part(c, p);
            }
        });
        Sum sum;
        for (const Sum& each : parts) {
            sum.add(each);
        }
        const auto with = finish(c, sum);
        at::parallel_for(0, pieces, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t p = from; p < to; ++p) {
                apply(c, p, with);
            }
        });
    }
}

template <class T>
T scaleOf(T weight, double eps) {
    return std::abs(weight) + static_cast<T>(eps);
}

template <class T>
void updateRunning(const AbnParameters& parameters, std::int64_t channel, const AbnMoments& moments) {
    constexpr double kMomentum = 0.1;
    const auto move = [&](const at::Tensor& running, double value) {
        T& held = running.data_ptr<T>()[channel];
        held = static_cast<T>((1 - kMomentum) * static_cast<double>(held) + kMomentum * value);
    };
    move(parameters.runningMean, moments.mean);
    move(parameters.runningVar, moments.squares / (moments.count - 1));
}

template <class T>
void forward(const AbnTensor& x, const AbnParameters& parameters, const AbnOptions& options, T* invstd) {
    const AbnShape& shape = x.shape;
    T* const values = x.values.data_ptr<T>();
    const T *const weight = parameters.weight.data_ptr<T>(), *const bias = parameters.bias.data_ptr<T>();
    const auto apply = [&](std::int64_t c, std::int64_t p, const AbnChannel<T>& with) {
        kernels::abnApply(values, shape, c, p, with, options.activation);
    };
    if (!options.batchStatistics) {
        const T *const mean = parameters.runningMean.data_ptr<T>(), *const var =
                                                                        parameters.runningVar.data_ptr<T>();
        const auto given = [&](std::int64_t c, const AbnSums&) {
            const auto deviation = std::sqrt(static_cast<double>(var[c]) + options.eps);
            return AbnChannel<T>{mean[c], static_cast<T>(1 / deviation), scaleOf(weight[c], options.eps),
                                 bias[c]};
        };
        twoPasses(shape, [](std::int64_t, std::int64_t) { return AbnSums{}; }, given, apply);
        return;
    }
    const auto normalize = [&](std::int64_t c, const AbnMoments& moments) {
        if (options.updateRunning) {
            updateRunning<T>(parameters, c, moments);
        }
        const double deviation = std::sqrt(moments.squares / moments.count + options.eps);
        invstd[c] = static_cast<T>(1 / deviation);
        // The rounding error of the mean as a T, which matters far from 0, is added to the bias.
        const T mean = static_cast<T>(moments.mean), scale = scaleOf(weight[c], options.eps);
        const double lost =
            (static_cast<double>(mean) - moments.mean) * static_cast<double>(scale) / deviation;
        return AbnChannel<T>{mean, invstd[c], scale, static_cast<T>(static_cast<double>(bias[c]) + lost)};
    };
    twoPasses(
        shape, [&](std::int64_t c, std::int64_t p) { return kernels::abnMoments<T>(values, shape, c, p); },
        normalize, apply);
}

template <class T>
void backward(const AbnBackward& b, const AbnParameters& parameters, const AbnOptions& options) {
    const AbnShape& shape = b.z.shape;
    const T *const z = b.z.values.data_ptr<T>(), *const dz = b.dz.data_ptr<T>();
    const T *const weight = parameters.weight.data_ptr<T>(), *const bias = parameters.bias.data_ptr<T>(),
                   *const invstd = b.invstd.data_ptr<T>();
    T *const dx = b.dx.defined() ? b.dx.data_ptr<T>() : nullptr, *const dweight = b.dweight.data_ptr<T>(),
             *const dbias = b.dbias.data_ptr<T>();
    const auto channel = [&](std::int64_t c) {
        return AbnChannel<T>{0, invstd[c], scaleOf(weight[c], options.eps), bias[c]};
    };
    const auto finish = [&](std::int64_t c, const AbnSums& sums) {
        dbias[c] = static_cast<T>(sums.dy);
        dweight[c] = static_cast<T>(weight[c] < 0 ? -sums.dyXhat : sums.dyXhat);
        return sums;
    };
    twoPasses(
        shape,
        [&](std::int64_t c, std::int64_t p) {
            return kernels::abnSums<T>(z, dz, shape, c, p, channel(c), options.activation);
        },
        finish,
        [&](std::int64_t c, std::int64_t p, const AbnSums& sums) {
            if (dx != nullptr) {
                kernels::abnGradient<T>(z, dz, dx, shape, c, p, channel(c), sums, options.activation);
            }
        });
}

}  // namespace

at::Tensor abnForwardCpu(const AbnTensor& x, const AbnParameters& parameters, const AbnOptions& options) {
    at::Tensor invstd;
    if (options.batchStatistics) {
        invstd = at::empty({x.shape.channels}, x.values.options());
    }
    AT_DISPATCH_FLOATING_TYPES(x.values.scalar_type(), "inplace_abn", [&] {
        forward<scalar_t>(x, parameters, options, invstd.defined() ? invstd.data_ptr<scalar_t>() : nullptr);
    });
    return invstd;
}

void abnBackwardCpu(const AbnBackward& work, const AbnParameters& parameters, const AbnOptions& options) {
    AT_DISPATCH_FLOATING_TYPES(work.dz.scalar_type(), "inplace_abn_backward",
                               [&] { backward<scalar_t>(work, parameters, options); });
}

}  // namespace highwater::engine
