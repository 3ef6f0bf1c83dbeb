#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "core/wire/events.h"

/// Parses an engine's output as it arrives.
namespace highwater::wire {

inline constexpr base::Bytes kLongestEvent = 64 * base::kMiB;  ///< a line of events.jsonl
/// The maximum size of a run's events.jsonl that is fetched from a host or read.
inline constexpr base::Bytes kMostEvents = 4 * base::kGiB;

/// Parses events from bytes that arrive in pieces. Lines that are not events, or are longer than 64 MiB,
/// become one Warning, and a second one with the number of further ones, until the events are taken.
class EventLines {
public:
    void add(std::string_view bytes);
    void end();  ///< treats the remaining bytes as a line
    std::vector<Event> take();

private:
    void parse(std::string_view line);
    void complain(std::string message);
    std::string buffer_;
    bool skipping_ = false;  ///< inside a line that is too long to be an event
    int bad_ = 0;
    std::vector<Event> events_;
};

/// stderr.txt in a run's folder.
class EngineErrors {
public:
    EngineErrors() = default;
    explicit EngineErrors(base::Descriptor file) : file_(std::move(file)) {}
    int fd() const { return file_.get(); }
    /// Truncates it when it is larger than 4 MiB: a library that warns on every step must not fill the disk.
    void bound();
    std::string tail() const;  ///< at most 4 KiB

private:
    base::Descriptor file_;
};

}  // namespace highwater::wire
