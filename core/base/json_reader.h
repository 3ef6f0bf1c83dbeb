#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

class MemoryBudget;
using Json = nlohmann::ordered_json;

/// Parses JSON text in linear time. Errors begin with `name` (a file's name): "a.json: line 3, column 7:
/// ...". Error if the nesting is deeper than 200, a key occurs twice in one object, or the values take more
/// memory than `budget` has; the default budget is that of a file as long as the text.
Result<Json> parseJson(std::string_view text, std::string_view name);
Result<Json> parseJson(std::string_view text, std::string_view name, MemoryBudget& budget);
/// Parses a file; errors begin with its path. Errors as readFile and parseJson.
Result<Json> readJson(const std::filesystem::path& path, Bytes most = 64 * kMiB);

/// A value as text, on one line or indented; invalid UTF-8, as in names of files, is replaced.
std::string jsonText(const Json& value, int indent = -1);
/// Writes a value atomically, indented. It is on disk when this returns.
Status writeJson(const std::filesystem::path& path, const Json& value, int indent = 2);

/// The approximate memory of a value.
std::size_t memoryOf(const Json& value);

/// NaN and infinities have no JSON form and become null.
Json numberOrNull(double value);

/// Reads one JSON object strictly: first typed getters with defaults, then finish(), which refuses every key
/// that no getter asked for. Only the first error is kept. Getters called after an error return their
/// defaults, so the calling code needs no checks in between. Errors name the field by its JSON Pointer:
/// "/stack/3/kernel_size: must be a number or a list of numbers, not a string".
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
    /// Returns the index of the value in `words`.
    std::size_t choice(std::string_view key, std::span<const std::string_view> words,
                       std::optional<std::size_t> fallback = {});
    std::size_t choice(std::string_view key, std::initializer_list<std::string_view> words,
                       std::optional<std::size_t> fallback = {}) {
        return choice(key, std::span(words.begin(), words.size()), fallback);
    }
    /// Accepts one number (returned as one element) or a non-empty list of at most `most` numbers.
    std::vector<std::int64_t> integers(std::string_view key, std::int64_t low, std::int64_t high,
                                       std::size_t most,
                                       const std::optional<std::vector<std::int64_t>>& fallback = {});
    /// Returns the unparsed value and counts the key as known. Returns nullptr if the key is absent.
    const Json* raw(std::string_view key);
    using ReadObject = std::function<void(JsonReader&)>;
    /// Reads the object at `key` and finishes its reader; its error becomes this reader's.
    void object(std::string_view key, const ReadObject& read);
    /// The same; does nothing and returns false if the key is absent.
    bool objectIfAny(std::string_view key, const ReadObject& read);
    /// Calls `read(entry, "key/0")` for the entries of a list of at most `most`, up to the first error.
    using ReadEntry = std::function<void(const Json& entry, const std::string& key)>;
    void list(std::string_view key, std::size_t most, const ReadEntry& read);
    void objects(std::string_view key, std::size_t most, const ReadObject& read);
    std::vector<std::string> texts(std::string_view key, std::size_t most);
    /// The values themselves; `key` may lead further, "figures/3". After an error, nothing.
    void objectOf(const Json& value, std::string_view key, const ReadObject& read);
    std::optional<std::string> textOf(const Json& value, std::string_view key);
    std::optional<bool> booleanOf(const Json& value, std::string_view key);
    std::optional<std::int64_t> integerOf(const Json& value, std::string_view key, std::int64_t low,
                                          std::int64_t high);
    std::optional<double> numberOf(const Json& value, std::string_view key, double low, double high);
    void listOf(const Json& value, std::string_view key, std::size_t most, const ReadEntry& read);
    /// Lets finish() accept keys that no getter asked for.
    void acceptAnyKey() { anyKey_ = true; }
    /// Returns the JSON Pointer of a key of this object.
    std::string pointer(std::string_view key) const;

    /// Records an error at a key ("" for the object itself); only the first is kept.
    void fail(std::string_view key, std::string_view message);
    void failAt(std::string_view message);
    void missing(std::string_view key, std::string_view needed);
    bool failed() const { return error_.has_value(); }
    /// Returns the first error; otherwise an error for the first unknown key, naming the nearest known one;
    /// otherwise success. If the first error is a missing key and an unknown key looks like a misspelling of
    /// a known one, the misspelled key is reported instead.
    Status finish();

private:
    const Json* find(std::string_view key);
    std::optional<std::string> unknownKey() const;
    const Json& object_;
    std::string where_;
    std::set<std::string, std::less<>> known_;
    std::optional<Error> error_;
    bool missing_ = false;  // error_ reports a missing key
    bool anyKey_ = false;
};

}  // namespace highwater::base
