#include "core/engine/kernels/custom_conv_cpu.h"

#include "core/engine/kernels/correlate.h"

namespace highwater::engine::kernels {

namespace {

using Size = std::int64_t;

constexpr Size kPlanesAtOnce = 32;

HIGHWATER_ALWAYS Size least(Size a, Size b) {
    return a < b ? a : b;
}
HIGHWATER_ALWAYS Size most(Size a, Size b) {
    return a > b ? a : b;
}
HIGHWATER_ALWAYS Size pieces(Size length, Size each) {
    return (length + each - 1) / each;
}
/// Splits off the fastest-varying digit of a piece's number; returns the start of the piece along that axis.
HIGHWATER_ALWAYS Size take(Size& number, Size length, Size each) {
    const Size count = pieces(length, each);
    const Size start = number % count * each;
    number /= count;
    return start;
}
template <class T>
HIGHWATER_ALWAYS void clear(T* from, Size count) {
    if (count > 0) {
        __builtin_memset(from, 0, static_cast<std::size_t>(count) * sizeof(T));
    }
}

/// The part of `count` indices from `start` on that lies within 0 to length - 1, relative to `start`.
struct Inside {
    Size first = 0, last = 0;
};
HIGHWATER_ALWAYS Inside insideOf(Size start, Size count, Size length) {
    Inside inside;
    inside.first = least(count, most(0, -start));
    inside.last = most(inside.first, least(count, length - start));
    return inside;
}

/// Sums over the planes under the kernel, kPlanesAtOnce at a time, into `rows` rows.
template <class L, bool kFlip>
HIGHWATER_ALWAYS void correlatePlanes(const FusedConv& conv, const typename L::T* taps, const Inside& inside,
                                      const typename L::T* ring, Size firstSlot, Size planeSize, Size pitch,
                                      Sums<typename L::T> to, Size rows) {
    using T = typename L::T;
    const Size area = conv.kernel[1] * conv.kernel[2];
    const bool adds = to.add;
    for (Size z = inside.first; z < inside.last || (z == inside.first && !adds); z += kPlanesAtOnce) {
        const T* planes[kPlanesAtOnce];
        Planes<T> from;
        from.pitch = pitch;
        from.depth = least(kPlanesAtOnce, inside.last - z);
        from.height = conv.kernel[1];
        from.width = conv.kernel[2];
        from.taps = kFlip ? taps + conv.taps() - 1 - z * area : taps + z * area;
        for (Size i = 0; i < from.depth; ++i) {
            planes[i] = ring + (firstSlot + z + i) % conv.kernel[0] * planeSize;
        }
        to.add = adds || z > inside.first;
        correlate<L, kFlip>(from, to, rows, planes);
    }
}

template <class L>
struct ForwardPiece {
    using T = typename L::T;
    const FusedForward<T>& work;
    const FusedConv& conv;
    Size n, channel, channels, z, planes, y, rows, x, columns;
    T* ring;  ///< [channels][kernel depth][rows + kernel height - 1][pitch]
    Size planeSize, channelSize;

    HIGHWATER_ALWAYS ForwardPiece(const FusedForward<T>& of, Size number, T* scratch)
        : work(of), conv(of.conv), ring(scratch) {
        const FusedForwardTiles& tiles = of.tiles;
        x = take(number, conv.output[2], tiles.columns);
        y = take(number, conv.output[1], tiles.rows);
        z = take(number, conv.output[0], tiles.planes);
        channel = take(number, conv.groups, tiles.channels);
        n = number;
        columns = least(tiles.columns, conv.output[2] - x);
        rows = least(tiles.rows, conv.output[1] - y);
        planes = least(tiles.planes, conv.output[0] - z);
        channels = least(tiles.channels, conv.groups - channel);
        planeSize = (tiles.rows + conv.kernel[1] - 1) * tiles.pitch;
        channelSize = conv.kernel[0] * planeSize;
    }

