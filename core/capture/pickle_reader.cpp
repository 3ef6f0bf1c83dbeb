#include "core/capture/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/capture/pickle_opcodes.h"

namespace highwater::capture {

using namespace opcode;
using Kind = Value::Kind;

namespace {
constexpr std::uint64_t kMemoryFloor = std::uint64_t{64} << 20,
                        kMemoryFactor = 6;  // not counting what is built from it
}

PickleReader::PickleReader(PickleSource& source, PickleStore& store, base::MemoryBudget& budget,
                           const std::function<bool(double)>& progress)
    : source_(source), store_(store), budget_(budget), progress_(progress) {
    // Reserves memo entries from the typical size of an event: untouched address space costs nothing, growing
    // does.
    memo_.reserve(source.size() / 50);
    store.expect(source.size() / 50);
}

base::Result<Value> PickleReader::read() {
    for (;;) {
        if (source_.end - source_.at < static_cast<std::ptrdiff_t>(PickleSource::kPadding) &&
            !source_.ended() && !breathe()) {
            return base::Error{error_};
        }
        if (source_.at >= source_.end) {
            failHere(source_.size() == 0 ? "the file is empty" : "the pickle is truncated");
            return base::Error{error_};
        }
        const std::uint8_t code = *source_.at++;
        Step step = Step::Next;
        // The most frequent opcodes first.
        if (code == kLongBinGet) {
            step = get(little(4));
        } else if (code == kBinGet) {
            step = get(little(1));
        } else if (code == kMemoize) {
            step = above() > 0 ? put(memo_.size()) : failHere("there is nothing to remember");
        } else {
            step = act(code);
        }
        if (step == Step::Next) {
            continue;
        }
        if (step == Step::Fail) {
            return base::Error{error_};
        }
        const Value made = store_.settled(stack_.back());
        return budget_.take(bytes()) ? base::Result<Value>(made) : budget_.error();
    }
}

/// Fills the window; also checks progress and memory. False after an error.
bool PickleReader::breathe() {
    source_.fill(PickleSource::kPadding);
    const std::uint64_t most =
        std::min(kMemoryFloor + kMemoryFactor * source_.size(), static_cast<std::uint64_t>(budget_.most()));
    if (bytes() > most) {
        fail(fmt::format("the pickle would take more than {}, which no snapshot of its size does",
                         base::formatBytes(static_cast<base::Bytes>(most))));
        return false;
    }
    if (progress_ && !progress_(static_cast<double>(source_.position()) /
                                static_cast<double>(std::max<std::uint64_t>(1, source_.size())))) {
        fail("cancelled");
        return false;
    }
    return true;
}

std::size_t PickleReader::bytes() const {
    return (stack_.capacity() + memo_.capacity()) * sizeof(Value) + marks_.capacity() * sizeof(marks_[0]) +
           store_.bytes();
}

PickleReader::Step PickleReader::fail(std::string message) {
    if (error_.empty()) {
        error_ = std::move(message);
    }
    return Step::Fail;
}

PickleReader::Step PickleReader::failHere(std::string_view what) {
    return fail(fmt::format("byte {}: {}", source_.position(), what));
}

PickleReader::Step PickleReader::act(std::uint8_t code) {
    switch (code) {
        case kInt:
        case kLong:
        case kBinInt:
        case kBinInt1:
        case kBinInt2:
        case kLong1:
        case kLong4:
        case kNewTrue:
        case kNewFalse:
            return number(code);
        case kString:
        case kUnicode:
        case kBinString:
        case kShortBinString:
        case kBinUnicode:
        case kShortBinUnicode:
        case kBinUnicode8:
        case kBinBytes:
        case kShortBinBytes:
        case kBinBytes8:
        case kByteArray8:
            return text(code);
        case kEmptyList:
        case kEmptyDict:
        case kList:
        case kDict:
        case kAppend:
        case kAppends:
        case kSetItem:
        case kSetItems:
        case kEmptyTuple:
        case kTuple:
        case kTuple1:
        case kTuple2:
        case kTuple3:
        case kEmptySet:
        case kAddItems:
        case kFrozenSet:
            return container(code);
        case kGet:
        case kPut:
        case kBinPut:
        case kLongBinPut:
            return memo(code);
        default:
            return structure(code);
    }
}

PickleReader::Step PickleReader::structure(std::uint8_t code) {
    std::string_view ignored;
    std::size_t height = 0;
    switch (code) {
        case kMark:
            marks_.push_back(stack_.size());
            return Step::Next;
        case kNone:
            return push({Kind::Other, 0});
        case kBinFloat:
            source_.at += 8;
            return push({Kind::Other, 0});
        case kFloat:
            return line(ignored) ? push({Kind::Other, 0}) : Step::Fail;
        case kProto:
            return little(1) <= 5 ? Step::Next : failHere("the pickle's protocol is newer than 5");
        case kFrame:
            return little(8) <= source_.left() ? Step::Next : failHere("the pickle is truncated");
        case kDup:
            return above() > 0 ? push(stack_.back()) : failHere("there is nothing to double");
        case kPop:
            if (above() > 0) {
                stack_.pop_back();
            } else if (!popMark(height)) {
                return Step::Fail;
            }
            return Step::Next;
        case kPopMark:
            if (!popMark(height)) {
                return Step::Fail;
            }
            stack_.resize(height);
            return Step::Next;
        case kStop:
            return marks_.empty() && !stack_.empty() ? Step::Stop
                                                     : failHere("the pickle ends without a value");
        default:
            return failHere(isForbidden(code) ? "this would run or fetch code; a snapshot is plain data"
                                              : "this is not a pickle, or it is damaged");
    }
}

PickleReader::Step PickleReader::container(std::uint8_t code) {
    std::size_t height = 0;
    const auto from = [&](std::size_t first) { return std::span(stack_).subspan(first); };
    switch (code) {
        case kEmptyList:
            return push(store_.newList());
        case kEmptyDict:
            return push(store_.newDictionary());
        case kEmptyTuple:
            return tuple(0);
        case kTuple1:
        case kTuple2:
        case kTuple3:
            return tuple(static_cast<std::size_t>(code - kTuple1) + 1);
        case kEmptySet:
            return push({Kind::Other, 0});
        case kAppend:
        case kSetItem:
            height = code == kAppend ? 1 : 2;
            if (above() <= height) {
                return failHere("there is nothing to add, or nothing to add it to");
            }
            height = stack_.size() - height;
            break;
        default:
            if (!popMark(height)) {
                return Step::Fail;
            }
    }
    if (code == kTuple) {
        return tuple(stack_.size() - height);
    }
    if (code == kFrozenSet || code == kAddItems) {
        if (code == kAddItems && height == floor()) {
            return failHere("there is no set to add to");
        }
        stack_.resize(height);
        return code == kFrozenSet ? push({Kind::Other, 0}) : Step::Next;
    }
    const bool pairs = code == kSetItem || code == kSetItems || code == kDict;
    if (pairs && (stack_.size() - height) % 2 != 0) {
        return failHere("a dictionary's last key has no value");
    }
    if (code == kList || code == kDict) {
        const Value made = code == kList ? store_.newList() : store_.newDictionary();
        stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(height++), made);
    }
    if (height == floor()) {
        return failHere("there is nothing to add to");
    }
    const Value target = stack_[height - 1];
    const bool added = pairs ? store_.assign(target, from(height)) : store_.extend(target, from(height));
    stack_.resize(height);
    return added ? Step::Next
                 : failHere("adds to something that is not a list or dictionary, or is already complete");
}

PickleReader::Step PickleReader::tuple(std::size_t count) {
    if (above() < count) {
        return failHere("a tuple has too few values");
    }
    const Value made = store_.tuple(std::span(stack_).last(count));
    stack_.resize(stack_.size() - count);
    return push(made);
}

bool PickleReader::popMark(std::size_t& height) {
    if (marks_.empty()) {
        failHere("there is no mark");
        return false;
    }
    height = marks_.back();
    marks_.pop_back();
    return true;
}

PickleReader::Step PickleReader::put(std::uint64_t index) {
    if (above() == 0) {
        return failHere("there is nothing to remember");
    }
    if (index > source_.position()) {  // each memo entry takes at least a byte, and picklers count from 0
        return failHere(fmt::format("memo number {} is out of order", index));
    }
    if (index >= memo_.size()) {
        memo_.resize(index + 1);
    }
    memo_[index] = stack_.back();
    return Step::Next;
}

PickleReader::Step PickleReader::nothingAt(std::uint64_t index) {
    return failHere(fmt::format("memo entry {} is not set", index));
}

}  // namespace highwater::capture
