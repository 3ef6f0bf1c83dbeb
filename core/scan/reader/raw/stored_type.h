#pragma once

#include <optional>
#include <string_view>

#include "core/base/units.h"
#include "core/volume/volume.h"

namespace highwater::scan::reader {

/// How a stored voxel becomes one that is handed over.
enum class Conversion { Copy, Int64ToDouble, UInt64ToDouble };

/// A type of voxel as files have it, and what it is handed over as.
struct StoredType {
    std::string_view name;  ///< "int16"
    volume::VoxelType type = volume::VoxelType::I16;
    Conversion conversion = Conversion::Copy;
    base::Bytes bytes = 0;  ///< of one voxel in the file; as many as of one that is handed over
};

/// "uint8", "int8", ... "uint64", "int64", "float32", "float64"; nothing for another name.
std::optional<StoredType> storedType(std::string_view name);

}  // namespace highwater::scan::reader
