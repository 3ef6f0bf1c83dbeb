#include "core/engine/kernels/abn_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/kernels/simd.h"

namespace highwater::engine::kernels {

namespace {

constexpr std::int64_t kPiece = 16384, kMostPieces = 256;
constexpr std::int64_t kBlock = 1024;  ///< small enough to stay in the L1 cache for a second read

std::int64_t pieceSize(const AbnShape& shape) {
    return std::max(kPiece, (shape.perChannel() + kMostPieces - 1) / kMostPieces);
}

/// Calls f(offset, length) for each contiguous row of values of the piece.
template <class F>
HIGHWATER_INLINE void eachRow(const AbnShape& shape, std::int64_t channel, std::int64_t piece, const F& f) {
    const std::int64_t size = pieceSize(shape), end = std::min(shape.perChannel(), (piece + 1) * size);
    for (std::int64_t i = piece * size; i < end;) {
        const std::int64_t sample = i / shape.positions, position = i % shape.positions;
        const std::int64_t length = std::min(shape.positions - position, end - i);
        f((sample * shape.channels + channel) * shape.positions + position, length);
        i += length;
    }
}

template <class T>
HIGHWATER_INLINE AbnMoments momentsOf(const T* x, std::int64_t length) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < length; ++i) {
        sum += x[i];
    }
    const T near = sum / static_cast<T>(length);
    T rest = 0, squares = 0;
#pragma omp simd reduction(+ : rest, squares)
    for (std::int64_t i = 0; i < length; ++i) {
        const T d = x[i] - near;
        rest += d;
        squares += d * d;
    }
    const auto n = static_cast<double>(length), off = static_cast<double>(rest);
    return {n, static_cast<double>(near) + off / n,
            std::max(0.0, static_cast<double>(squares) - off * off / n)};
}

struct Leaky {
    template <class T>
    struct For {
        T slope, inverse;
        explicit For(const AbnActivation& a) : slope(static_cast<T>(a.slope)), inverse(1 / slope) {}
        HIGHWATER_INLINE T forward(T y) const { return y * (y > 0 ? 1 : slope); }
        HIGHWATER_INLINE T invert(T z) const { return z * (z > 0 ? 1 : inverse); }
        HIGHWATER_INLINE T gradient(T z, T dz) const { return dz * (z > 0 ? 1 : slope); }
    };
};

struct Elu {
    template <class T>
    struct For {
        explicit For(const AbnActivation&) {}
        HIGHWATER_INLINE T forward(T y) const { return y > 0 ? y : std::expm1(y); }
        /// y from z; if z was rounded to -1, the largest y that is rounded to -1.
        HIGHWATER_INLINE T invert(T z) const {
            constexpr T kLeast = -1 + std::numeric_limits<T>::epsilon() / 2;
            return z > 0 ? z : std::log1p(std::max(z, kLeast));
        }
        HIGHWATER_INLINE T gradient(T z, T dz) const { return z > 0 ? dz : dz * (z + 1); }
    };
};

template <class F>
auto withActivation(const AbnActivation& activation, const F& f) {
    return activation.elu ? f(Elu{}) : f(Leaky{});
}

}  // namespace

std::int64_t abnPieces(const AbnShape& shape) {
    return (shape.perChannel() + pieceSize(shape) - 1) / pieceSize(shape);
}

void AbnMoments::add(const AbnMoments& other) {
    const double both = count + other.count;
    if (both == 0) {
        return;
    }
    const double apart = other.mean - mean;
    mean += apart * other.count / both;
    squares += other.squares + apart * apart * count * other.count / both;
    count = both;
}

template <class T>
AbnMoments abnMoments(const T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece) {
    return run([&]() __attribute__((always_inline)) {
        AbnMoments all;
        eachRow(shape, channel, piece,
                [&](std::int64_t at, std::int64_t length) __attribute__((always_inline)) {
                    for (std::int64_t from = 0; from < length; from += kBlock) {
                        all.add(momentsOf(x + at + from, std::min(kBlock, length - from)));
                    }
                });
        return all;
    });
}

