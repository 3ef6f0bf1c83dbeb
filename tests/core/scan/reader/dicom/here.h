#pragma once

#include <unistd.h>

#include <string>

#include "core/scan/reader/dicom/dicom.h"
#include "core/volume/volume.h"
#include "core/volume/write_volume.h"

namespace highwater::test {

/// The work of the scan process, done in this process.
inline base::Result<volume::Volume> readDicomHere(const std::string& path, const std::string& series = "",
                                                  std::int64_t index = 0) {
    const auto out = volume::temporaryFile();
    if (!out) {
        return out.error();
    }
    const auto header = scan::reader::readDicom(path, series, index, *out, [](std::string_view, double) {});
    auto volume = header ? volume::mapVolume(*out, path) : base::Result<volume::Volume>(header.error());
    close(*out);
    return volume;
}

inline base::Result<scan::Contents> listHere(const std::string& path) {
    return scan::reader::listDicom(path, [](std::string_view, double) {});
}

}  // namespace highwater::test
