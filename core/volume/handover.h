#pragma once

#include <string_view>

#include "core/base/units.h"

/// The layout of the handover file (volume.h), shared by its writer and its reader.
namespace highwater::volume {

inline constexpr std::string_view kHandoverMagic = "HWVOLUM1";
inline constexpr base::Bytes kHandoverPrefix = 16;  ///< bytes of the magic and the header's length
inline constexpr base::Bytes kHandoverPage = 4096;
inline constexpr base::Bytes kMostHeaderBytes = base::kMiB;

constexpr base::Bytes roundToPage(base::Bytes bytes) {
    return (bytes + kHandoverPage - 1) / kHandoverPage * kHandoverPage;
}

}  // namespace highwater::volume
