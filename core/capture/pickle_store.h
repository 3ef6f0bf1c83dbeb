#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/capture/pickle_value.h"

namespace highwater::capture {

/// Converts the parts of a pickle to records as they are completed, so that the parts need not be kept.
class Reducer {
public:
    virtual ~Reducer() = default;
    /// A text, cut to PickleReader::kMostText bytes. Returns a Kind::Text.
    virtual Value text(std::string_view text) = 0;
    /// A complete list or tuple; a dictionary as alternating keys and values. No item is Kind::Open. `items`
    /// may be moved from.
    virtual Value list(std::vector<Value>& items) = 0;
    virtual Value dictionary(std::vector<Value>& items) = 0;
    /// Announces the approximate number of lists and dictionaries.
    virtual void expect(std::size_t containers) = 0;
    /// Approximate memory in bytes.
    virtual std::size_t bytes() const = 0;
};

/// The lists and dictionaries of a pickle while they grow. A list or dictionary is complete when it is put
/// into another one, as picklers do with data that does not contain itself; it cannot grow after that.
class PickleStore {
public:
    explicit PickleStore(Reducer& reducer) : reducer_(reducer) {}

    /// Announces the approximate number of lists and dictionaries.
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

    /// Appends to a list. False if `target` is not a list or is complete.
    bool extend(Value target, std::span<const Value> items);
    /// Adds alternating keys and values to a dictionary. False if `target` is not a dictionary or is
    /// complete.
    bool assign(Value target, std::span<const Value> items);
    /// The value; if it was open, it is completed.
    Value settled(Value value);

    std::optional<std::int64_t> integerOf(Value value) const;
    /// The 64 bits of an integer, signed or unsigned.
    std::optional<std::uint64_t> addressOf(Value value) const;

    std::size_t bytes() const;

private:
    using Kind = Value::Kind;
    Value open(Kind kind);
    bool add(Value target, Kind kind, std::span<const Value> items);
    Value settle(Value growing);

    Reducer& reducer_;
    /// The state of each Open: growing (0 while empty, otherwise 1 + the index of its items in growing_), or
    /// the reducer's result for it.
    std::vector<Value> slots_;
    std::vector<std::vector<Value>> growing_;
    std::vector<std::uint32_t> idle_;  // unused entries of `growing_`
    std::size_t held_ = 0;             // number of items in `growing_`
    std::vector<std::uint64_t> big_;
};

}  // namespace highwater::capture
