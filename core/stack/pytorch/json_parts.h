#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/json_reader.h"

/// Accesses parts of an untrusted document: invalid values are treated as missing. Private to
/// core/stack/pytorch.
namespace highwater::stack::pytorch {

/// The members of a list, empty for anything else.
inline const base::Json& listOf(const base::Json* value) {
    static const base::Json none = base::Json::array();
    return value && value->is_array() ? *value : none;
}

/// Null if the member is missing or null.
inline const base::Json* find(const base::Json& object, const char* key) {
    const auto at = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && at != object.end() && !at->is_null() ? &*at : nullptr;
}

/// A union has one member: returns its key and value.
inline std::pair<std::string_view, const base::Json*> member(const base::Json& json) {
    if (json.is_object()) {
        for (auto at = json.begin(); at != json.end(); ++at) {
            if (!at->is_null()) {
                return {at.key(), &*at};
            }
        }
    }
    return {"", nullptr};
}

/// Empty if it is not a text.
inline std::string textAt(const base::Json& object, const char* key) {
    const base::Json* value = find(object, key);
    return value && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace highwater::stack::pytorch
