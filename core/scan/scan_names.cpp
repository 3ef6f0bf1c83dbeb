#include "core/scan/scan_names.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace highwater::scan {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// Returns the digits that begin at `at`, without leading zeros, and moves `at` past them.
std::string_view number(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') {
        ++at;
    }
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) {
        ++at;
    }
    return text.substr(begin, at - begin);
}

}  // namespace

std::string scanSuffix(std::string_view name) {
    static constexpr std::array<std::string_view, 12> kSuffixes{".nii.gz", ".hdr.gz", ".img.gz", ".nii",
                                                                ".hdr",    ".img",    ".nrrd",   ".nhdr",
                                                                ".mha",    ".mhd",    ".mgh",    ".mgz"};
    const std::string small = base::lowered(name);
    for (std::string_view suffix : kSuffixes) {
        if (small.size() > suffix.size() && small.ends_with(suffix)) {
            return std::string(suffix);
        }
    }
    return {};
}

std::optional<std::string> scanStem(std::string_view name) {
    const std::string suffix = scanSuffix(name);
    return suffix.empty() ? std::nullopt
                          : std::optional<std::string>(name.substr(0, name.size() - suffix.size()));
}

bool looksLikeDicomName(std::string_view name) {
    const std::string small = base::lowered(name);
    return small.ends_with(".dcm") || small.ends_with(".dicom") || small.ends_with(".ima");
}

bool mayBeDicomName(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos || std::all_of(name.begin() + dot + 1, name.end(), isDigit);
}

bool naturalLess(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const std::string_view first = number(a, i), second = number(b, j);
            if (first.size() != second.size()) {
                return first.size() < second.size();
            }
            if (first != second) {
                return first < second;
            }
        } else if (a[i] != b[j]) {
            return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
        } else {
            ++i, ++j;
        }
    }
    const std::size_t restA = a.size() - i, restB = b.size() - j;
    return restA != restB ? restA < restB : a < b;  // "a01" and "a1" are the same number
}

}  // namespace highwater::scan
