#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/json_exchange.h"
#include "core/base/text.h"

/// Files that hold one structure as JSON, which is read strictly.
namespace highwater::base {

/// Reads the fields of a structure (json_exchange.h) as JsonReader does: a key that no field asked for is an
/// error, and so is null.
class JsonFileIn {
public:
    static constexpr bool kReads = true;
    explicit JsonFileIn(JsonReader& reader) : reader_(reader) {}

    template <class T, class Bounds = Whole>
    void operator()(std::string_view key, T& value, Bounds bounds = {}) {
        const Json* const given = reader_.raw(key);
        if constexpr (exchanged::kIsOptional<T>) {
            if (given) {
                take(*given, key, value.emplace(), bounds);
            }
        } else if (given) {
            take(*given, key, value, bounds);
        } else {
            reader_.missing(key, kNeeded<T>);
        }
    }
    template <class T, class Bounds = Whole>
    void unless(const T& usual, std::string_view key, T& value, Bounds bounds = {}) {
        value = usual;
        olderWithout(key, value, bounds);
    }
    template <class T, class Bounds = Whole>
    void olderWithout(std::string_view key, T& value, Bounds bounds = {}) {
        if (const Json* const given = reader_.raw(key)) {
            take(*given, key, value, bounds);
        }
    }
    /// Its key is known.
    template <class T>
    void derived(std::string_view key, const T&) {
        reader_.raw(key);
    }
    /// Null is NaN, and so is a field that is not there.
    void orNull(std::string_view key, double& value) {
        const Json* const given = reader_.raw(key);
        value = std::numeric_limits<double>::quiet_NaN();
        if (given && !given->is_null()) {
            take(*given, key, value, Real());
        }
    }
    template <class F>
    void group(std::string_view key, F fields) {
        reader_.object(key, inside(fields));
    }
    template <class F>
    void optionalGroup(std::string_view key, F fields) {
        reader_.objectIfAny(key, inside(fields));
    }
    template <class F>
    void groupOrNull(std::string_view key, bool, F fields) {
        if (const Json* const given = reader_.raw(key); given && !given->is_null()) {
            reader_.objectOf(*given, key, inside(fields));
        }
    }
    void pair(std::string_view key, double& first, double& second);
    void format(std::string_view key, std::string_view name);
    void anyFormat(std::string_view key, std::string_view) { reader_.text(key); }
    template <class E>
    void word(std::string_view key, E& value, std::string_view (*)(E),
              std::optional<E> (*known)(std::string_view), std::string_view wrong) {
        const auto found = known(reader_.text(key));
        check(found.has_value(), key, wrong);
        value = found.value_or(value);
    }
    template <class E>
    void choice(std::string_view key, E& value, std::span<const std::string_view> words) {
        value = static_cast<E>(reader_.choice(key, words));
    }
    template <class E>
    void choiceUnless(E usual, std::string_view key, E& value, std::span<const std::string_view> words) {
        value = static_cast<E>(reader_.choice(key, words, static_cast<std::size_t>(usual)));
    }
    template <class T, class Bounds = Whole>
    void list(std::string_view key, std::vector<T>& values, std::size_t most, Bounds bounds = {}) {
        reader_.list(key, most, [&](const Json& each, const std::string& at) {
            take(each, at, values.emplace_back(), bounds);
        });
    }
    void line(std::string_view key, std::string& text, std::size_t most) {
        text = oneLine(reader_.text(key, ""), most);
    }
    void check(bool good, std::string_view key, std::string_view what) {
        if (!good) {
            reader_.fail(key, what);
        }
    }
    bool has(std::string_view key) const { return reader_.has(key); }
    bool failed() const { return reader_.failed(); }
    void acceptAnyKey() { reader_.acceptAnyKey(); }

private:
    template <class T>
    static constexpr std::string_view kNeeded = std::is_same_v<T, bool>                   ? "true or false"
                                                : std::is_integral_v<T>                   ? "a whole number"
                                                : std::is_floating_point_v<T>             ? "a number"
                                                : std::is_same_v<T, Json>                 ? "a value"
                                                : exchanged::kIsList<T>                   ? "a list"
                                                : std::is_constructible_v<T, std::string> ? "text"
                                                                                          : "an object";
    template <class F>
    static auto inside(F& fields) {
        return [&fields](JsonReader& reader) {
            JsonFileIn way(reader);
            fields(way);
        };
    }
    template <class T, class Bounds>
    void take(const Json& value, std::string_view key, T& into, Bounds bounds) {
        if constexpr (std::is_same_v<T, Json>) {
            into = value;
        } else if constexpr (std::is_same_v<T, bool>) {
            into = reader_.booleanOf(value, key).value_or(into);
        } else if constexpr (std::is_integral_v<T>) {
            constexpr auto kMost = static_cast<std::int64_t>(
                std::min<std::uint64_t>(std::numeric_limits<T>::max(), Whole().high));
            const std::int64_t most = std::min(bounds.high, kMost);
            into = static_cast<T>(reader_.integerOf(value, key, bounds.low, most).value_or(bounds.low));
        } else if constexpr (std::is_floating_point_v<T>) {
            Real range;
            if constexpr (std::is_same_v<Bounds, Real>) {
                range = bounds;
            }
            into = reader_.numberOf(value, key, range.low, range.high).value_or(into);
        } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
            into = reader_.textOf(value, key).value_or("");
        } else if constexpr (exchanged::kIsList<T>) {
            takeList(value, key, into, bounds);
        } else if constexpr (exchanged::kIsMap<T>) {
            reader_.objectOf(value, key, [&](JsonReader& inner) {
                JsonFileIn way(inner);
                for (const auto& [name, each] : value.items()) {
                    way(name, into[name], bounds);
                }
            });
        } else {
            reader_.objectOf(value, key, [&](JsonReader& inner) {
                JsonFileIn way(inner);
                exchange(way, into);
            });
        }
    }
    template <class T, class Bounds>
    void takeList(const Json& value, std::string_view key, std::vector<T>& into, Bounds bounds) {
        reader_.listOf(
            value, key, std::numeric_limits<std::size_t>::max(),
            [&](const Json& each, const std::string& at) { take(each, at, into.emplace_back(), bounds); });
    }
    template <class T, std::size_t n, class Bounds>
    void takeList(const Json& value, std::string_view key, std::array<T, n>& into, Bounds bounds) {
        check(value.is_array() && value.size() == n, key, "must be a list of " + std::to_string(n));
        for (std::size_t i = 0; i < n && !failed(); ++i) {
            take(value[i], std::string(key) + "/" + std::to_string(i), into[i], bounds);
        }
    }
    JsonReader& reader_;
};

/// Reads a structure from a JSON object at the JSON Pointer `where`.
template <class T>
Result<T> fromJson(const Json& json, std::string where = "") {
    JsonReader reader(json, std::move(where));
    T value;
    if (!reader.failed()) {
        JsonFileIn way(reader);
        exchange(way, value);
    }
    const Status status = reader.finish();
    return status ? Result<T>(std::move(value)) : status.error();
}

/// Reads a structure from a file; errors begin with its path.
template <class T>
Result<T> fromJsonFile(const std::filesystem::path& path, Bytes most = 64 * kMiB) {
    const auto json = HIGHWATER_TRY(readJson(path, most));
    auto value = fromJson<T>(json);
    return value ? std::move(value) : Error{path.string() + ": " + value.error().message};
}

}  // namespace highwater::base
