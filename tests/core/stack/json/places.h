#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace highwater::stack::testing {

/// Every place of a document, as a JSON Pointer.
template <typename Document>
void places(const Document& json, const typename Document::json_pointer& at,
            std::vector<typename Document::json_pointer>& all) {
    all.push_back(at);
    if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            places(value, at / key, all);
        }
    }
    if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            places(json[i], at / i, all);
        }
    }
}

}  // namespace highwater::stack::testing
