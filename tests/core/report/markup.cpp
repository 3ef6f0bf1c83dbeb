#include "tests/core/report/markup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace highwater::report {
namespace {

std::string faultInTag(std::string_view tag) {
    bool quoted = false;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        if (tag[i] == '"') {
            quoted = !quoted;
        }
        if (!quoted && tag[i] == '=' && (i + 1 == tag.size() || tag[i + 1] != '"')) {
            return "unquoted attribute in <" + std::string(tag) + ">";
        }
    }
    return quoted ? "open quote in <" + std::string(tag) + ">" : "";
}

/// Whether `property` has that color: "fill:rgb(31.37%,49.8%,90.98%)" in a style, as written by Cairo 1.16,
/// or "fill=\"rgb(31.37%, 49.8%, 90.98%)\"", an attribute, as written by 1.18.
bool isColor(std::string_view tag, std::string_view property, std::uint32_t rgb) {
    std::size_t at = tag.find(std::string(property) + ":rgb(");
    if (at == std::string_view::npos) {
        at = tag.find(std::string(property) + "=\"rgb(");
    }
    if (at == std::string_view::npos) {
        return false;
    }
    std::string_view rest = tag.substr(tag.find('(', at) + 1);
    for (const int shift : {16, 8, 0}) {
        double percent = 0;
        rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
        const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), percent).ptr;
        if (std::lround(percent * 2.55) != static_cast<long>(rgb >> shift & 255)) {
            return false;
        }
        rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(end - rest.data()) + 2));
    }
    return true;
}

std::vector<PathPoint> points(std::string_view d) {
    std::vector<PathPoint> out;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < d.size();) {
        double value = 0;
        const auto [end, error] = std::from_chars(d.data() + i, d.data() + d.size(), value);
        if (error == std::errc()) {
            numbers.push_back(value);
            i = static_cast<std::size_t>(end - d.data());
        } else {
            ++i;
        }
    }
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        out.push_back({numbers[i], numbers[i + 1]});
    }
    return out;
}

std::vector<std::vector<PathPoint>> paths(std::string_view svg, std::string_view property,
                                          std::uint32_t rgb) {
    std::vector<std::vector<PathPoint>> found;
    for (std::size_t at = svg.find("<path"); at != std::string_view::npos; at = svg.find("<path", at + 1)) {
        const std::string_view tag = svg.substr(at, svg.find('>', at) - at);
        const std::size_t d = tag.find(" d=\"");
        if (isColor(tag, property, rgb) && d != std::string_view::npos) {
            found.push_back(points(tag.substr(d + 4, tag.find('"', d + 4) - d - 4)));
        }
    }
    return found;
}

}  // namespace

std::string xmlFault(std::string_view text) {
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
        const std::size_t end = text.find('>', at);
        if (end == std::string_view::npos) {
            return "unclosed tag";
        }
        std::string_view tag = text.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag.empty() || tag.front() == '?' || tag.front() == '!') {
            continue;
        }
        if (tag.front() == '/') {
            if (open.empty() || open.back() != tag.substr(1)) {
                return "</" + std::string(tag.substr(1)) + "> closes nothing";
            }
            open.pop_back();
            continue;
        }
        if (const std::string fault = faultInTag(tag); !fault.empty()) {
            return fault;
        }
        if (tag.back() != '/') {
            open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
        }
    }
    return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

std::vector<std::vector<PathPoint>> filledPaths(std::string_view svg, std::uint32_t rgb) {
    return paths(svg, "fill", rgb);
}

std::vector<std::vector<PathPoint>> strokedPaths(std::string_view svg, std::uint32_t rgb) {
    return paths(svg, "stroke", rgb);
}

std::vector<std::string> attributeValues(std::string_view text, std::string_view name) {
    std::vector<std::string> values;
    const std::string key = " " + std::string(name) + "=\"";
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const std::size_t start = at + key.size();
        values.emplace_back(text.substr(start, text.find('"', start) - start));
    }
    return values;
}

int count(std::string_view text, std::string_view what) {
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size())) {
        ++n;
    }
    return n;
}

}  // namespace highwater::report
