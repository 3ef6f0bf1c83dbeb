#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/memory_budget.h"
#include "core/base/result.h"
#include "core/capture/pickle_source.h"
#include "core/capture/pickle_store.h"

namespace highwater::capture {

/// Reads pickles of protocol 0 to 5 as data: numbers, texts, lists, tuples, dictionaries, None. An opcode
/// that would import, call or build something, or needs data from outside the file, is an error. No
/// recursion; lengths are checked against the bytes that are left, and the memory used against the file's
/// budget.
class PickleReader {
public:
    static constexpr std::size_t kMostText = 1000;  ///< longer texts are cut to this many bytes

    /// `progress` as in capture.h. Memory used for values counts against `budget`.
    PickleReader(PickleSource& source, PickleStore& store, base::MemoryBudget& budget,
                 const std::function<bool(double)>& progress);

    /// Reads the pickle's value.
    base::Result<Value> read();

private:
    enum class Step { Next, Stop, Fail };

    bool breathe();
    std::size_t bytes() const;
    Step fail(std::string message);
    Step failHere(std::string_view what);

    Step act(std::uint8_t opcode);
    Step number(std::uint8_t opcode);
    Step text(std::uint8_t opcode);
    Step container(std::uint8_t opcode);
    Step memo(std::uint8_t opcode);
    Step structure(std::uint8_t opcode);

    std::uint64_t little(int bytes) {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) {
            value |= std::uint64_t{source_.at[i]} << (8 * i);
        }
        source_.at += bytes;
        return value;
    }
    bool line(std::string_view& text);
    Step lineNumber(std::uint8_t opcode);
    Step longNumber(std::uint64_t length);
    Step longText(std::uint64_t length, bool isText);
    Step lineText(std::uint8_t opcode);
    Step put(std::uint64_t index);
    Step get(std::uint64_t index) {
        if (index >= memo_.size() || memo_[index].is(Value::Kind::Unset)) {
            return nothingAt(index);
        }
        return push(memo_[index]);
    }
    Step nothingAt(std::uint64_t index);
    Step tuple(std::size_t count);

    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    std::size_t above() const { return stack_.size() - floor(); }
    bool popMark(std::size_t& height);
    Step push(Value value) {
        stack_.push_back(value);
        return Step::Next;
    }

    PickleSource& source_;
    PickleStore& store_;
    base::MemoryBudget& budget_;
    const std::function<bool(double)>& progress_;
    std::vector<Value> stack_, memo_;
    std::vector<std::size_t> marks_;
    std::string error_;
};

}  // namespace highwater::capture
