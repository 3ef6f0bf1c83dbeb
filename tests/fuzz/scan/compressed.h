#pragma once

#include <string>
#include <vector>

#include "tests/core/scan/reader/dicom/builder.h"

/// Small DICOM files with compressed pictures, generated when the tests run.
namespace highwater::fuzz {

struct Compressed {
    std::string name;    ///< "JPEG lossless, 16 bits"
    std::string uid;     ///< its transfer syntax
    test::Dicom header;  ///< what the file says about its pictures
    std::vector<std::string>
        frames;             ///< one compressed picture each; if there are more than frames, in pieces
    bool lossless = false;  ///< whether the first frame's pixels are the header's values

    std::string file(const std::vector<std::string>& instead) const;
    std::string file() const { return file(frames); }
};

/// One of every kind that needs a codec: JPEG (baseline, 12 bits, progressive, lossless), JPEG-LS and JPEG
/// 2000 (lossless and lossy, in tiles, in a JP2 file), RLE, and several frames. They are made with GDCM's
/// encoders, except the progressive one, for which it has none.
std::vector<Compressed> compressedFiles();

/// A JP2 file whose first box contains the header of a picture of the size in the DICOM file; the picture
/// itself is larger.
Compressed decoyInJp2();

}  // namespace highwater::fuzz
