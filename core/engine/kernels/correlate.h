#pragma once

#include <cstdint>

/// The inner loops of the fused custom_conv on SIMD vectors of a given number of bytes. They are inlined into
/// functions that are compiled for processors with such vectors.
namespace highwater::engine::kernels {

#define HIGHWATER_ALWAYS inline __attribute__((always_inline))

/// Vector type and loop sizes. Registers hold kRows x kVectors sums in correlate, kChannels x kVectors in
/// mix.
template <class Element, int kBytes>
struct Lanes {
    using T = Element;
    typedef T Vector __attribute__((vector_size(kBytes)));
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
    static constexpr int kVectors = 2;
    static constexpr int kWide = kVectors * kCount;  ///< columns of a chunk; at most 32
    static constexpr int kRows = kBytes == 64 ? 4 : 2;
    static constexpr int kChannels = kBytes == 64 ? 8 : 4;

    static HIGHWATER_ALWAYS void load(const T* from, Vector& to) { __builtin_memcpy(&to, from, kBytes); }
    static HIGHWATER_ALWAYS void store(const Vector& from, T* to) { __builtin_memcpy(to, &from, kBytes); }
    static HIGHWATER_ALWAYS T sum(const Vector& v) {
        T total = 0;
        for (int i = 0; i < kCount; ++i) {
            total += v[i];
        }
        return total;
    }
};

/// The input and kernel of a correlation. Row r of plane p is at planes[p] + r * pitch.
template <class T>
struct Planes {
    const T* const* planes = nullptr;
    std::int64_t pitch = 0;
    std::int64_t depth = 1, height = 1, width = 1;  ///< sizes of the kernel
    const T* taps = nullptr;  ///< depth x height x width; for a flipped kernel a pointer to the last tap
};

/// The output of a correlation: row r is at to + r * pitch. Sums start at `start`, with `add` at the value
/// there.
template <class T>
struct Sums {
    T* to = nullptr;
    std::int64_t pitch = 0, columns = 0;
    T start = 0;
    bool add = false;
    bool whole = false;  ///< rows have room for whole chunks: columns beyond `columns` may be written
};

/// Computes R rows of sums for columns x to x + kWide - 1. K: the kernel's height and width as a constant; 0:
/// they are taken from `from`, and R is 1.
template <class L, int R, int K, bool kFlip>
HIGHWATER_ALWAYS void correlateChunk(const Planes<typename L::T>& from, const Sums<typename L::T>& to,
                                     std::int64_t x) {
    using T = typename L::T;
    using Vector = typename L::Vector;
    constexpr int kVectors = L::kVectors;
    const std::int64_t height = K > 0 ? K : from.height, width = K > 0 ? K : from.width;
    const bool whole = to.whole || x + L::kWide <= to.columns;
    Vector sums[R][kVectors];
    for (int r = 0; r < R; ++r) {
        for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = Vector{} + to.start;
            if (to.add) {
                L::load(to.to + r * to.pitch + x + v * L::kCount, sums[r][v]);
            }
        }
    }
    const T* taps = from.taps;
    for (std::int64_t z = 0; z < from.depth; ++z) {
        const T* const plane = from.planes[z] + x;
        if constexpr (K > 0) {
#pragma GCC unroll 8
            for (int r = 0; r < R + K - 1; ++r)
#pragma GCC unroll 8
                for (int u = 0; u < K; ++u) {
                    Vector values[kVectors];
                    for (int v = 0; v < kVectors; ++v) {
                        L::load(plane + r * from.pitch + u + v * L::kCount, values[v]);
                    }
#pragma GCC unroll 8
                    for (int i = 0; i < R; ++i) {
                        if (r - i >= 0 && r - i < K) {
                            const int tap = (r - i) * K + u;
                            const T by = kFlip ? taps[-tap] : taps[tap];
                            for (int v = 0; v < kVectors; ++v) {
                                sums[i][v] += by * values[v];
                            }
                        }
                    }
                }
        } else {
            for (std::int64_t r = 0; r < height; ++r) {
                for (std::int64_t u = 0; u < width; ++u) {
                    const std::int64_t tap = r * width + u;
                    const T by = kFlip ? taps[-tap] : taps[tap];
                    for (int v = 0; v < kVectors; ++v) {
                        Vector value;
                        L::load(plane + r * from.pitch + u + v * L::kCount, value);
                        sums[0][v] += by * value;
                    }
                }
            }
        }
        taps += kFlip ? -height * width : height * width;
    }
    for (int r = 0; r < R; ++r) {
        T* const row = to.to + r * to.pitch + x;
        for (int v = 0; v < kVectors; ++v) {
            if (whole) {
                L::store(sums[r][v], row + v * L::kCount);
                continue;
            }
            for (int i = 0; i < L::kCount && x + v * L::kCount + i < to.columns; ++i) {
                row[v * L::kCount + i] = sums[r][v][i];
            }
        }
    }
}

