#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/json_reader.h"

/// Reading and writing a structure as JSON from one list of its fields: a function beside the structure, in
/// its namespace,
///
///     template <class Way>
///     void exchange(Way& way, Exchanged<Way, Point>& point) {
///         way("x", point.x);
///         way("name", point.name);
///     }
///
/// JsonOut writes what it lists and JsonIn reads it, in the same order, under the same keys; so does
/// JsonFileIn (core/base/json_file.h), which has more kinds of fields. Fields are bool, whole numbers,
/// double, std::string, structures with an `exchange` of their own, and std::optional (left out where it is
/// empty), std::vector, std::array and std::map (by texts) of these; in files also paths and Json.
namespace highwater::base {

/// Bounds of whole numbers; those of a type where none are given: 0 to the most that it holds.
struct Whole {
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
};
inline constexpr Whole kIndex{0, std::numeric_limits<int>::max()};
inline constexpr Whole kIndexOrNone{-1, std::numeric_limits<int>::max()};  ///< -1: none
inline constexpr Whole kBytes{0, Bytes{1} << 60};  ///< so that a sum of seven cannot overflow
/// Bounds of a double.
struct Real {
    double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();
};

/// T to read into, const T to write.
template <class Way, class T>
using Exchanged = std::conditional_t<Way::kReads, T, const T>;

namespace exchanged {
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T, std::size_t n>
inline constexpr bool kIsList<std::array<T, n>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
using Texts = std::map<std::string, std::string>;
/// Written as one JSON value; the others are objects, with `exchange`.
template <class T>
inline constexpr bool kIsScalar =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Json>;
}  // namespace exchanged

/// Writes the fields of a structure into a JSON object. Numbers that are not finite become null.
class JsonOut {
public:
    static constexpr bool kReads = false;
    explicit JsonOut(Json& into) : into_(into) {}

    template <class T, class Bounds = Whole>
    void operator()(std::string_view key, const T& value, Bounds = {}) {
        if constexpr (exchanged::kIsOptional<T>) {
            if (value) {
                put(key, written(*value));
            }
        } else {
            put(key, written(value));
        }
    }
    /// A field that is left out where it equals `usual`, and that is `usual` where it is not there.
    template <class T, class Bounds = Whole>
    void unless(const T& usual, std::string_view key, const T& value, Bounds = {}) {
        if (!(value == usual)) {
            put(key, written(value));
        }
    }
    /// For readers of the JSON; it is not read back.
    template <class T>
    void derived(std::string_view key, const T& value) {
        put(key, value);
    }
    /// An enumerator by its word; `known` finds the enumerator of a word. `wrong`: what is said of others.
    template <class E>
    void word(std::string_view key, E value, std::string_view (*name)(E),
              std::optional<E> (*)(std::string_view), std::string_view = {}) {
        put(key, name(value));
    }
    /// Fields in an object of their own, which `fields(way)` lists.
    template <class F>
    void group(std::string_view key, F fields) {
        Json inner = Json::object();
        JsonOut way(inner);
        fields(way);
        put(key, std::move(inner));
    }
    /// The same, left out where none of its fields is written.
    template <class F>
    void optionalGroup(std::string_view key, F fields) {
        Json inner = Json::object();
        JsonOut way(inner);
        fields(way);
        if (!inner.empty()) {
            put(key, std::move(inner));
        }
    }
    /// A list of structures, each as the list of its fields' values.
    template <class T>
    void rows(std::string_view key, const std::vector<T>& values) {
        Json list = Json::array();
        for (const T& value : values) {
            Json row = Json::array(), fields = written(value);
            for (auto& field : fields.get_ref<Json::object_t&>()) {
                row.push_back(std::move(field.second));
            }
            list.push_back(std::move(row));
        }
        put(key, std::move(list));
    }
    /// The same, left out where there is none.
    template <class T>
    void rowsIfAny(std::string_view key, const std::vector<T>& values) {
        if (!values.empty()) {
            rows(key, values);
        }
    }
    /// A field that files of older versions do not have; it then has its default.
    template <class T, class Bounds = Whole>
    void olderWithout(std::string_view key, const T& value, Bounds = {}) {
        put(key, written(value));
    }
    void pair(std::string_view key, double first, double second) {
        put(key, Json::array({numberOrNull(first), numberOrNull(second)}));
    }
    /// The name of the format, the only text allowed there.
    void format(std::string_view key, std::string_view name) { put(key, name); }
    /// The same, of a format that is read whatever its version is.
    void anyFormat(std::string_view key, std::string_view name) { put(key, name); }
    /// An enumerator by its word in `words`, which has them in order.
    template <class E>
    void choice(std::string_view key, E value, std::span<const std::string_view> words) {
        put(key, words[static_cast<std::size_t>(value)]);
    }
    template <class E>
    void choiceUnless(E usual, std::string_view key, E value, std::span<const std::string_view> words) {
        if (value != usual) {
            choice(key, value, words);
        }
    }
    /// A list of at most `most` entries; `bounds` are those of each.
    template <class T, class Bounds = Whole>
    void list(std::string_view key, const std::vector<T>& values, std::size_t, Bounds = {}) {
        put(key, written(values));
    }
    /// A number that may be unknown.
    void orNull(std::string_view key, double value) { put(key, numberOrNull(value)); }
    /// A text that is made one line of at most `most` bytes, left out where it is empty.
    void line(std::string_view key, const std::string& text, std::size_t) {
        unless(std::string(), key, text);
    }
    /// A group that is null where it is not `given`, and then not read.
    template <class F>
    void groupOrNull(std::string_view key, bool given, F fields) {
        given ? group(key, fields) : put(key, nullptr);
    }
    /// A rule of what was read, `what`, which is broken if not `good`.
    void check(bool, std::string_view, std::string_view) {}
    void acceptAnyKey() {}

