#include <fmt/format.h>

#include <limits>

#include "core/base/text.h"
#include "core/wire/values_json.h"

namespace highwater::wire {

namespace {

constexpr Bytes kMostBytes = Bytes{1} << 60;
const Json kEmptyList = Json::array();
const Json kNothing = Json::object();

}  // namespace

Fields::Fields(const Json& object, std::string where, std::string& error)
    : object_(&object), where_(std::move(where)), error_(&error) {
    if (object.is_object()) {
        return;
    }
    fail("", "must be an object");
    object_ = &kNothing;
}

const Json* Fields::find(std::string_view key) {
    const auto at = object_->find(std::string(key));
    if (at != object_->end()) {
        return &*at;
    }
    fail(key, "is missing");
    return nullptr;
}

void Fields::fail(std::string_view key, std::string_view what) {
    if (error_->empty()) {
        *error_ = base::oneLine(fmt::format("{}{}{}: {}", where_, key.empty() ? "" : "/", key, what));
    }
}

bool Fields::has(std::string_view key) const {
    const auto at = object_->find(std::string(key));
    return at != object_->end() && !at->is_null();
}

std::string Fields::text(std::string_view key) {
    const Json* value = find(key);
    if (value && value->is_string()) {
        return value->get<std::string>();
    }
    fail(key, "must be text");
    return {};
}

bool Fields::boolean(std::string_view key) {
    const Json* value = find(key);
    if (value && value->is_boolean()) {
        return value->get<bool>();
    }
    fail(key, "must be true or false");
    return false;
}

std::int64_t Fields::integer(std::string_view key, std::int64_t low, std::int64_t high) {
    const Json* value = find(key);
    if (value && value->is_number_integer()) {
        const bool fits = !value->is_number_unsigned() ||
                          value->get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        const auto whole = value->get<std::int64_t>();
        if (fits && whole >= low && whole <= high) {
            return whole;
        }
    }
    fail(key, fmt::format("must be a whole number from {} to {}", low, high));
    return 0;
}

Bytes Fields::bytes(std::string_view key) {
    return integer(key, 0, kMostBytes);
}

int Fields::index(std::string_view key) {
    return static_cast<int>(integer(key, 0, std::numeric_limits<int>::max()));
}

double Fields::number(std::string_view key) {
    const Json* value = find(key);
    if (value && value->is_number()) {
        return value->get<double>();
    }
    if (value && value->is_null()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    fail(key, "must be a number or null");
    return 0;
}

Phase Fields::phase(std::string_view key) {
    const auto phase = phaseFromKey(text(key));
    if (!phase) {
        fail(key, "is no phase");
    }
    return phase.value_or(Phase::Setup);
}

RunStatus Fields::status(std::string_view key) {
    const auto status = statusFromKey(text(key));
    if (!status) {
        fail(key, "is no status");
    }
    return status.value_or(RunStatus::Failed);
}

const Json& Fields::list(std::string_view key) {
    const Json* value = find(key);
    if (value && value->is_array()) {
        return *value;
    }
    fail(key, "must be a list");
    return kEmptyList;
}

Fields Fields::object(std::string_view key) {
    const Json* value = find(key);
    return {value ? *value : kNothing, fmt::format("{}/{}", where_, key), *error_};
}

}  // namespace highwater::wire
