#pragma once

#include <iosfwd>
#include <string>

#include "core/capture/capture.h"

namespace highwater::capture {

/// Buffers output for a stream and reports progress.
class Output {
public:
    /// `parts`: the total number of calls of part().
    Output(std::ostream& out, const Progress& progress, std::size_t parts);

    /// The buffer to append to.
    std::string& text() { return text_; }
    /// Call after each part. False if writing should stop because it failed or was cancelled.
    bool part() { return ++done_ % kPartsABreath != 0 && text_.size() < kPiece ? true : breathe(); }
    /// Writes the rest of the buffer. Error if a write failed or the work was cancelled.
    base::Status finish();

private:
    static constexpr std::size_t kPiece = std::size_t{1} << 20, kPartsABreath = 8192;
    bool breathe();

    std::ostream& out_;
    const Progress& progress_;
    std::size_t parts_, done_ = 0;
    std::string text_;
    bool cancelled_ = false;
    int failure_ = 0;  // errno, or -1 if the stream set none
};

/// Each function writes one format; `trace` must pass memory::check.
base::Status writeSnapshot(const memory::Trace& trace, std::ostream& out, const Progress& progress);
base::Status writeChrome(const memory::Trace& trace, std::ostream& out, const Progress& progress);
base::Status writeCsv(const memory::Trace& trace, std::ostream& out, const Progress& progress);

}  // namespace highwater::capture