template <class T>
void abnApply(T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece,
              const AbnChannel<T>& with, const AbnActivation& activation) {
    withActivation(activation, [&](auto kind) {
        const typename decltype(kind)::template For<T> phi(activation);
        const T scale = with.scale * with.invstd, mean = with.mean, bias = with.bias;
        run([&]() __attribute__((always_inline)) {
            eachRow(
                shape, channel, piece,
                [&](std::int64_t at, std::int64_t length) __attribute__((always_inline)) {
                    T* const p = x + at;
                    const auto act =
                        phi;  // copies, so that the compiler knows that the loop's stores do not change them
                    const T s = scale, m = mean, b = bias;
#pragma omp simd
                    for (std::int64_t i = 0; i < length; ++i)
                        p[i] = act.forward((p[i] - m) * s + b);
                });
        });
    });
}

template <class T>
AbnSums abnSums(const T* z, const T* dz, const AbnShape& shape, std::int64_t channel, std::int64_t piece,
                const AbnChannel<T>& with, const AbnActivation& activation) {
    return withActivation(activation, [&](auto kind) {
        const typename decltype(kind)::template For<T> phi(activation);
        const T bias = with.bias;
        return run([&]() __attribute__((always_inline)) {
            double sum = 0, products = 0;
            eachRow(shape, channel, piece,
                    [&](std::int64_t at, std::int64_t length) __attribute__((always_inline)) {
                        for (std::int64_t from = 0; from < length; from += kBlock) {
                            const T *const p = z + at + from, *const q = dz + at + from;
                            const std::int64_t end = std::min(kBlock, length - from);
                            const auto act = phi;
                            const T b = bias;
                            T s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
                            for (std::int64_t i = 0; i < end; ++i) {
                                const T dy = act.gradient(p[i], q[i]);
                                s += dy;
                                t += dy * (act.invert(p[i]) - b);
                            }
                            sum += static_cast<double>(s);
                            products += static_cast<double>(t);
                        }
                    });
            return AbnSums{sum, products / static_cast<double>(with.scale)};
        });
    });
}

template <class T>
void abnGradient(const T* z, const T* dz, T* dx, const AbnShape& shape, std::int64_t channel,
                 std::int64_t piece, const AbnChannel<T>& with, const AbnSums& sums,
                 const AbnActivation& activation) {
    withActivation(activation, [&](auto kind) {
        const typename decltype(kind)::template For<T> phi(activation);
        const auto count = static_cast<double>(shape.perChannel());
        const T factor = with.scale * with.invstd, bias = with.bias;
        const T sum = static_cast<T>(sums.dy / count);
        const T product = static_cast<T>(sums.dyXhat / count / static_cast<double>(with.scale));
        run([&]() __attribute__((always_inline)) {
            eachRow(shape, channel, piece,
                    [&](std::int64_t at, std::int64_t length) __attribute__((always_inline)) {
                        const T *const p = z + at, *const q = dz + at;
                        T* const to = dx + at;
                        const auto act = phi;
                        const T f = factor, b = bias, a = sum, c = product;
#pragma omp simd
                        for (std::int64_t i = 0; i < length; ++i) {
                            const T dy = act.gradient(p[i], q[i]);
                            to[i] = f * (dy - a - (act.invert(p[i]) - b) * c);
                        }
                    });
        });
    });
}

template AbnMoments abnMoments(const float*, const AbnShape&, std::int64_t, std::int64_t);
template AbnMoments abnMoments(const double*, const AbnShape&, std::int64_t, std::int64_t);
template void abnApply(float*, const AbnShape&, std::int64_t, std::int64_t, const AbnChannel<float>&,
                       const AbnActivation&);
template void abnApply(double*, const AbnShape&, std::int64_t, std::int64_t, const AbnChannel<double>&,
                       const AbnActivation&);
template AbnSums abnSums(const float*, const float*, const AbnShape&, std::int64_t, std::int64_t,
                         const AbnChannel<float>&, const AbnActivation&);
template AbnSums abnSums(const double*, const double*, const AbnShape&, std::int64_t, std::int64_t,
                         const AbnChannel<double>&, const AbnActivation&);
template void abnGradient(const float*, const float*, float*, const AbnShape&, std::int64_t, std::int64_t,
                          const AbnChannel<float>&, const AbnSums&, const AbnActivation&);
template void abnGradient(const double*, const double*, double*, const AbnShape&, std::int64_t, std::int64_t,
                          const AbnChannel<double>&, const AbnSums&, const AbnActivation&);

}  // namespace highwater::engine::kernels
