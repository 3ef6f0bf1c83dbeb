#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace highwater::cli {

/// contract: exit codes.
inline constexpr int kDone = 0, kBadInput = 2, kOutOfMemory = 3, kEngineFailed = 4, kInterrupted = 130;

/// Prints one line on stderr; returns `exit`, for `return complain(...)`.
int complain(std::string_view message, int exit = kBadInput);
/// Prints one JSON object on stdout.
void printJson(const nlohmann::ordered_json& json);
/// A name and its value, under others.
void printRow(std::string_view name, const std::string& value);
/// The time for the head of a report, "2026-11-22 14:20 UTC".
std::string readableNow();
/// Text in columns; the first row is the head. Columns in `right` (by index) are right-aligned.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right);

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
