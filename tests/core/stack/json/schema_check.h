#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

/// A small validator for the JSON Schemas (draft 2020-12) in resources/schema. It supports the keywords used
/// there and throws on any other, so that a schema cannot contain unchecked rules.
namespace highwater::testing {

class SchemaCheck {
public:
    using Json = nlohmann::json;

    explicit SchemaCheck(std::filesystem::path folder = std::filesystem::path(HIGHWATER_SOURCE_DIR) /
                                                        "resources" / "schema")
        : folder_(std::move(folder)) {}

    /// Empty if `value` conforms to the schema in `file` ("event.json"), otherwise where and why not.
    std::string problem(const std::string& file, const Json& value) {
        return check({file, &load(file)}, value, "");
    }

    /// Throws if the schema uses an unknown keyword or a dangling reference.
    void walkAll(const std::string& file) { walk({file, &load(file)}); }

    const Json& load(const std::string& file) {
        auto found = files_.find(file);
        if (found == files_.end()) {
            std::ifstream in(folder_ / file);
            if (!in) {
                throw std::runtime_error("no schema " + file);
            }
            found = files_.emplace(file, Json::parse(in)).first;
        }
        return found->second;
    }

private:
    struct Schema {
        std::string file;
        const Json* json;
        Schema at(const Json& inner) const { return {file, &inner}; }
    };

    Schema resolve(const Schema& from, const std::string& reference) {
        const auto hash = reference.find('#');
        const std::string file = hash == 0 ? from.file : reference.substr(0, hash);
        const std::string pointer = hash == std::string::npos ? "" : reference.substr(hash + 1);
        return {file, &load(file).at(Json::json_pointer(pointer))};
    }

    void walk(const Schema& s) {
        static const std::set<std::string> annotations = {"$schema", "title", "description", "default"};
        static const std::set<std::string> plain = {"type",
                                                    "enum",
                                                    "const",
                                                    "required",
                                                    "minimum",
                                                    "maximum",
                                                    "exclusiveMinimum",
                                                    "exclusiveMaximum",
                                                    "minItems",
                                                    "maxItems",
                                                    "minLength",
                                                    "maxLength",
                                                    "pattern"};
        for (const auto& [key, value] : s.json->items()) {
            if (key == "$ref") {
                resolve(s, value);
            } else if (key == "properties" || key == "$defs") {
                for (const auto& inner : value) {
                    walk(s.at(inner));
                }
            } else if (key == "anyOf" || key == "allOf" || key == "prefixItems") {
                for (const auto& inner : value) {
                    walk(s.at(inner));
                }
            } else if (key == "items" || key == "not" ||
                       (key == "additionalProperties" && value.is_object())) {
                walk(s.at(value));
            } else if (key != "additionalProperties" && !annotations.contains(key) && !plain.contains(key)) {
                throw std::runtime_error(s.file + ": keyword " + key + " is not checked");
            }
        }
    }

    static bool isInteger(const Json& v) {
        return v.is_number_integer() || (v.is_number() && std::floor(v.get<double>()) == v.get<double>());
    }
    static bool hasType(const Json& v, const std::string& type) {
        return (type == "object" && v.is_object()) || (type == "array" && v.is_array()) ||
               (type == "string" && v.is_string()) || (type == "boolean" && v.is_boolean()) ||
               (type == "null" && v.is_null()) || (type == "number" && v.is_number()) ||
               (type == "integer" && isInteger(v));
    }

    std::string check(const Schema& s, const Json& v, const std::string& where) {
        const Json& j = *s.json;
        const auto bad = [&](const std::string& why) { return (where.empty() ? "/" : where) + ": " + why; };
        if (const auto r = j.find("$ref"); r != j.end()) {
            if (auto p = check(resolve(s, *r), v, where); !p.empty()) {
                return p;
            }
        }
        if (const auto t = j.find("type"); t != j.end()) {
            bool fits = false;
            for (const Json& one : t->is_array() ? *t : Json::array({*t})) {
                fits = fits || hasType(v, one);
            }
            if (!fits) {
                return bad("must be " + t->dump());
            }
        }
        if (const auto c = j.find("const"); c != j.end() && *c != v) {
            return bad("must be " + c->dump());
        }
        if (const auto e = j.find("enum"); e != j.end() && std::find(e->begin(), e->end(), v) == e->end()) {
            return bad("must be one of " + e->dump());
        }
        std::string found = checkCombined(s, v, where);
        if (found.empty() && v.is_number()) {
            found = checkNumber(j, v, bad);
        }
        if (found.empty() && v.is_string()) {
            found = checkText(j, v, bad);
        }
        if (found.empty() && v.is_array()) {
            found = checkList(s, v, where, bad);
        }
        if (found.empty() && v.is_object()) {
            found = checkObject(s, v, where, bad);
        }
        return found;
    }

