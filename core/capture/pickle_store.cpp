#include "core/capture/pickle_store.h"

#include <algorithm>

namespace highwater::capture {

Value PickleStore::open(Kind kind) {
    slots_.emplace_back(kind, 0);
    return {Kind::Open, slots_.size() - 1};
}

Value PickleStore::tuple(std::span<const Value> items) {
    std::vector<Value> complete;
    complete.reserve(items.size());
    for (const Value item : items) {
        complete.push_back(settled(item));
    }
    return reducer_.list(complete);
}

Value PickleStore::integer(std::int64_t value) {
    if (Value::fits(value)) {
        return Value::integer(value);
    }
    big_.push_back(static_cast<std::uint64_t>(value));
    return {Kind::Big, big_.size() - 1};
}

Value PickleStore::unsignedInteger(std::uint64_t value) {
    if (value >> 63 == 0) {
        return integer(static_cast<std::int64_t>(value));
    }
    big_.push_back(value);
    return {Kind::Unsigned, big_.size() - 1};
}

bool PickleStore::extend(Value target, std::span<const Value> items) {
    return add(target, Kind::GrowingList, items);
}

bool PickleStore::assign(Value target, std::span<const Value> items) {
    return add(target, Kind::GrowingDictionary, items);
}

bool PickleStore::add(Value target, Kind kind, std::span<const Value> items) {
    if (!target.is(Kind::Open) || !slots_[target.payload()].is(kind)) {
        return false;
    }
    if (items.empty()) {
        return true;
    }
    if (slots_[target.payload()].payload() == 0) {
        if (idle_.empty()) {
            growing_.emplace_back();
            idle_.push_back(static_cast<std::uint32_t>(growing_.size() - 1));
        }
        slots_[target.payload()] = {kind, std::uint64_t{idle_.back()} + 1};
        idle_.pop_back();
    }
    const std::size_t at = slots_[target.payload()].payload() - 1;
    std::vector<Value>& gathered = growing_[at];
    for (const Value item : items) {
        gathered.push_back(settled(item));
    }
    held_ += items.size();
    // A list that contains itself is complete by now.
    return slots_[target.payload()].is(kind);
}

Value PickleStore::settled(Value value) {
    if (!value.is(Kind::Open)) {
        return value;
    }
    const Value now = slots_[value.payload()];
    if (!now.is(Kind::GrowingList) && !now.is(Kind::GrowingDictionary)) {
        return now;
    }
    return slots_[value.payload()] = settle(now);
}

Value PickleStore::settle(Value growing) {
    const bool list = growing.is(Kind::GrowingList);
    std::vector<Value> none;
    if (growing.payload() == 0) {
        return list ? reducer_.list(none) : reducer_.dictionary(none);
    }
    const auto number = static_cast<std::uint32_t>(growing.payload() - 1);
    std::vector<Value>& items = growing_[number];
    held_ -= std::min(held_, items.size());
    const Value made = list ? reducer_.list(items) : reducer_.dictionary(items);
    items.clear();
    idle_.push_back(number);
    return made;
}

std::optional<std::int64_t> PickleStore::integerOf(Value value) const {
    if (value.is(Kind::Integer)) {
        return value.number();
    }
    if (value.is(Kind::Big)) {
        return static_cast<std::int64_t>(big_[value.payload()]);
    }
    return {};
}

std::optional<std::uint64_t> PickleStore::addressOf(Value value) const {
    if (value.is(Kind::Unsigned)) {
        return big_[value.payload()];
    }
    if (const auto number = integerOf(value)) {
        return static_cast<std::uint64_t>(*number);
    }
    return {};
}

std::size_t PickleStore::bytes() const {
    return slots_.capacity() * sizeof(Value) + growing_.capacity() * sizeof(growing_[0]) +
           idle_.capacity() * sizeof(idle_[0]) + held_ * sizeof(Value) + big_.capacity() * sizeof(big_[0]) +
           reducer_.bytes();
}

}  // namespace highwater::capture
