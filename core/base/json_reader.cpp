#include "core/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace highwater::base {

namespace {

constexpr std::size_t kLongestMessage = 5000;  // a path may have 4096 bytes, and the reason follows it

std::string_view kindOf(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::object:
            return "an object";
        case Json::value_t::array:
            return "a list";
        case Json::value_t::string:
            return "text";
        case Json::value_t::boolean:
            return "true or false";
        default:
            return "a number";
    }
}

}  // namespace

Json numberOrNull(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

JsonReader::JsonReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) {
        fail("", fmt::format("must be an object, not {}", kindOf(object)));
    }
}

std::string JsonReader::pointer(std::string_view key) const {
    return key.empty() ? (where_.empty() ? "the document" : where_) : fmt::format("{}/{}", where_, key);
}

void JsonReader::fail(std::string_view key, std::string_view message) {
    failAt(fmt::format("{}: {}", pointer(key), message));
}

void JsonReader::failAt(std::string_view message) {
    if (!error_) {
        error_ = Error{oneLine(message, kLongestMessage)};
    }
}

void JsonReader::missing(std::string_view key, std::string_view needed) {
    missing_ = missing_ || !error_;
    fail(key, fmt::format("is missing; {} is needed", needed));
}

const Json* JsonReader::find(std::string_view key) {
    known_.emplace(key);
    if (!object_.is_object()) {
        return nullptr;
    }
    const auto at = object_.find(std::string(key));
    return at == object_.end() ? nullptr : &*at;
}

bool JsonReader::has(std::string_view key) {
    return find(key) != nullptr;
}
const Json* JsonReader::raw(std::string_view key) {
    return find(key);
}

void JsonReader::objectOf(const Json& value, std::string_view key, const ReadObject& read) {
    JsonReader inner(value, pointer(key));
    if (!inner.failed()) {
        read(inner);
    }
    if (const Status status = inner.finish(); !status) {
        failAt(status.error().message);
    }
}

bool JsonReader::objectIfAny(std::string_view key, const ReadObject& read) {
    const Json* value = find(key);
    if (value) {
        objectOf(*value, key, read);
    }
    return value != nullptr;
}

void JsonReader::object(std::string_view key, const ReadObject& read) {
    if (!objectIfAny(key, read)) {
        missing(key, "an object");
    }
}

void JsonReader::listOf(const Json& value, std::string_view key, std::size_t most, const ReadEntry& read) {
    if (!value.is_array()) {
        return fail(key, fmt::format("must be a list, not {}", kindOf(value)));
    }
    if (value.size() > most) {
        return fail(key, fmt::format("has {} entries; at most {} are read", value.size(), most));
    }
    for (std::size_t i = 0; i < value.size() && !failed(); ++i) {
        read(value[i], fmt::format("{}/{}", key, i));
    }
}

void JsonReader::list(std::string_view key, std::size_t most, const ReadEntry& read) {
    const Json* value = find(key);
    value ? listOf(*value, key, most, read) : missing(key, "a list");
}

void JsonReader::objects(std::string_view key, std::size_t most, const ReadObject& read) {
    list(key, most, [&](const Json& value, const std::string& at) { objectOf(value, at, read); });
}

std::vector<std::string> JsonReader::texts(std::string_view key, std::size_t most) {
    std::vector<std::string> texts;
    list(key, most,
         [&](const Json& value, const std::string& at) { texts.push_back(textOf(value, at).value_or("")); });
    return texts;
}

std::optional<std::string> JsonReader::textOf(const Json& value, std::string_view key) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    fail(key, fmt::format("must be text, not {}", kindOf(value)));
    return {};
}

std::string JsonReader::text(std::string_view key, const std::optional<std::string>& fallback) {
    const Json* value = find(key);
    if (!value && !fallback) {
        missing(key, "text");
    }
    const auto text = value ? textOf(*value, key) : fallback;
    return text.value_or(fallback.value_or(""));
}

std::optional<bool> JsonReader::booleanOf(const Json& value, std::string_view key) {
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    fail(key, fmt::format("must be true or false, not {}", kindOf(value)));
    return {};
}

bool JsonReader::boolean(std::string_view key, std::optional<bool> fallback) {
    const Json* value = find(key);
    if (!value && !fallback) {
        missing(key, "true or false");
    }
    return (value ? booleanOf(*value, key) : fallback).value_or(fallback.value_or(false));
}

namespace {

/// Returns the whole number in a JSON value (2 and 2.0 alike). Error if it is not one, or lies outside [low,
/// high].
Result<std::int64_t> wholeNumber(const Json& value, std::int64_t low, std::int64_t high) {
    const Error range{high == std::numeric_limits<std::int64_t>::max()
                          ? fmt::format("must be a whole number of at least {}", low)
                          : fmt::format("must be a whole number from {} to {}", low, high)};
    if (!value.is_number()) {
        return Error{fmt::format("{}, not {}", range.message, kindOf(value))};
    }
    const auto outside = [&](const std::string& shown) {
        return Error{fmt::format("{}, not {}", range.message, shown)};
    };
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        return outside(value.dump());
    }
    if (value.is_number_float()) {
        const double d = value.get<double>();
        if (!(std::fabs(d) < 9e15) || d != std::floor(d)) {
            return outside(value.dump());
        }
    }
    const auto whole = value.get<std::int64_t>();
    return whole < low || whole > high ? Result<std::int64_t>(outside(value.dump())) : whole;
}

}  // namespace

