#pragma once

#include "core/scan/reader/dicom/pixels.h"

/// The description in a compressed picture's own header, checked before a decoder reads it.
namespace highwater::scan::reader::dicom {

struct Codestream {
    std::int64_t columns = 0, rows = 0;
    int components = 0;
    int precision = 0;  ///< bits
};

/// Reads it from the frame header of JPEG and JPEG-LS (ITU-T T.81, B.2.2; T.87, C.2.2), or from SIZ of JPEG
/// 2000 (T.800, A.5.1).
base::Result<Codestream> describeCodestream(Bytes stream, Coding coding);

/// One frame's fragments as one stream.
std::vector<std::byte> joined(const std::vector<Bytes>& fragments);

/// The stream of a frame that is not RLE, in a form that is safe for a decoder: a JP2 file's boxes are
/// removed, because a decoder would trust them, and padding after the end marker is cut. Error if it
/// contradicts the file's header, has no end marker, or, for JPEG 2000, has an unterminated header (GDCM 3.0
/// reads past the end of the stream) or High-Throughput code blocks, which those transfer syntaxes do not
/// allow and OpenJPEG would decode.
base::Result<std::vector<std::byte>> checkedStream(const std::vector<Bytes>& fragments, const Pixels& pixels,
                                                   Coding coding, Codestream& described);

/// Removes one zero byte before the end marker. False if there is none.
bool dropPadding(std::vector<std::byte>& stream);

}  // namespace highwater::scan::reader::dicom
