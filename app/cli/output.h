#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"

namespace highwater::cli {

/// The command that the user types. In the Python package it is `highwatermark`, which calls this program.
#ifdef HIGHWATER_WHEEL
inline constexpr std::string_view kProgram = "highwatermark";
#else
inline constexpr std::string_view kProgram = "highwater-cli";
#endif
/// contract: exit codes.
inline constexpr int kDone = 0, kBadInput = 2, kOutOfMemory = 3, kEngineFailed = 4, kInterrupted = 130;

/// All output of the program goes through the functions below, so that no text from a file, a name or a host
/// can control the terminal. (Only the status line and the output of `export` and `manual` are printed
/// unchanged.)

/// Prints text of several lines, such as a table().
void printLines(std::string_view text, std::FILE* file = stdout);
/// The form in which printText() prints a value: text becomes one line.
template <class T>
auto printed(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return base::oneLine(value, std::string_view::npos);
    } else {
        return value;
    }
}
template <class Iterator, class Sentinel>
std::string printed(fmt::join_view<Iterator, Sentinel, char> values) {
    return printed(fmt::format("{}", std::move(values)));
}
template <class T>
using Printed = decltype(printed(std::declval<const T&>()));
/// As fmt::print, but each text among the values becomes one line.
template <class... T>
void printText(std::FILE* file, fmt::format_string<Printed<T>...> text, const T&... values) {
    printLines(fmt::format(text, printed(values)...), file);
}
template <class... T>
void printText(fmt::format_string<Printed<T>...> text, const T&... values) {
    printLines(fmt::format(text, printed(values)...));
}
/// Prints one line on stderr; returns `exit`, for `return complain(...)`.
int complain(std::string_view message, int exit = kBadInput);
/// The value of a Result; without one, its error is printed, and the enclosing function returns kBadInput.
#define HIGHWATER_TRY_OR_COMPLAIN(...) HIGHWATER_TRY_OR(complain(highwaterTried.error().message), __VA_ARGS__)
/// Prints one JSON value on stdout; on one line if `indent` is -1.
void printJson(const nlohmann::ordered_json& json, int indent = 2);
/// Prints text that already is JSON.
void printJsonText(std::string_view json);
/// Prints a name and its value, as a row of a list.
void printRow(std::string_view name, const std::string& value);
/// The time for the heading of a report, "2026-11-22 14:20 UTC".
std::string readableNow();
/// Text in columns, each cell on one line; the first row is the heading. Columns in `right` (by index) are
/// right-aligned.
std::string table(std::vector<std::vector<std::string>> rows, const std::vector<std::size_t>& right);

/// A status line on stderr that is overwritten by the next one, on a terminal only. The destructor clears it.
class StatusLine {
public:
    StatusLine();
    ~StatusLine();
    void show(std::string_view text);
    void clear();

private:
    bool terminal_;
    bool shown_ = false;
};

}  // namespace highwater::cli
