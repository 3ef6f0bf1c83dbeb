#include "app/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/id.h"
#include "core/base/text.h"

namespace highwater::cli {

namespace {

/// Columns on screen: the number of code points, which is right for the text that is printed here.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

int complain(std::string_view message, int exit) {
    fmt::print(stderr, "highwater-cli: {}\n", base::oneLine(message, 5000));
    return exit;
}

void printJson(const nlohmann::ordered_json& json) {
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    std::fflush(stdout);
}

void printRow(std::string_view name, const std::string& value) {
    fmt::print("  {:<18}{}\n", name, value);
}

std::string readableNow() {
    const std::string iso = base::isoNow();
    return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths.resize(std::max(widths.size(), c + 1));
            widths[c] = std::max(widths[c], width(row[c]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - width(row[c]), ' ');
            const bool flush = std::find(right.begin(), right.end(), c) != right.end();
            line += (c ? "  " : "") + (flush ? space + row[c] : row[c] + space);
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

StatusLine::StatusLine() : terminal_(::isatty(STDERR_FILENO) != 0) {}
StatusLine::~StatusLine() {
    clear();
}

void StatusLine::show(std::string_view text) {
    if (!terminal_) {
        return;
    }
    fmt::print(stderr, "\r\x1b[K{}", base::oneLine(text, 160));
    std::fflush(stderr);
    shown_ = true;
}

void StatusLine::clear() {
    if (std::exchange(shown_, false)) {
        fmt::print(stderr, "\r\x1b[K");
    }
}

}  // namespace highwater::cli
