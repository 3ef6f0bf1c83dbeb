#include "app/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/id.h"
#include "core/base/json_reader.h"
#include "core/base/printable.h"
#include "core/base/text.h"

namespace highwater::cli {

namespace {

/// The width on screen in columns, as the number of code points, which is right for the text printed here.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// If writing to stderr fails, there is nowhere left to report it.
void putError(const std::string& text) {
    std::fputs(text.c_str(), stderr);
}

}  // namespace

void printLines(std::string_view text, std::FILE* file) {
    if (file == stderr) {
        putError(base::printable(text));
    } else {
        fmt::print(file, "{}", base::printable(text));
    }
}

int complain(std::string_view message, int exit) {
    printText(stderr, "{}: {}\n", kProgram, base::oneLine(message, 5000));
    return exit;
}

void printJson(const nlohmann::ordered_json& json, int indent) {
    printJsonText(base::jsonText(json, indent) + "\n");
    std::fflush(stdout);
}

void printJsonText(std::string_view json) {
    fmt::print("{}", base::printableJson(json));
}

void printRow(std::string_view name, const std::string& value) {
    printText("  {:<18}{}\n", name, value);
}

std::string readableNow() {
    const std::string iso = base::isoNow();
    return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

std::string table(std::vector<std::vector<std::string>> rows, const std::vector<std::size_t>& right) {
    std::vector<std::size_t> widths;
    for (auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            row[c] = base::oneLine(row[c], std::string::npos);
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
    putError("\r\x1b[K" + base::oneLine(text, 160));
    std::fflush(stderr);
    shown_ = true;
}

void StatusLine::clear() {
    if (std::exchange(shown_, false)) {
        putError("\r\x1b[K");
    }
}

}  // namespace highwater::cli
