#pragma once

#include <unistd.h>

#include <stdexcept>
#include <string>

#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/reader.h"
#include "core/volume/volume.h"
#include "core/volume/write_volume.h"

namespace highwater::test {

/// The work of the scan process, done in this process: file to handover file to mapping.
inline base::Result<volume::Volume> readHere(const std::string& path, std::int64_t index = 0) {
    const auto out = volume::temporaryFile();
    if (!out) {
        return out.error();
    }
    const auto header = scan::reader::readScanFile({path, "", index, *out}, [](std::string_view, double) {});
    auto volume = header ? volume::mapVolume(*out, path) : base::Result<volume::Volume>(header.error());
    close(*out);
    return volume;
}

inline std::string gzip(const std::string& bytes, int level = 6) {
    const auto out = scan::reader::deflateGzip(std::as_bytes(std::span(bytes)), level);
    if (!out) {
        throw std::runtime_error(out.error().message);
    }
    return {reinterpret_cast<const char*>(out->data()), out->size()};
}

}  // namespace highwater::test
