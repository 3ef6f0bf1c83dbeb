#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/capture/pickle_value.h"

namespace highwater::capture {

/// Makes what is needed of a pickle's parts, as they are completed: the parts themselves need not be kept.
class Reducer {
public:
    virtual ~Reducer() = default;
    /// A text, of which the first PickleReader::kMostText bytes are here. Gives a Kind::Text.
    virtual Value text(std::string_view text) = 0;
    /// A complete list or tuple; a dictionary as keys and values in turn. None of them is Kind::Open. `items`
    /// may be moved from.
    virtual Value list(std::vector<Value>& items) = 0;
    virtual Value dictionary(std::vector<Value>& items) = 0;
    /// About so many lists and dictionaries will come.
    virtual void expect(std::size_t containers) = 0;
    /// Memory that is held, roughly.
    virtual std::size_t bytes() const = 0;
};

/// The lists and dictionaries of a pickle while they grow. One is complete when it is put into another, as
/// picklers do with data that does not contain itself; growing after that is refused.
class PickleStore {
public:
    explicit PickleStore(Reducer& reducer) : reducer_(reducer) {}

    /// About so many lists and dictionaries will come.
    void expect(std::size_t containers) {
        slots_.reserve(containers);
        reducer_.expect(containers);
    }
    Value newList() { return open(Kind::GrowingList); }
    Value newDictionary() { return open(Kind::GrowingDictionary); }
    Value text(std::string_view text) { return reducer_.text(text); }
    Value tuple(std::span<const Value> items);
    Value integer(std::int64_t value);
    Value unsignedInteger(std::uint64_t value);

    /// False where `target` is no list, or one that is complete.
    bool extend(Value target, std::span<const Value> items);
    /// Keys and values in turn; the same for dictionaries.
    bool assign(Value target, std::span<const Value> items);
    /// The value, complete if it was open.
    Value settled(Value value);

    std::optional<std::int64_t> integerOf(Value value) const;
    /// The bits of an integer of 64, signed or not.
    std::optional<std::uint64_t> addressOf(Value value) const;

    std::size_t bytes() const;

private:
    using Kind = Value::Kind;
    Value open(Kind kind);
    bool add(Value target, Kind kind, std::span<const Value> items);
    Value settle(Value growing);

    Reducer& reducer_;
    /// What each Open is by now: growing, with 0 while it is empty, else the number + 1 of what gathers its
    /// items; or what the reducer made of it.
    std::vector<Value> slots_;
    std::vector<std::vector<Value>> growing_;
    std::vector<std::uint32_t> idle_;  // of `growing_`
    std::size_t held_ = 0;             // items in `growing_`
    std::vector<std::uint64_t> big_;
};

}  // namespace highwater::capture