template <class L, int R, int K, bool kFlip>
HIGHWATER_ALWAYS void correlateRows(const Planes<typename L::T>& from, const Sums<typename L::T>& to) {
    for (std::int64_t x = 0; x < to.columns; x += L::kWide) {
        correlateChunk<L, R, K, kFlip>(from, to, x);
    }
}

/// Computes `rows` rows of sums. `planes` are from.depth pointers to the planes' first rows; they are
/// advanced during the call and restored at its end.
template <class L, int K, bool kFlip>
HIGHWATER_ALWAYS void correlateAll(Planes<typename L::T> from, Sums<typename L::T> to, std::int64_t rows,
                                   const typename L::T** planes) {
    from.planes = planes;
    const auto advance = [&](std::int64_t by) __attribute__((always_inline)) {
        for (std::int64_t z = 0; z < from.depth; ++z) {
            planes[z] += by * from.pitch;
        }
        to.to += by * to.pitch;
    };
    std::int64_t row = 0;
    if constexpr (K > 0) {
        for (; row + L::kRows <= rows; row += L::kRows) {
            correlateRows<L, L::kRows, K, kFlip>(from, to);
            advance(L::kRows);
        }
    }
    for (; row < rows; ++row) {
        correlateRows<L, 1, K, kFlip>(from, to);
        advance(1);
    }
    for (std::int64_t z = 0; z < from.depth; ++z) {
        planes[z] -= rows * from.pitch;
    }
}

/// The same for a kernel of any size; the loops for 3 x 3 are unrolled.
template <class L, bool kFlip>
HIGHWATER_ALWAYS void correlate(const Planes<typename L::T>& from, const Sums<typename L::T>& to,
                                std::int64_t rows, const typename L::T** planes) {
    if (from.height == 3 && from.width == 3) {
        correlateAll<L, 3, kFlip>(from, to, rows, planes);
    } else {
        correlateAll<L, 0, kFlip>(from, to, rows, planes);
    }
}

/// A row of several channels: that of channel c is at at + c * stride.
template <class T>
struct Channels {
    T* at = nullptr;
    std::int64_t stride = 0;
};

