#include "core/scan/reader/dicom/slices.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/volume/visit.h"

namespace highwater::scan::reader::dicom {
namespace {

using volume::loadVoxel;
using volume::visitType;

template <class T>
T fromDouble(double value) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
    } else {
        return static_cast<T>(std::clamp(std::round(value),
                                         static_cast<double>(std::numeric_limits<T>::lowest()),
                                         static_cast<double>(std::numeric_limits<T>::max())));
    }
}

template <class T>
void store(std::span<std::byte> out, std::int64_t index, T value) {
    std::memcpy(out.data() + static_cast<std::size_t>(index) * sizeof(T), &value, sizeof(T));
}

/// Interpolates linearly between the pixels around (x, y), which must be inside.
template <class T>
double sampled(const std::byte* picture, std::array<std::int64_t, 2> size, double x, double y) {
    const auto i = std::min(static_cast<std::int64_t>(x), size[0] - 1);
    const auto j = std::min(static_cast<std::int64_t>(y), size[1] - 1);
    const std::int64_t right = std::min(i + 1, size[0] - 1), below = std::min(j + 1, size[1] - 1);
    const double fx = x - static_cast<double>(i), fy = y - static_cast<double>(j);
    const auto at = [&](std::int64_t column, std::int64_t row) {
        return static_cast<double>(loadVoxel<T>(picture, row * size[0] + column));
    };
    const double upper = at(i, j) + (at(right, j) - at(i, j)) * fx;
    const double lower = at(i, below) + (at(right, below) - at(i, below)) * fx;
    return upper + (lower - upper) * fy;
}

/// Rounds a coordinate that is nearly an integer, so that shifts by whole pixels copy values.
double settled(double coordinate) {
    const double whole = std::round(coordinate);
    return std::abs(coordinate - whole) < 1e-6 ? whole : coordinate;
}

}  // namespace

std::vector<std::byte> pictureValues(std::span<const std::byte> frame, const Pixels& pixels,
                                     const Picture& picture, volume::VoxelType type) {
    const std::int64_t columns = picture.grid.columns, rows = picture.grid.rows;
    std::vector<std::byte> out(static_cast<std::size_t>(columns * rows * volume::voxelBytes(type)));
    visitType(pixels.type, [&](auto stored) {
        using Stored = decltype(stored);
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t from = (picture.top + row) * pixels.columns + picture.left;
            if (type == pixels.type) {
                std::memcpy(out.data() + static_cast<std::size_t>(row * columns) * sizeof(Stored),
                            frame.data() + static_cast<std::size_t>(from) * sizeof(Stored),
                            static_cast<std::size_t>(columns) * sizeof(Stored));
                continue;
            }
            for (std::int64_t i = 0; i < columns; ++i) {
                const auto value = static_cast<double>(loadVoxel<Stored>(frame.data(), from + i));
                visitType(type, [&](auto real) {
                    store(out, row * columns + i,
                          fromDouble<decltype(real)>(value * picture.slope + picture.intercept));
                });
            }
        }
    });
    return out;
}

std::vector<std::byte> shiftedPicture(std::span<const std::byte> picture, volume::VoxelType type,
                                      std::array<std::int64_t, 2> size, std::array<std::int64_t, 2> into,
                                      std::array<double, 2> shift) {
    return visitType(type, [&](auto example) {
        using T = decltype(example);
        const std::int64_t count = size[0] * size[1];
        T lowest = loadVoxel<T>(picture.data(), 0);
        for (std::int64_t i = 1; i < count; ++i) {
            lowest = std::min(lowest, loadVoxel<T>(picture.data(), i));
        }
        std::vector<std::byte> out(static_cast<std::size_t>(into[0] * into[1]) * sizeof(T));
        for (std::int64_t j = 0; j < into[1]; ++j) {
            const double y = settled(static_cast<double>(j) - shift[1]);
            for (std::int64_t i = 0; i < into[0]; ++i) {
                const double x = settled(static_cast<double>(i) - shift[0]);
                const bool inside = x >= 0 && y >= 0 && x <= static_cast<double>(size[0] - 1) &&
                                    y <= static_cast<double>(size[1] - 1);
                store(out, j * into[0] + i,
                      inside ? fromDouble<T>(sampled<T>(picture.data(), size, x, y)) : lowest);
            }
        }
        return out;
    });
}

std::int64_t addSegment(std::span<std::byte> labels, std::span<const std::byte> mask, volume::VoxelType type,
                        std::int64_t segment) {
    return visitType(type, [&](auto example) {
        using T = decltype(example);
        std::int64_t others = 0;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(labels.size() / sizeof(T)); ++i) {
            if (loadVoxel<T>(mask.data(), i) != T{0}) {
                const T had = loadVoxel<T>(labels.data(), i);
                others += had != T{0} && had != static_cast<T>(segment);
                store(labels, i, static_cast<T>(segment));
            }
        }
        return others;
    });
}

std::vector<std::byte> between(std::span<const std::byte> a, std::span<const std::byte> b, double share,
                               volume::VoxelType type) {
    return visitType(type, [&](auto example) {
        using T = decltype(example);
        std::vector<std::byte> out(a.size());
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.size() / sizeof(T)); ++i) {
            const auto first = static_cast<double>(loadVoxel<T>(a.data(), i));
            const auto second = static_cast<double>(loadVoxel<T>(b.data(), i));
            store(out, i, fromDouble<T>(first + (second - first) * share));
        }
        return out;
    });
}

std::vector<std::byte> blankSlice(volume::VoxelType type, std::int64_t count, double value) {
    return visitType(type, [&](auto example) {
        using T = decltype(example);
        std::vector<std::byte> out(static_cast<std::size_t>(count) * sizeof(T));
        for (std::int64_t i = 0; i < count; ++i) {
            store(out, i, fromDouble<T>(value));
        }
        return out;
    });
}

}  // namespace highwater::scan::reader::dicom
