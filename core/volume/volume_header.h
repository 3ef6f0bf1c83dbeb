#pragma once

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::volume {

/// Writes the header as JSON: "format", "size", "spacing_mm", "origin_mm", "direction", "orientation",
/// "type", "pixel_type", "channels", "volumes", "slope", "intercept", "min", "max", "mean", "spacing_known",
/// "warnings". Numbers that are not finite are null.
base::Json toJson(const Header& header);

/// Reads the header and validates everything: sizes are 1 to 2^31 and their bytes fit in 63 bits, spacing is
/// positive, numbers are finite ("min", "max", "mean" may be null and are read as NaN). Errors name the
/// field.
base::Result<Header> headerFromJson(const base::Json& json);

/// Returns the content of `volume info --json`, and some more fields.
base::Json infoJson(const Header& header);

/// Returns the bytes of all voxels (channels included); std::nullopt if that does not fit in 63 bits or a
/// size is not positive.
std::optional<base::Bytes> volumeBytes(const Header& header);

}  // namespace highwater::volume
