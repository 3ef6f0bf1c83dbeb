#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/pixels.h"

/// Decodes pictures in a child process, so that a failed assert costs only one of them. The child works
/// through the list and streams the results. If it crashes or hangs, a new child continues after the picture
/// that failed.
namespace highwater::scan::reader::dicom {

struct FrameRequest {
    std::string path;
    std::int64_t frame = 0;
    Pixels pixels;  ///< as they were when the file was examined
    bool compressed = false;
};

/// Decodes a list of frames. Uncompressed frames are copied in this process, without any library. Holds one
/// frame at a time.
class FrameDecoder {
public:
    explicit FrameDecoder(std::vector<FrameRequest> requests,
                          std::chrono::milliseconds patience = std::chrono::seconds(8));
    FrameDecoder(const FrameDecoder&) = delete;
    FrameDecoder& operator=(const FrameDecoder&) = delete;
    ~FrameDecoder();

    /// Returns the frame of request number `index`, which must increase from call to call. Errors do not name
    /// the file: "cannot be decoded: the decoder stopped".
    base::Result<std::vector<std::byte>> frame(std::size_t index);

private:
    struct Last;
    base::Status start(std::size_t from);
    void stop();
    base::Result<std::vector<std::byte>> receive(std::size_t index);
    bool readExactly(std::byte* out, std::size_t bytes, bool& late);

    std::vector<FrameRequest> requests_;
    std::chrono::milliseconds patience_;
    pid_t child_ = -1;
    int pipe_ = -1;
    std::unique_ptr<Last> last_;
};

}  // namespace highwater::scan::reader::dicom
