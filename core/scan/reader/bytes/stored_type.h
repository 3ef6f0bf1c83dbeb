#pragma once

#include <optional>
#include <string_view>

#include "core/base/units.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// The conversion from a stored voxel to one in the handover file.
enum class Conversion { Copy, Int64ToDouble, UInt64ToDouble };

/// A voxel type in files, and the type to which it is converted.
struct StoredType {
    std::string_view name;  ///< "int16"
    volume::VoxelType type = volume::VoxelType::I16;
    Conversion conversion = Conversion::Copy;
    base::Bytes bytes = 0;  ///< bytes of one voxel in the file, the same as in the handover
};

/// Finds "uint8", "int8", ... "uint64", "int64", "float32", "float64"; returns std::nullopt for other names.
std::optional<StoredType> storedType(std::string_view name);

}  // namespace highwater::scan::reader