    template <class T>
    static Json written(const T& value) {
        if constexpr (std::is_floating_point_v<T>) {
            return numberOrNull(value);
        } else if constexpr (exchanged::kIsScalar<T>) {
            return value;
        } else if constexpr (exchanged::kIsList<T>) {
            Json list = Json::array();
            for (const auto& each : value) {
                list.push_back(written(each));
            }
            return list;
        } else if constexpr (exchanged::kIsMap<T>) {
            Json object = Json::object();
            for (const auto& [name, each] : value) {
                object.get_ref<Json::object_t&>().emplace_back(name, written(each));
            }
            return object;
        } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
            return value.string();
        } else {
            Json object = Json::object();
            JsonOut way(object);
            exchange(way, value);
            return object;
        }
    }

private:
    void put(std::string_view key, Json value) {
        into_.get_ref<Json::object_t&>().emplace_back(std::string(key),
                                                      std::move(value));  // [] looks through all
    }
    Json& into_;
};

/// Reads the fields of a structure from a JSON object. Only the first error is kept, with the JSON Pointer of
/// its field; fields that are read after it have any value that their type allows. Null reads as NaN. Keys
/// that no field asked for are allowed.
class JsonIn {
public:
    static constexpr bool kReads = true;
    /// `where` names `object` in errors.
    JsonIn(const Json& object, std::string where) : JsonIn(object, std::move(where), nullptr) {}

