#include "core/scan/reader/bytes/stored_type.h"

namespace highwater::scan::reader {
namespace {

using volume::VoxelType;

constexpr StoredType kStoredTypes[] = {
    {"uint8", VoxelType::U8, Conversion::Copy, 1},
    {"int8", VoxelType::I8, Conversion::Copy, 1},
    {"uint16", VoxelType::U16, Conversion::Copy, 2},
    {"int16", VoxelType::I16, Conversion::Copy, 2},
    {"uint32", VoxelType::U32, Conversion::Copy, 4},
    {"int32", VoxelType::I32, Conversion::Copy, 4},
    {"uint64", VoxelType::F64, Conversion::UInt64ToDouble, 8},
    {"int64", VoxelType::F64, Conversion::Int64ToDouble, 8},
    {"float32", VoxelType::F32, Conversion::Copy, 4},
    {"float64", VoxelType::F64, Conversion::Copy, 8},
};

}  // namespace

std::optional<StoredType> storedType(std::string_view name) {
    for (const StoredType& type : kStoredTypes) {
        if (type.name == name) {
            return type;
        }
    }
    return std::nullopt;
}

}  // namespace highwater::scan::reader
