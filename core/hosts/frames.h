#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_reader.h"
#include "core/base/result.h"

/// The messages of highwater-host: frames, each a line of JSON followed, if the line has "bytes": N, by N
/// bytes.
namespace highwater::hosts {

/// The only key of the first frame; any output before it is from the login shell and is skipped.
inline constexpr std::string_view kGreeting = "highwater_host";
inline constexpr int kProtocol = 1;
/// Sent instead of the greeting if no engine was built for this version.
inline constexpr std::string_view kNotPrepared = "highwater-not-prepared";
inline constexpr std::size_t kMostFrameBytes = 1 << 20;

/// The files of a run's folder that are transferred.
inline constexpr std::string_view kEvents = "events.jsonl", kResult = "result.json", kErrors = "stderr.txt",
                                  kPatch = "previews/patch.hwvol";

struct Frame {
    base::Json line;
    std::string bytes;
};

std::string toText(const base::Json& line, std::string_view bytes = {});

/// Assembles frames from data that arrives in pieces.
class Frames {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    /// The next frame, if it is complete. Error: the data is not a frame, or the frame is larger than
    /// kMostFrameBytes.
    base::Result<std::optional<Frame>> take();
    /// Whether the greeting has arrived; any output before it is dropped. Error: kNotPrepared, or there is
    /// too much output.
    base::Result<bool> greet();
    bool greeted() const { return greeted_; }

private:
    std::string buffer_;
    std::size_t skipped_ = 0;
    bool greeted_ = false;
};

}  // namespace highwater::hosts