/// Mixes channels for columns x to x + kWide - 1: row m of `to`, m < M, is the sum over k < count of weight[m
/// * weightRow + k * weightColumn] times row k of `from`.
template <class L, int M>
HIGHWATER_ALWAYS void mixChunk(const typename L::T* weight, std::int64_t weightRow, std::int64_t weightColumn,
                               const Channels<const typename L::T>& from, std::int64_t count,
                               const Channels<typename L::T>& to, std::int64_t x) {
    using Vector = typename L::Vector;
    Vector sums[M][L::kVectors];
    for (int m = 0; m < M; ++m) {
        for (int v = 0; v < L::kVectors; ++v) {
            sums[m][v] = Vector{};
        }
    }
    for (std::int64_t k = 0; k < count; ++k) {
        Vector values[L::kVectors];
        for (int v = 0; v < L::kVectors; ++v) {
            L::load(from.at + k * from.stride + x + v * L::kCount, values[v]);
        }
        for (int m = 0; m < M; ++m) {
            const typename L::T by = weight[m * weightRow + k * weightColumn];
            for (int v = 0; v < L::kVectors; ++v) {
                sums[m][v] += by * values[v];
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int v = 0; v < L::kVectors; ++v) {
            L::store(sums[m][v], to.at + m * to.stride + x + v * L::kCount);
        }
    }
}

/// The same for rows of `length` columns. The last chunk overlaps the one before, with the same results. A
/// row shorter than a chunk is computed column by column.
template <class L, int M>
HIGHWATER_ALWAYS void mixRows(const typename L::T* weight, std::int64_t weightRow, std::int64_t weightColumn,
                              const Channels<const typename L::T>& from, std::int64_t count,
                              const Channels<typename L::T>& to, std::int64_t length) {
    std::int64_t x = 0;
    for (; x + L::kWide <= length; x += L::kWide) {
        mixChunk<L, M>(weight, weightRow, weightColumn, from, count, to, x);
    }
    if (x < length && length >= L::kWide) {
        mixChunk<L, M>(weight, weightRow, weightColumn, from, count, to, length - L::kWide);
        return;
    }
    for (; x < length; ++x) {
        for (int m = 0; m < M; ++m) {
            typename L::T sum = 0;
            for (std::int64_t k = 0; k < count; ++k) {
                sum += weight[m * weightRow + k * weightColumn] * from.at[k * from.stride + x];
            }
            to.at[m * to.stride + x] = sum;
        }
    }
}

template <class L>
HIGHWATER_ALWAYS void mix(const typename L::T* weight, std::int64_t weightRow, std::int64_t weightColumn,
                          const Channels<const typename L::T>& from, std::int64_t count,
                          Channels<typename L::T> to, std::int64_t rows, std::int64_t length) {
    std::int64_t m = 0;
    for (; m + L::kChannels <= rows; m += L::kChannels) {
        mixRows<L, L::kChannels>(weight + m * weightRow, weightRow, weightColumn, from, count, to, length);
        to.at += L::kChannels * to.stride;
    }
    for (; m < rows; ++m) {
        mixRows<L, 1>(weight + m * weightRow, weightRow, weightColumn, from, count, to, length);
        to.at += to.stride;
    }
}

/// Adds to to[m * toRow + n] the dot product of row m of `a` and row n of `b`, summed over `lines` lines of
/// `length` values.
template <class L, int M, int N>
HIGHWATER_ALWAYS void multiplyRows(const Channels<const typename L::T>& a, std::int64_t aLine,
                                   const Channels<const typename L::T>& b, std::int64_t bLine,
                                   std::int64_t lines, std::int64_t length, typename L::T* to,
                                   std::int64_t toRow) {
    using T = typename L::T;
    using Vector = typename L::Vector;
    Vector sums[M][N];
    T rest[M][N];
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            sums[m][n] = Vector{};
            rest[m][n] = 0;
        }
    }
    for (std::int64_t line = 0; line < lines; ++line) {
        const T* const from = a.at + line * aLine;
        const T* const with = b.at + line * bLine;
        std::int64_t x = 0;
        for (; x + L::kCount <= length; x += L::kCount) {
            Vector left[M], right[N];
            for (int m = 0; m < M; ++m) {
                L::load(from + m * a.stride + x, left[m]);
            }
            for (int n = 0; n < N; ++n) {
                L::load(with + n * b.stride + x, right[n]);
            }
            for (int m = 0; m < M; ++m) {
                for (int n = 0; n < N; ++n) {
                    sums[m][n] += left[m] * right[n];
                }
            }
        }
        for (; x < length; ++x) {
            for (int m = 0; m < M; ++m) {
                for (int n = 0; n < N; ++n) {
                    rest[m][n] += from[m * a.stride + x] * with[n * b.stride + x];
                }
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            to[m * toRow + n] += L::sum(sums[m][n]) + rest[m][n];
        }
    }
}

}  // namespace highwater::engine::kernels
