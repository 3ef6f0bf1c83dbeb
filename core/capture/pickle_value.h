#pragma once

#include <cstdint>

namespace highwater::capture {

/// A value of a pickle in 8 bytes: a kind and a payload of 59 bits.
class Value {
public:
    enum class Kind : std::uint8_t {
        Unset,     ///< no value: a memo entry that was never set
        Other,     ///< not used by snapshots: None, a float, bytes, a set
        Boolean,   ///< 0 or 1
        Integer,   ///< the value itself, from -2^58 to 2^58 - 1
        Big,       ///< a 64-bit integer, as an index in PickleStore
        Unsigned,  ///< the same for 2^63 to 2^64 - 1
        Text,      ///< as an index in the Reducer
        Open,      ///< a list or dictionary that may still grow, as an index in PickleStore
        List,      ///< this and the next: as an index in the Reducer
        Dictionary,
        Stack,
        Frame,
        Event,
        Block,
        Segment,
        Annotation,
        GrowingList,  ///< used only in PickleStore: the state of an Open
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
