#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_reader.h"
#include "core/base/result.h"

/// What highwater-host says: frames, each a line of JSON and, where the line has "bytes": N, N bytes after
/// it.
namespace highwater::hosts {

/// The first frame's one key: what comes before it is the login shell's, and skipped.
inline constexpr std::string_view kGreeting = "highwater_host";
inline constexpr int kProtocol = 1;
/// What is said in its place where no engine was built for this version.
inline constexpr std::string_view kNotPrepared = "highwater-not-prepared";
inline constexpr std::size_t kMostFrameBytes = 1 << 20;

/// The files of a run's folder that are handed over.
inline constexpr std::string_view kEvents = "events.jsonl", kResult = "result.json", kErrors = "stderr.txt",
                                  kPatch = "previews/patch.hwvol";

struct Frame {
    base::Json line;
    std::string bytes;
};

std::string toText(const base::Json& line, std::string_view bytes = {});

/// Makes frames of what arrives in pieces.
class Frames {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    /// The next frame, if it is complete. Error: what arrived is none, or one of more than kMostFrameBytes.
    base::Result<std::optional<Frame>> take();
    /// Whether the greeting has arrived; what came before it is dropped. Error: kNotPrepared, or there is too
    /// much of it.
    base::Result<bool> greet();
    bool greeted() const { return greeted_; }

private:
    std::string buffer_;
    std::size_t skipped_ = 0;
    bool greeted_ = false;
};

}  // namespace highwater::hosts
