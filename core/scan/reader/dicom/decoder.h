#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/scan/reader/dicom/pixels.h"

/// Pictures, decoded where an assert costs one of them: a child process goes through the list and streams the
/// results; when it dies or hangs the next one goes on behind the picture it was at.
namespace highwater::scan::reader::dicom {

struct FrameRequest {
    std::string path;
    std::int64_t frame = 0;
    Pixels pixels;  ///< as they were when the file was looked at
    bool compressed = false;
};

/// Uncompressed frames are copied in this process; they touch no library. Holds one frame.
class FrameDecoder {
public:
    explicit FrameDecoder(std::vector<FrameRequest> requests,
                          std::chrono::milliseconds patience = std::chrono::seconds(8));
    FrameDecoder(const FrameDecoder&) = delete;
    FrameDecoder& operator=(const FrameDecoder&) = delete;
    ~FrameDecoder();

    /// Request number `index`; never goes back. Errors do not name the file: "cannot be decoded: the decoder
    /// stopped".
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