std::optional<std::int64_t> JsonReader::integerOf(const Json& value, std::string_view key, std::int64_t low,
                                                  std::int64_t high) {
    const auto whole = wholeNumber(value, low, high);
    if (whole) {
        return *whole;
    }
    fail(key, whole.error().message);
    return {};
}

std::int64_t JsonReader::integer(std::string_view key, std::int64_t low, std::int64_t high,
                                 std::optional<std::int64_t> fallback) {
    const Json* value = find(key);
    if (!value && !fallback) {
        missing(key, "a whole number");
    }
    return (value ? integerOf(*value, key, low, high) : fallback).value_or(fallback.value_or(low));
}

std::optional<double> JsonReader::numberOf(const Json& value, std::string_view key, double low, double high) {
    const double d = value.is_number() ? value.get<double>() : 0;
    if (!value.is_number()) {
        fail(key, fmt::format("must be a number, not {}", kindOf(value)));
    } else if (!(d >= low && d <= high)) {
        fail(key, std::isinf(high)
                      ? fmt::format("must be a number of at least {}, not {}", low, value.dump())
                      : fmt::format("must be a number from {} to {}, not {}", low, high, value.dump()));
    } else {
        return d;
    }
    return {};
}

double JsonReader::number(std::string_view key, double low, double high, std::optional<double> fallback) {
    const Json* value = find(key);
    if (!value && !fallback) {
        missing(key, "a number");
    }
    return (value ? numberOf(*value, key, low, high) : fallback).value_or(fallback.value_or(low));
}

std::size_t JsonReader::choice(std::string_view key, std::span<const std::string_view> words,
                               std::optional<std::size_t> fallback) {
    const Json* value = find(key);
    const auto listed = [&] { return fmt::format("\"{}\"", fmt::join(words, "\", \"")); };
    if (!value) {
        if (!fallback) {
            missing(key, "one of " + listed());
        }
        return fallback.value_or(0);
    }
    if (value->is_string()) {
        const auto at = std::find(words.begin(), words.end(), value->get_ref<const std::string&>());
        if (at != words.end()) {
            return static_cast<std::size_t>(at - words.begin());
        }
    }
    fail(key, fmt::format("must be one of {}, not {}", listed(),
                          value->is_string() ? "\"" + oneLine(value->get<std::string>(), 40) + "\""
                                             : std::string(kindOf(*value))));
    return fallback.value_or(0);
}

std::vector<std::int64_t> JsonReader::integers(std::string_view key, std::int64_t low, std::int64_t high,
                                               std::size_t most,
                                               const std::optional<std::vector<std::int64_t>>& fallback) {
    const auto otherwise = [&] { return fallback.value_or(std::vector<std::int64_t>{low}); };
    const Json* value = find(key);
    if (!value) {
        if (!fallback) {
            missing(key, "a number or a list of numbers");
        }
        return otherwise();
    }
    if (value->is_array() && (value->empty() || value->size() > most)) {
        fail(key,
             fmt::format("must be one number or a list of 1 to {} numbers, not of {}", most, value->size()));
        return otherwise();
    }
    if (!value->is_array() && !value->is_number()) {
        fail(key, fmt::format("must be a number or a list of numbers, not {}", kindOf(*value)));
        return otherwise();
    }
    std::vector<std::int64_t> numbers;
    const auto take = [&](const Json& item) {
        const auto whole = wholeNumber(item, low, high);
        if (!whole) {
            return fail(key, whole.error().message);
        }
        numbers.push_back(*whole);
    };
    if (value->is_array()) {
        for (const Json& item : *value) {
            take(item);
        }
    } else {
        take(*value);
    }
    return failed() ? otherwise() : numbers;
}

/// Returns the message about the first unknown key. If the first error is a missing key, only an unknown key
/// similar to a known one counts.
std::optional<std::string> JsonReader::unknownKey() const {
    const std::vector<std::string_view> words(known_.begin(), known_.end());
    for (const auto& [key, value] : object_.items()) {
        if (known_.contains(key)) {
            continue;
        }
        const std::string near = nearestWord(key, words);
        if (missing_ && near.empty()) {
            continue;
        }
        const std::string hint = near.empty() ? fmt::format("known are: {}", fmt::join(words, ", "))
                                              : fmt::format("did you mean \"{}\"?", near);
        return fmt::format("{}: unknown key \"{}\"; {}", pointer(""), oneLine(key, 60), hint);
    }
    return {};
}

Status JsonReader::finish() {
    if (object_.is_object() && !anyKey_ && (!error_ || missing_)) {
        if (const auto unknown = unknownKey()) {
            error_ = Error{oneLine(*unknown, kLongestMessage)};
        }
    }
    return error_ ? Status(*error_) : Status();
}

}  // namespace highwater::base
