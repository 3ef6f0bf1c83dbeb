#pragma once

#include <cstdint>

namespace highwater::capture {

/// A value of a pickle in 8 bytes: a kind and 59 bits that say which.
class Value {
public:
    enum class Kind : std::uint8_t {
        Unset,     ///< no value: a place in the memo that was never put
        Other,     ///< something that a snapshot has no use for: None, a float, bytes, a set
        Boolean,   ///< 0 or 1
        Integer,   ///< itself, from -2^58 to 2^58 - 1
        Big,       ///< an integer of 64 bits, by its number in PickleStore
        Unsigned,  ///< the same, from 2^63 to 2^64 - 1
        Text,      ///< by its number in the Reducer
        Open,      ///< a list or dictionary that may still grow, by its number in PickleStore
        List,      ///< and these by what the Reducer made of them
        Dictionary,
        Stack,
        Frame,
        Event,
        Block,
        Segment,
        Annotation,
        GrowingList,  ///< PickleStore's own: what an Open is while it is open
        GrowingDictionary
    };

    constexpr Value() = default;
    constexpr Value(Kind kind, std::uint64_t payload)
        : bits_(payload << kKindBits | static_cast<std::uint64_t>(kind)) {}
    static constexpr Value integer(std::int64_t value) {
        return {Kind::Integer, static_cast<std::uint64_t>(value)};
    }
    static constexpr bool fits(std::int64_t value) { return (value >> 58) == 0 || (value >> 58) == -1; }

    constexpr Kind kind() const { return static_cast<Kind>(bits_ & ((1U << kKindBits) - 1)); }
    constexpr bool is(Kind kind) const { return this->kind() == kind; }
    constexpr std::uint64_t payload() const { return bits_ >> kKindBits; }
    constexpr std::int64_t number() const { return static_cast<std::int64_t>(bits_) >> kKindBits; }
    constexpr bool operator==(const Value&) const = default;

private:
    static constexpr int kKindBits = 5;
    std::uint64_t bits_ = 0;
};
static_assert(sizeof(Value) == 8);

}  // namespace highwater::capture
