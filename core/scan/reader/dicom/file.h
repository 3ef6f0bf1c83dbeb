#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/dicom/elements.h"

/// An open DICOM file: its transfer syntax and its elements.
namespace highwater::scan::reader::dicom {

enum class Coding { Native, Deflated, Jpeg, JpegLs, Jpeg2000, Rle, None };

struct Syntax {
    std::string uid;
    std::string name;  ///< "JPEG 2000"; for an unsupported syntax, a description
    Encoding encoding;
    Coding coding = Coding::Native;  ///< None: not supported
    bool pixelsBigEndian = false;
    bool compressed() const { return coding != Coding::Native && coding != Coding::Deflated; }
};

Syntax syntaxOf(const std::string& uid);

/// Spans in `parsed` point into the mapping, or into `inflated`; they stay valid when this object is moved.
struct OpenFile {
    Mapping mapping;
    std::vector<std::byte> inflated;  ///< the data set of a deflated file
    Syntax syntax;
    DataSet meta;  ///< group 0002
    Parsed parsed;
    bool isIndex = false;  ///< a DICOMDIR
    const DataSet& set() const { return parsed.set; }
    /// Returns nullptr if there is none.
    const Element* pixelData() const;
};

/// Opens a file. Errors do not name the file. A data set that ends early is not an error here; `parsed.error`
/// reports it.
base::Result<OpenFile> openDicom(const std::string& path);

/// Returns the maximum size to which a file of `bytes` may be decompressed, even if its pictures are blank:
/// 64 MiB plus 100 times `bytes`.
std::int64_t mostUnfolded(std::int64_t bytes);

}  // namespace highwater::scan::reader::dicom
