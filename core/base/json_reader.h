#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

using Json = nlohmann::ordered_json;

/// Parses JSON text. `name` (a file's name) starts the error: "a.json: line 3, column 7: ...". Refuses
/// nesting deeper than 200 and duplicate keys.
Result<Json> parseJson(std::string_view text, std::string_view name);
/// Parses a file, whose path names it in errors. Errors as readFile and parseJson.
Result<Json> readJson(const std::filesystem::path& path, Bytes most = 64 * kMiB);

/// NaN and infinities have no JSON form: null.
Json numberOrNull(double value);

/// Reads one JSON object strictly: typed getters with defaults, then finish() refuses every key that was not
/// asked for. The first error is kept; getters after it return their defaults, so that reading code stays
/// flat. Errors name the field by JSON Pointer: "/stack/3/kernel_size: must be a number or a list of numbers,
/// not a string".
class JsonReader {
public:
    /// `where` is the JSON Pointer of `object` ("" for the document).
    JsonReader(const Json& object, std::string where);

    bool has(std::string_view key);
    std::string text(std::string_view key, const std::optional<std::string>& fallback = {});
    bool boolean(std::string_view key, std::optional<bool> fallback = {});
    std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high,
                         std::optional<std::int64_t> fallback = {});
    double number(std::string_view key, double low, double high, std::optional<double> fallback = {});
    /// One of `words`, as its index.
    std::size_t choice(std::string_view key, std::initializer_list<std::string_view> words,
                       std::optional<std::size_t> fallback = {});
    /// A number (one element) or a non-empty list of at most `most` numbers.
    std::vector<std::int64_t> integers(std::string_view key, std::int64_t low, std::int64_t high,
                                       std::size_t most,
                                       const std::optional<std::vector<std::int64_t>>& fallback = {});
    /// The raw value, marked as known; null where absent.
    const Json* raw(std::string_view key);
    /// The JSON Pointer of a key of this object.
    std::string pointer(std::string_view key) const;

    /// Records an error at a key ("" for the object itself); only the first is kept.
    void fail(std::string_view key, std::string_view message);
    void failAt(std::string_view message);
    bool failed() const { return error_.has_value(); }
    /// The first error, or a refusal of an unknown key (naming the nearest known one), or success. A misspelt
    /// key is named before the key that is missing because of it.
    Status finish();

private:
    const Json* find(std::string_view key);
    void missing(std::string_view key, std::string_view needed);
    std::optional<std::string> unknownKey() const;
    const Json& object_;
    std::string where_;
    std::set<std::string, std::less<>> known_;
    std::optional<Error> error_;
    bool missing_ = false;  // the error is that a key is missing
};

}  // namespace highwater::base