    template <class T>
    void operator()(std::string_view key, T& value, Whole bounds = {}) {
        if constexpr (exchanged::kIsOptional<T>) {
            if (has(key)) {
                (*this)(key, value.emplace(), bounds);
            }
        } else if (const Json* found = find(key)) {
            take(*found, key, value, bounds);
        }
    }
    template <class T>
    void unless(const T& usual, std::string_view key, T& value, Whole bounds = {}) {
        value = usual;
        if (has(key)) {
            (*this)(key, value, bounds);
        }
    }
    template <class T>
    void olderWithout(std::string_view key, T& value, Whole bounds = {}) {
        unless(T(), key, value, bounds);
    }
    template <class T>
    void derived(std::string_view, const T&) {}
    template <class E>
    void word(std::string_view key, E& value, std::string_view (*)(E),
              std::optional<E> (*known)(std::string_view)) {
        std::string text;
        (*this)(key, text);
        if (const auto found = known(text)) {
            value = *found;
        } else {
            fail(key, "has the unknown value \"" + text + "\"");
        }
    }
    template <class F>
    void group(std::string_view key, F fields) {
        if (const Json* found = find(key)) {
            JsonIn inner(*found, at(key), error_);
            fields(inner);
        }
    }
    template <class F>
    void optionalGroup(std::string_view key, F fields) {
        if (has(key)) {
            group(key, fields);
        }
    }
    template <class T>
    void rows(std::string_view key, std::vector<T>& values) {
        static const Json kNames = JsonOut::written(T());
        const Json* const found = find(key);
        if (found == nullptr || !found->is_array()) {
            return fail(key, "must be a list");
        }
        for (const Json& row : *found) {
            Json object = Json::object();
            if (row.is_array() && row.size() == kNames.size()) {
                std::size_t i = 0;
                for (const auto& [name, usual] : kNames.items()) {
                    object.get_ref<Json::object_t&>().emplace_back(name, row[i++]);
                }
            }
            JsonIn way(object, at(key), error_);
            exchange(way, values.emplace_back());
            if (failed()) {
                return;
            }
        }
    }
    template <class T>
    void rowsIfAny(std::string_view key, std::vector<T>& values) {
        if (has(key)) {
            rows(key, values);
        }
    }
    void pair(std::string_view key, double& first, double& second);

    /// Null counts as absent.
    bool has(std::string_view key) const;
    void fail(std::string_view key, std::string_view what);
    bool failed() const { return !error_->empty(); }
    Status finish() const { return failed() ? Status(Error{*error_}) : Status(); }

private:
    JsonIn(const Json& object, std::string where, std::string* error);
    const Json* find(std::string_view key);
    std::string at(std::string_view key) const { return where_ + "/" + std::string(key); }

    void take(const Json& value, std::string_view key, bool& into, Whole);
    void take(const Json& value, std::string_view key, std::string& into, Whole);
    void take(const Json& value, std::string_view key, double& into, Whole);
    void take(const Json& value, std::string_view key, exchanged::Texts& into, Whole);
    std::int64_t whole(const Json& value, std::string_view key, Whole bounds);
    template <class T>
    void take(const Json& value, std::string_view key, T& into, Whole bounds) {
        if constexpr (std::is_integral_v<T>) {
            bounds.high = std::min<std::int64_t>(bounds.high, std::numeric_limits<T>::max());
            into = static_cast<T>(whole(value, key, bounds));
        } else if constexpr (exchanged::kIsList<T>) {
            takeList(value, key, into, bounds);
        } else {
            JsonIn inner(value, at(key), error_);
            exchange(inner, into);
        }
    }
    template <class T>
    void takeList(const Json& value, std::string_view key, std::vector<T>& into, Whole bounds) {
        if (!value.is_array()) {
            return fail(key, "must be a list");
        }
        for (const Json& each : value) {
            if (failed()) {
                return;
            }
            const std::string place = std::string(key) + "/" + std::to_string(into.size());
            take(each, place, into.emplace_back(), bounds);
        }
    }
    template <class T, std::size_t n>
    void takeList(const Json& value, std::string_view key, std::array<T, n>& into, Whole bounds) {
        if (!value.is_array() || value.size() != n) {
            return fail(key, "must be a list of " + std::to_string(n));
        }
        for (std::size_t i = 0; i < n; ++i) {
            take(value[i], std::string(key) + "/" + std::to_string(i), into[i], bounds);
        }
    }

    const Json& object_;
    std::string where_;
    std::string own_;
    std::string* error_;  ///< of the outermost object
};

}  // namespace highwater::base
