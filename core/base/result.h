#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace highwater::base {

/// An error as one line for the user: what is wrong and what would be right. No trailing newline.
struct Error {
    std::string message;
    bool operator==(const Error&) const = default;
};

/// An expected failure as a value: holds a T or an Error. Reading the wrong one is a programming error.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return assert(ok()), std::get<0>(state_); }
    const T& value() const& { return assert(ok()), std::get<0>(state_); }
    T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return assert(!ok()), std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit on purpose

    bool ok() const { return ok_; }
    explicit operator bool() const { return ok(); }
    void value() const { assert(ok()); }
    const Error& error() const { return assert(!ok()), error_; }

private:
    Error error_;
    bool ok_ = true;
};

using Status = Result<void>;

/// The result, or its error after "WHERE: ". Unchanged if `where` is empty.
template <class T>
Result<T> prefixed(std::string_view where, Result<T> result) {
    return result || where.empty() ? std::move(result)
                                   : Error{std::string(where) + ": " + result.error().message};
}

}  // namespace highwater::base

/// The value of a Result; without one, its Error is returned from the enclosing function:
///
///     const auto text = HIGHWATER_TRY(readFile(path));
///     HIGHWATER_TRY(checkAxes(text));  // a Status
#define HIGHWATER_TRY(...) HIGHWATER_TRY_OR(highwaterTried.error(), __VA_ARGS__)

/// The same, but the enclosing function returns `otherwise`, in which the Result is `highwaterTried`.
#define HIGHWATER_TRY_OR(otherwise, ...)   \
    ({                                     \
        auto highwaterTried = __VA_ARGS__; \
        if (!highwaterTried) {             \
            return otherwise;              \
        }                                  \
        std::move(highwaterTried).value(); \
    })
