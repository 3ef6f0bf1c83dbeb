#include "core/base/json_exchange.h"

#include <fmt/format.h>

#include "core/base/json_file.h"
#include "core/base/text.h"

namespace highwater::base {

JsonIn::JsonIn(const Json& object, std::string where, std::string* error)
    : object_(object), where_(std::move(where)), error_(error != nullptr ? error : &own_) {
    if (!object.is_object()) {
        fail("", "must be an object");
    }
}

const Json* JsonIn::find(std::string_view key) {
    const auto found = object_.find(std::string(key));
    if (found != object_.end()) {
        return &*found;
    }
    fail(key, "is missing");
    return nullptr;
}

bool JsonIn::has(std::string_view key) const {
    const auto found = object_.find(std::string(key));
    return found != object_.end() && !found->is_null();
}

void JsonIn::fail(std::string_view key, std::string_view what) {
    if (error_->empty()) {
        *error_ = oneLine(fmt::format("{}{}{}: {}", where_, key.empty() ? "" : "/", key, what));
    }
}

void JsonIn::take(const Json& value, std::string_view key, bool& into, Whole) {
    if (value.is_boolean()) {
        into = value.get<bool>();
    } else {
        fail(key, "must be true or false");
    }
}

void JsonIn::take(const Json& value, std::string_view key, std::string& into, Whole) {
    if (value.is_string()) {
        into = value.get<std::string>();
    } else {
        fail(key, "must be text");
    }
}

void JsonIn::take(const Json& value, std::string_view key, double& into, Whole) {
    if (value.is_number() || value.is_null()) {
        into = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    } else {
        fail(key, "must be a number or null");
    }
}

void JsonIn::take(const Json& value, std::string_view key, exchanged::Texts& into, Whole) {
    if (!value.is_object()) {
        return fail(key, "must be an object");
    }
    for (const auto& [name, text] : value.items()) {
        take(text, std::string(key) + "/" + name, into[name], {});
    }
}

std::int64_t JsonIn::whole(const Json& value, std::string_view key, Whole bounds) {
    if (value.is_number_integer()) {
        const bool fits = !value.is_number_unsigned() ||
                          value.get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        const auto number = value.get<std::int64_t>();
        if (fits && number >= bounds.low && number <= bounds.high) {
            return number;
        }
    }
    fail(key, fmt::format("must be a whole number from {} to {}", bounds.low, bounds.high));
    return bounds.low;
}

void JsonIn::pair(std::string_view key, double& first, double& second) {
    const Json* const found = find(key);
    if (found == nullptr || !found->is_array() || found->size() != 2) {
        return fail(key, "must be a list of 2");
    }
    take((*found)[0], key, first, {});
    take((*found)[1], key, second, {});
}

void JsonFileIn::pair(std::string_view key, double& first, double& second) {
    const Json* const given = reader_.raw(key);
    const bool two = given && given->is_array() && given->size() == 2;
    check(two, key, "must be a list of two numbers");
    if (two) {
        take((*given)[0], key, first, Real());
        take((*given)[1], key, second, Real());
    }
}

void JsonFileIn::format(std::string_view key, std::string_view name) {
    const std::string given = reader_.text(key);
    if (!failed() && given != name) {
        reader_.fail(key, fmt::format("must be \"{}\", not \"{}\"", name, oneLine(given, 60)));
    }
}

}  // namespace highwater::base
