#pragma once

#include "core/scan/reader/dicom/pixels.h"

/// What a compressed picture says of itself, read before a decoder believes it.
namespace highwater::scan::reader::dicom {

struct Codestream {
    std::int64_t columns = 0, rows = 0;
    int components = 0;
    int precision = 0;  ///< bits
};

/// JPEG and JPEG-LS: the frame header (ITU-T T.81, B.2.2; T.87, C.2.2). JPEG 2000: SIZ (T.800, A.5.1).
base::Result<Codestream> describeCodestream(Bytes stream, Coding coding);

/// One frame's fragments as one stream, which says the same as the file's header and has its end marker
/// (padding after it is cut).
base::Result<std::vector<std::byte>> checkedStream(const std::vector<Bytes>& fragments, const Pixels& pixels,
                                                   Coding coding, Codestream& described);

}  // namespace highwater::scan::reader::dicom
