#include "core/base/markdown.h"

#include "core/base/text.h"

namespace highwater::base {

std::string markdownText(std::string_view text) {
    constexpr std::size_t kLongest = 10000;
    std::string out;
    for (const char c : oneLine(text, kLongest)) {
        if (std::string_view("|<*_`\\").find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

}  // namespace highwater::base
