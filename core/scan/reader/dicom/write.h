#pragma once

#include "core/scan/reader/dicom/stack.h"
#include "core/scan/reader/progress.h"

/// From pictures in files to voxels in the handover file.
namespace highwater::scan::reader::dicom {

/// A series part as it was planned; `picture` and `file` are of number `i` of its pictures.
struct Source {
    const Looked& looked;
    const SeriesPart& part;
    const Stack& stack;

    const FileFacts& file(std::size_t i) const { return looked.files[part.pictures[i].file]; }
    const Picture& picture(std::size_t i) const { return file(i).pictures[part.pictures[i].picture]; }
};

/// Decodes the pictures of one volume into the handover file `out`, slice by slice, and fills in the header's
/// statistics and warnings; the header is written last. A picture of several files that cannot be decoded
/// leaves a blank slice and a warning; of a single file it is an error. Holds at most two slices and a frame.
base::Status writePictures(const Source& source, const std::vector<Placed>& volume, volume::Header& header,
                           int out, const ProgressSink& progress);

}  // namespace highwater::scan::reader::dicom
