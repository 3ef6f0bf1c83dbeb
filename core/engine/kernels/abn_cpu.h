#pragma once

#include "core/engine/kernels/abn.h"

/// InPlace-ABN on the CPU; abn.h has the formulas. T is float or double. Tensors are contiguous
/// (AbnShape::channelsLast is ignored). A channel's values are divided into pieces, and each call handles one
/// piece, so that the caller may share channels or pieces among threads. If partial results are added in the
/// order of the pieces, the results do not depend on how the work is shared.
namespace highwater::engine::kernels {

/// Number of pieces of a channel: 1 to 256, or 0 if the channel has no values.
std::int64_t abnPieces(const AbnShape& shape);

/// Count, mean and sum of squared deviations. Two of them can be added without loss of precision even if the
/// mean is far from 0 (Chan 1979).
struct AbnMoments {
    double count = 0, mean = 0, squares = 0;
    void add(const AbnMoments& other);
};
template <class T>
AbnMoments abnMoments(const T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece);

/// The values with which a channel is normalized.
template <class T>
struct AbnChannel {
    T mean = 0;  ///< used by forward only
    T invstd = 1;
    T scale = 1;  ///< gamma'
    T bias = 0;
};
/// Overwrites x with z.
template <class T>
void abnApply(T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece,
              const AbnChannel<T>& with, const AbnActivation& activation);

/// The sums of dy and of dy * xhat over a piece or a channel.
struct AbnSums {
    double dy = 0, dyXhat = 0;
    void add(const AbnSums& other) {
        dy += other.dy;
        dyXhat += other.dyXhat;
    }
};
template <class T>
AbnSums abnSums(const T* z, const T* dz, const AbnShape& shape, std::int64_t channel, std::int64_t piece,
                const AbnChannel<T>& with, const AbnActivation& activation);

/// Computes dx from the channel's sums. dx may be the same memory as z or dz.
template <class T>
void abnGradient(const T* z, const T* dz, T* dx, const AbnShape& shape, std::int64_t channel,
                 std::int64_t piece, const AbnChannel<T>& with, const AbnSums& sums,
                 const AbnActivation& activation);

}  // namespace highwater::engine::kernels
