#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/scan/reader/dicom/facts.h"
#include "core/scan/reader/dicom/stack.h"

/// Turns a decoded frame into a slice of the volume.
namespace highwater::scan::reader::dicom {

/// Returns a picture (a frame, or a mosaic's tile) as `type`: stored values if `type` is the frame's own
/// type, otherwise real values.
std::vector<std::byte> pictureValues(std::span<const std::byte> frame, const Pixels& pixels,
                                     const Picture& picture, volume::VoxelType type);

/// Returns a slice of size `into` with the picture of size `size` moved by `shift` pixels right and down,
/// interpolated linearly between pixels (rounded for integers). Outside the picture, the slice has the
/// picture's lowest value.
std::vector<std::byte> shiftedPicture(std::span<const std::byte> picture, volume::VoxelType type,
                                      std::array<std::int64_t, 2> size, std::array<std::int64_t, 2> into,
                                      std::array<double, 2> shift);

/// Gives `labels`, a slice of U8 or U16, the value `segment` where `mask` of the same type is not 0. Returns
/// the number of voxels that had another label.
std::int64_t addSegment(std::span<std::byte> labels, std::span<const std::byte> mask, volume::VoxelType type,
                        std::int64_t segment);

/// a + (b - a) * share, value by value.
std::vector<std::byte> between(std::span<const std::byte> a, std::span<const std::byte> b, double share,
                               volume::VoxelType type);

/// Returns `count` voxels of one value.
std::vector<std::byte> blankSlice(volume::VoxelType type, std::int64_t count, double value);

}  // namespace highwater::scan::reader::dicom
