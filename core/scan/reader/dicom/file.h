#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/elements.h"
#include "core/scan/reader/input.h"

/// One DICOM file, open: its transfer syntax and its elements.
namespace highwater::scan::reader::dicom {

enum class Coding { Native, Deflated, Jpeg, JpegLs, Jpeg2000, Rle, None };

struct Syntax {
    std::string uid;
    std::string name;  ///< "JPEG 2000"; of one that is not read, what it is
    Encoding encoding;
    Coding coding = Coding::Native;  ///< None: not read
    bool pixelsBigEndian = false;
    bool compressed() const { return coding != Coding::Native && coding != Coding::Deflated; }
};

Syntax syntaxOf(const std::string& uid);

/// Spans in `parsed` point into the mapping, or into `inflated`; both stay where they are when this moves.
struct OpenFile {
    Mapping mapping;
    std::vector<std::byte> inflated;  ///< the data set of a deflated file
    Syntax syntax;
    Parsed parsed;
    bool isIndex = false;  ///< a DICOMDIR
    const DataSet& set() const { return parsed.set; }
    /// Null where there is none.
    const Element* pixelData() const;
};

/// Errors do not name the file. A data set that ends early is no error here: `parsed.error` says so.
base::Result<OpenFile> openDicom(const std::string& path);

/// The most bytes that a file of `bytes` may unfold to, however blank its pictures: 64 MiB and 100 : 1.
std::int64_t mostUnfolded(std::int64_t bytes);

}  // namespace highwater::scan::reader::dicom