    /// Writes the transform of plane `depth` of the input, padded with zeros.
    HIGHWATER_ALWAYS void transform(Size depth, T* to) const {
        const Size start = x - conv.padding[2], count = columns + conv.kernel[2] - 1;
        const Inside inside = insideOf(start, count, conv.input[2]);
        for (Size row = 0; row < rows + conv.kernel[1] - 1; ++row, to += work.tiles.pitch) {
            const Size line = y - conv.padding[1] + row;
            if (line < 0 || line >= conv.input[1] || inside.first == inside.last) {
                for (Size c = 0; c < channels; ++c) {
                    clear(to + c * channelSize, count);
                }
                continue;
            }
            for (Size c = 0; c < channels; ++c) {
                clear(to + c * channelSize, inside.first);
                clear(to + c * channelSize + inside.last, count - inside.last);
            }
            Channels<const T> from;
            from.at = work.x + n * conv.in * conv.places() + (depth * conv.input[1] + line) * conv.input[2] +
                      start + inside.first;
            from.stride = conv.places();
            Channels<T> into;
            into.at = to + inside.first;
            into.stride = channelSize;
            mix<L>(work.weight + channel * conv.in, conv.in, 1, from, conv.in, into, channels,
                   inside.last - inside.first);
        }
    }

    /// Writes one plane of the output; the ring's first plane is in `slot`.
    HIGHWATER_ALWAYS void give(Size depth, Size slot) const {
        const Inside inside = insideOf(depth - conv.padding[0], conv.kernel[0], conv.input[0]);
        for (Size c = 0; c < channels; ++c) {
            for (Size i = 0; i < conv.each; ++i) {
                const Size o = (channel + c) * conv.each + i;
                Sums<T> to;
                to.to = work.y + (n * conv.out() + o) * conv.outputPlaces() +
                        (depth * conv.output[1] + y) * conv.output[2] + x;
                to.pitch = conv.output[2];
                to.columns = columns;
                to.start = work.bias != nullptr ? work.bias[o] : T{0};
                correlatePlanes<L, false>(conv, work.fixed + o * conv.taps(), inside, ring + c * channelSize,
                                          slot, planeSize, work.tiles.pitch, to, rows);
            }
        }
    }

    HIGHWATER_ALWAYS void run() const {
        for (Size i = 0; i < planes + conv.kernel[0] - 1; ++i) {
            const Size depth = z - conv.padding[0] + i;
            if (depth >= 0 && depth < conv.input[0]) {
                transform(depth, ring + i % conv.kernel[0] * planeSize);
            }
            if (i + 1 >= conv.kernel[0]) {
                give(z + i + 1 - conv.kernel[0], (i + 1) % conv.kernel[0]);
            }
        }
    }
};

template <class L>
struct BackwardPiece {
    using T = typename L::T;
    const FusedBackward<T>& work;
    const FusedConv& conv;
    Size n, z, y, rows, x, columns;
    T* transformed;  ///< the transform's gradient: [groups][rows][pitch]
    T* copied;       ///< one output's gradient: [kernel depth][rows + kernel height - 1][gradientPitch]
    Size channelSize;

    HIGHWATER_ALWAYS BackwardPiece(const FusedBackward<T>& of, Size number, T* scratch)
        : work(of), conv(of.conv), transformed(scratch) {
        x = take(number, conv.input[2], of.tiles.columns);
        y = take(number, conv.input[1], of.tiles.rows);
        z = take(number, conv.input[0], 1);
        n = number;
        columns = least(of.tiles.columns, conv.input[2] - x);
        rows = least(of.tiles.rows, conv.input[1] - y);
        channelSize = of.tiles.rows * of.tiles.pitch;
        copied = scratch + conv.groups * channelSize;
    }

    /// Copies the part of plane `depth` of an output's gradient that the flipped kernel reads, padded with
    /// zeros.
    HIGHWATER_ALWAYS void copy(const T* gradient, Size depth, T* to) const {
        const Size start = x - (conv.kernel[2] - 1 - conv.padding[2]), count = columns + conv.kernel[2] - 1;
        const Inside inside = insideOf(start, count, conv.output[2]);
        for (Size row = 0; row < rows + conv.kernel[1] - 1; ++row, to += work.tiles.gradientPitch) {
            const Size line = y - (conv.kernel[1] - 1 - conv.padding[1]) + row;
            if (line < 0 || line >= conv.output[1]) {
                clear(to, count);
                continue;
            }
            const T* const from = gradient + (depth * conv.output[1] + line) * conv.output[2] + start;
            clear(to, inside.first);
            for (Size i = inside.first; i < inside.last; ++i) {
                to[i] = from[i];
            }
            clear(to + inside.last, count - inside.last);
        }
    }

