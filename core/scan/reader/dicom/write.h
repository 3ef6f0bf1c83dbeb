#pragma once

#include "core/scan/reader/bytes/progress.h"
#include "core/scan/reader/dicom/stack.h"

/// Writes pictures from files as voxels into the handover file.
namespace highwater::scan::reader::dicom {

/// A planned series part. `picture(i)` and `file(i)` are those of the part's picture number i.
struct Source {
    const Looked& looked;
    const SeriesPart& part;
    const Stack& stack;

    const FileFacts& file(std::size_t i) const { return looked.files[part.pictures[i].file]; }
    const Picture& picture(std::size_t i) const { return file(i).pictures[part.pictures[i].picture]; }
};

/// Decodes the pictures of one volume into the handover file `out`, slice by slice, and fills in the header's
/// statistics and warnings; the header is written last. If one of several files cannot be decoded, its slice
/// is blank and there is a warning; if a single file cannot, it is an error. Holds at most two slices and one
/// frame in memory.
base::Status writePictures(const Source& source, const std::vector<Placed>& volume, volume::Header& header,
                           int out, const ProgressSink& progress);

}  // namespace highwater::scan::reader::dicom
