#pragma once

#include "core/engine/kernels/abn.h"

/// InPlace-ABN on the CPU; abn.h has the formulas. T is float or double; tensors are contiguous
/// (AbnShape::channelsLast is not asked). A channel's values are taken in pieces, one call each, so that the
/// caller may share channels or pieces among threads; added up in the order of the pieces, the results do not
/// depend on how it does.
namespace highwater::engine::kernels {

/// Pieces of a channel: 1 to 256; 0 where it is empty.
std::int64_t abnPieces(const AbnShape& shape);

/// Count, mean and sum of squared deviations; two are added without loss where the mean is far from 0 (Chan
/// 1979).
struct AbnMoments {
    double count = 0, mean = 0, squares = 0;
    void add(const AbnMoments& other);
};
template <class T>
AbnMoments abnMoments(const T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece);

/// What a channel is normalised with.
template <class T>
struct AbnChannel {
    T mean = 0;  ///< forward alone
    T invstd = 1;
    T scale = 1;  ///< gamma'
    T bias = 0;
};
/// x becomes z.
template <class T>
void abnApply(T* x, const AbnShape& shape, std::int64_t channel, std::int64_t piece,
              const AbnChannel<T>& with, const AbnActivation& activation);

/// sum dy and sum dy * xhat.
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

/// dx from the channel's sums; it may lie over z or dz.
template <class T>
void abnGradient(const T* z, const T* dz, T* dx, const AbnShape& shape, std::int64_t channel,
                 std::int64_t piece, const AbnChannel<T>& with, const AbnSums& sums,
                 const AbnActivation& activation);

}  // namespace highwater::engine::kernels
