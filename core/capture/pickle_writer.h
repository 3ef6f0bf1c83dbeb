#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace highwater::capture {

/// Text that occurs several times in a pickle: written the first time, then fetched from the memo.
struct SharedText {
    std::string_view text;
    int memo = -1;
};

/// Writes pickle protocol 4 (PEP 3154), using only opcodes that both Python's pickle and memory_viz's reader
/// know. Values are appended in the order of the stack machine: a list is emptyList(), mark(), values,
/// appends(); a dictionary emptyDict(), mark(), keys and values, setItems(). Both take at most 1,000 items
/// per mark, as in Python: memory_viz's reader passes them as arguments of a call.
class PickleWriter {
public:
    static constexpr std::size_t kBatch = 1000;

    /// Appends frames to `out`.
    explicit PickleWriter(std::string& out) : out_(out) { out_ += "\x80\x04"; }

    void emptyDict() { frame_ += '}'; }
    void emptyList() { frame_ += ']'; }
    void mark() { frame_ += '('; }
    void setItems() { frame_ += 'u'; }
    void appends() { frame_ += 'e'; }
    void pair() { frame_ += '\x86'; }  ///< makes a tuple of the last two values
    void boolean(bool value) { frame_ += value ? '\x88' : '\x89'; }
    void integer(std::int64_t value);
    void real(double value);
    void text(std::string_view value);
    void text(SharedText& value);
    /// Stores the last value in the memo; returns its number for recall().
    int remember();
    void recall(int memo);
    /// Call after a complete value: the frame may end there.
    void rest();
    void stop();

private:
    void endFrame();
    void little(std::uint64_t value, int bytes);

    std::string& out_;
    std::string frame_;
    int memos_ = 0;
};

}  // namespace highwater::capture