    HIGHWATER_ALWAYS void untransform() const {
        const Size start = z - (conv.kernel[0] - 1 - conv.padding[0]);
        const Size planeSize = (work.tiles.rows + conv.kernel[1] - 1) * work.tiles.gradientPitch;
        const Inside inside = insideOf(start, conv.kernel[0], conv.output[0]);
        for (Size o = 0; o < conv.out(); ++o) {
            const T* const gradient = work.gradient + (n * conv.out() + o) * conv.outputPlaces();
            for (Size u = inside.first; u < inside.last; ++u) {
                copy(gradient, start + u, copied + u * planeSize);
            }
            Sums<T> to;
            to.to = transformed + o / conv.each * channelSize;
            to.pitch = work.tiles.pitch;
            to.columns = columns;
            to.add = o % conv.each > 0;
            to.whole = true;
            correlatePlanes<L, true>(conv, work.fixed + o * conv.taps(), inside, copied, 0, planeSize,
                                     work.tiles.gradientPitch, to, rows);
        }
    }

    HIGHWATER_ALWAYS Size place() const {
        return n * conv.in * conv.places() + (z * conv.input[1] + y) * conv.input[2] + x;
    }

    HIGHWATER_ALWAYS void giveInput() const {
        for (Size row = 0; row < rows; ++row) {
            Channels<const T> from;
            from.at = transformed + row * work.tiles.pitch;
            from.stride = channelSize;
            Channels<T> to;
            to.at = work.inputGradient + place() + row * conv.input[2];
            to.stride = conv.places();
            mix<L>(work.weight, 1, conv.in, from, conv.groups, to, conv.in, columns);
        }
    }

    template <int M, int N>
    HIGHWATER_ALWAYS void addBlock(Size c, Size j, T* sums) const {
        Channels<const T> a, b;
        a.at = transformed + c * channelSize;
        a.stride = channelSize;
        b.at = work.x + place() + j * conv.places();
        b.stride = conv.places();
        multiplyRows<L, M, N>(a, work.tiles.pitch, b, conv.input[2], rows, columns, sums + c * conv.in + j,
                              conv.in);
    }

    template <int M>
    HIGHWATER_ALWAYS void addRow(Size c, T* sums) const {
        constexpr int kInputs = L::kRows;
        Size j = 0;
        for (; j + kInputs <= conv.in; j += kInputs) {
            addBlock<M, kInputs>(c, j, sums);
        }
        for (; j < conv.in; ++j) {
            addBlock<M, 1>(c, j, sums);
        }
    }