    std::string checkCombined(const Schema& s, const Json& v, const std::string& where) {
        const Json& j = *s.json;
        for (const Json& inner : j.value("allOf", Json::array())) {
            if (auto p = check(s.at(inner), v, where); !p.empty()) {
                return p;
            }
        }
        if (const auto n = j.find("not"); n != j.end() && check(s.at(*n), v, where).empty()) {
            return where + ": must not fit " + n->dump();
        }
        const auto any = j.find("anyOf");
        if (any == j.end()) {
            return {};
        }
        std::string reasons;
        for (const Json& inner : *any) {
            const auto p = check(s.at(inner), v, where);
            if (p.empty()) {
                return {};
            }
            reasons += "; " + p;
        }
        return where + ": fits no alternative" + reasons.substr(0, 2000);
    }

    /// Wide enough for every 64-bit integer, signed or not.
    static long double real(const Json& v) {
        if (v.is_number_unsigned()) {
            return static_cast<long double>(v.get<std::uint64_t>());
        }
        return v.is_number_integer() ? static_cast<long double>(v.get<std::int64_t>()) : v.get<double>();
    }

    template <class Bad>
    static std::string checkNumber(const Json& j, const Json& v, const Bad& bad) {
        if (j.contains("minimum") && real(v) < real(j["minimum"])) {
            return bad("is below " + j["minimum"].dump());
        }
        if (j.contains("maximum") && real(v) > real(j["maximum"])) {
            return bad("is above " + j["maximum"].dump());
        }
        if (j.contains("exclusiveMinimum") && real(v) <= real(j["exclusiveMinimum"])) {
            return bad("is not above " + j["exclusiveMinimum"].dump());
        }
        if (j.contains("exclusiveMaximum") && real(v) >= real(j["exclusiveMaximum"])) {
            return bad("is not below " + j["exclusiveMaximum"].dump());
        }
        return {};
    }

    template <class Bad>
    static std::string checkText(const Json& j, const Json& v, const Bad& bad) {
        const std::string& text = v.get_ref<const std::string&>();
        if (text.size() < j.value("minLength", std::size_t{0})) {
            return bad("is too short");
        }
        if (text.size() > j.value("maxLength", text.size())) {
            return bad("is too long");
        }
        if (j.contains("pattern") && !std::regex_search(text, std::regex(j["pattern"].get<std::string>()))) {
            return bad("does not match " + j["pattern"].dump());
        }
        return {};
    }

    template <class Bad>
    std::string checkList(const Schema& s, const Json& v, const std::string& where, const Bad& bad) {
        const Json& j = *s.json;
        if (v.size() < j.value("minItems", std::size_t{0}) || v.size() > j.value("maxItems", v.size())) {
            return bad("has " + std::to_string(v.size()) + " items");
        }
        const Json first = j.value("prefixItems", Json::array());
        for (std::size_t i = 0; i < v.size(); ++i) {
            const std::string at = where + "/" + std::to_string(i);
            const Json* schema = i < first.size()      ? &j["prefixItems"][i]
                                 : j.contains("items") ? &j["items"]
                                                       : nullptr;
            if (schema) {
                if (auto p = check(s.at(*schema), v[i], at); !p.empty()) {
                    return p;
                }
            }
        }
        return {};
    }

    template <class Bad>
    std::string checkObject(const Schema& s, const Json& v, const std::string& where, const Bad& bad) {
        const Json& j = *s.json;
        for (const Json& key : j.value("required", Json::array())) {
            if (!v.contains(key.get<std::string>())) {
                return bad("lacks " + key.dump());
            }
        }
        for (const auto& [key, inner] : v.items()) {
            const std::string at = where + "/" + key;
            const auto properties = j.find("properties");
            if (properties != j.end() && properties->contains(key)) {
                if (auto p = check(s.at((*properties)[key]), inner, at); !p.empty()) {
                    return p;
                }
            } else if (const auto more = j.find("additionalProperties"); more != j.end()) {
                if (*more == false) {
                    return bad("does not know the key \"" + key + "\"");
                }
                if (more->is_object()) {
                    if (auto p = check(s.at(*more), inner, at); !p.empty()) {
                        return p;
                    }
                }
            }
        }
        return {};
    }

    std::filesystem::path folder_;
    std::map<std::string, Json> files_;
};

}  // namespace highwater::testing
