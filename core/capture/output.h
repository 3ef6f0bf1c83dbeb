#pragma once

#include <iosfwd>
#include <string>

#include "core/capture/capture.h"

namespace highwater::capture {

/// Gathers what is written into pieces for a stream, and tells how far it is.
class Output {
public:
    /// `parts` is how often part() will be called.
    Output(std::ostream& out, const Progress& progress, std::size_t parts);

    /// Append here.
    std::string& text() { return text_; }
    /// One part is complete. False: stop, the disk or the user has had enough.
    bool part() { return ++done_ % kPartsABreath != 0 && text_.size() < kPiece ? true : breathe(); }
    /// Writes the rest; says what went wrong anywhere.
    base::Status finish();

private:
    static constexpr std::size_t kPiece = std::size_t{1} << 20, kPartsABreath = 8192;
    bool breathe();

    std::ostream& out_;
    const Progress& progress_;
    std::size_t parts_, done_ = 0;
    std::string text_;
    bool cancelled_ = false;
    int failure_ = 0;  // errno, or -1 where the stream gave none
};

/// Each writes one format; `trace` is one that memory::check finds nothing wrong with.
base::Status writeSnapshot(const memory::Trace& trace, std::ostream& out, const Progress& progress);
base::Status writeChrome(const memory::Trace& trace, std::ostream& out, const Progress& progress);
base::Status writeCsv(const memory::Trace& trace, std::ostream& out, const Progress& progress);

}  // namespace highwater::capture