    HIGHWATER_ALWAYS void addWeight(T* sums) const {
        Size c = 0;
        for (; c + 4 <= conv.groups; c += 4) {
            addRow<4>(c, sums);
        }
        for (; c < conv.groups; ++c) {
            addRow<1>(c, sums);
        }
    }
};

template <class L>
HIGHWATER_ALWAYS void forwardPieces(const FusedForward<typename L::T>& work, Size first, Size last,
                                    typename L::T* scratch) {
    for (Size piece = first; piece < last; ++piece) {
        ForwardPiece<L>(work, piece, scratch).run();
    }
}

template <class L>
HIGHWATER_ALWAYS void backwardParts(const FusedBackward<typename L::T>& work, Size first, Size last,
                                    typename L::T* scratch) {
    const Size elements = work.conv.groups * work.conv.in, all = work.tiles.pieces, parts = work.tiles.parts;
    for (Size part = first; part < last; ++part) {
        typename L::T* const sums =
            work.weightPartials != nullptr ? work.weightPartials + part * elements : nullptr;
        if (sums != nullptr) {
            clear(sums, elements);
        }
        for (Size number = part * all / parts; number < (part + 1) * all / parts; ++number) {
            const BackwardPiece<L> piece(work, number, scratch);
            piece.untransform();
            if (work.inputGradient != nullptr) {
                piece.giveInput();
            }
            if (sums != nullptr) {
                piece.addWeight(sums);
            }
        }
    }
}

#if defined(__x86_64__)
#define HIGHWATER_TARGET_512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define HIGHWATER_TARGET_256 __attribute__((target("avx2,fma")))

template <class T>
HIGHWATER_TARGET_512 void forward512(const FusedForward<T>& work, Size first, Size last, T* scratch) {
    forwardPieces<Lanes<T, 64>>(work, first, last, scratch);
}
template <class T>
HIGHWATER_TARGET_256 void forward256(const FusedForward<T>& work, Size first, Size last, T* scratch) {
    forwardPieces<Lanes<T, 32>>(work, first, last, scratch);
}
template <class T>
HIGHWATER_TARGET_512 void backward512(const FusedBackward<T>& work, Size first, Size last, T* scratch) {
    backwardParts<Lanes<T, 64>>(work, first, last, scratch);
}
template <class T>
HIGHWATER_TARGET_256 void backward256(const FusedBackward<T>& work, Size first, Size last, T* scratch) {
    backwardParts<Lanes<T, 32>>(work, first, last, scratch);
}

/// The bytes of this processor's widest vectors: 64, 32 or 16.
int widest() {
    static const int bytes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
                                 ? 64
                             : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 32
                                                                                               : 16;
    return bytes;
}
#endif

}  // namespace

template <class T>
void fusedForward(const FusedForward<T>& work, Size first, Size last, T* scratch) {
#if defined(__x86_64__)
    if (widest() == 64) {
        return forward512(work, first, last, scratch);
    }
    if (widest() == 32) {
        return forward256(work, first, last, scratch);
    }
#endif
    forwardPieces<Lanes<T, 16>>(work, first, last, scratch);
}

template <class T>
void fusedBackward(const FusedBackward<T>& work, Size first, Size last, T* scratch) {
#if defined(__x86_64__)
    if (widest() == 64) {
        return backward512(work, first, last, scratch);
    }
    if (widest() == 32) {
        return backward256(work, first, last, scratch);
    }
#endif
    backwardParts<Lanes<T, 16>>(work, first, last, scratch);
}

template <class T>
void sumParts(const FusedBackward<T>& work, T* weightGradient) {
    const Size elements = work.conv.groups * work.conv.in;
    for (Size i = 0; i < elements; ++i) {
        weightGradient[i] = work.weightPartials[i];
    }
    for (Size part = 1; part < work.tiles.parts; ++part) {
        for (Size i = 0; i < elements; ++i) {
            weightGradient[i] += work.weightPartials[part * elements + i];
        }
    }
}

/// Sums in doubles, several at a time.
template <class T>
void sumOutputs(const FusedConv& conv, const T* gradient, Size first, Size last, T* biasGradient) {
    constexpr Size kAtOnce = 16;
    const Size places = conv.outputPlaces();
    for (Size o = first; o < last; ++o) {
        double sums[kAtOnce] = {};
        for (Size n = 0; n < conv.batch; ++n) {
            const T* const from = gradient + (n * conv.out() + o) * places;
            Size i = 0;
            for (; i + kAtOnce <= places; i += kAtOnce) {
                for (Size k = 0; k < kAtOnce; ++k) {
                    sums[k] += static_cast<double>(from[i + k]);
                }
            }
            for (; i < places; ++i) {
                sums[0] += static_cast<double>(from[i]);
            }
        }
        double total = 0;
        for (const double sum : sums) {
            total += sum;
        }
        biasGradient[o] = static_cast<T>(total);
    }
}

template void fusedForward(const FusedForward<float>&, Size, Size, float*);
template void fusedForward(const FusedForward<double>&, Size, Size, double*);
template void fusedBackward(const FusedBackward<float>&, Size, Size, float*);
template void fusedBackward(const FusedBackward<double>&, Size, Size, double*);
template void sumParts(const FusedBackward<float>&, float*);
template void sumParts(const FusedBackward<double>&, double*);
template void sumOutputs(const FusedConv&, const float*, Size, Size, float*);
template void sumOutputs(const FusedConv&, const double*, Size, Size, double*);

}  // namespace highwater::engine::kernels
