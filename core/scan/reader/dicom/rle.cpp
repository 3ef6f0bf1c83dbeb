#include "core/scan/reader/dicom/rle.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::scan::reader::dicom {
namespace {

constexpr std::size_t kHeader = 64;

/// Unpacks one plane to every `step`-th byte from `out` on; false if it has too few or too many bytes.
bool unpackPlane(Bytes runs, std::byte* out, std::size_t count, std::size_t step) {
    std::size_t done = 0;
    while (done < count) {
        if (runs.empty()) {
            return false;
        }
        const auto code = static_cast<std::size_t>(runs[0]);
        runs = runs.subspan(1);
        constexpr std::size_t kNothing = 128;
        if (code == kNothing) {
            continue;
        }
        const bool literal = code < kNothing;
        const std::size_t length = literal ? code + 1 : 257 - code;
        const std::size_t used = literal ? length : 1;
        if (runs.size() < used || length > count - done) {
            return false;
        }
        for (std::size_t i = 0; i < length; ++i) {
            out[(done + i) * step] = runs[literal ? i : 0];
        }
        done += length;
        runs = runs.subspan(used);
    }
    return true;
}

}  // namespace

base::Result<std::vector<std::byte>> unpackRle(Bytes stream, const Pixels& pixels) {
    const auto planes = static_cast<std::size_t>(pixels.allocated) / 8;
    if (stream.size() <= kHeader || load32(stream.data(), false) != planes) {
        return base::Error{
            fmt::format("damaged: a compressed picture has no header for {} bits a pixel", pixels.allocated)};
    }
    const auto count = static_cast<std::size_t>(pixels.columns * pixels.rows);
    std::vector<std::byte> out(count * planes);
    for (std::size_t plane = 0; plane < planes; ++plane) {
        const std::byte* offset = stream.data() + 4 * (1 + plane);
        const std::size_t begin = load32(offset, false);
        const std::size_t end = plane + 1 < planes ? load32(offset + 4, false) : stream.size();
        if (begin < kHeader || begin > end || end > stream.size() ||
            !unpackPlane(stream.subspan(begin, end - begin), out.data() + planes - 1 - plane, count,
                         planes)) {
            return base::Error{fmt::format(
                "damaged or truncated: part {} of a compressed picture is not {} bytes, one for each "
                "pixel",
                plane + 1, count)};
        }
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
