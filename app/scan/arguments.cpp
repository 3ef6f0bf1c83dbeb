#include "app/scan/commands.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace highwater::scan {
namespace {

bool take(Arguments& arguments, std::string_view option, const std::string& value) {
    if (option == "--series") {
        arguments.series = value;
        return true;
    }
    return option == "--out-fd"          ? base::readNumber(value, arguments.outFd)
           : option == "--volume"        ? base::readNumber(value, arguments.volume)
           : option == "--slice"         ? base::readNumber(value, arguments.slice)
           : option == "--address-space" ? base::readNumber(value, arguments.addressSpace)
           : option == "--seed"          ? base::readNumber(value, arguments.seed)
                                         : false;
}

}  // namespace

std::optional<Arguments> parseArguments(const std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 4> kCommands{"read", "list", "header", "phantom"};
    if (words.size() < 3 || words[words.size() - 2] != "--" || words.size() % 2 == 0 ||
        std::find(kCommands.begin(), kCommands.end(), words.front()) == kCommands.end()) {
        return std::nullopt;
    }
    Arguments arguments;
    arguments.command = words.front();
    arguments.path = words.back();
    for (std::size_t at = 1; at + 2 < words.size(); at += 2) {
        if (!take(arguments, words[at], words[at + 1])) {
            return std::nullopt;
        }
    }
    return arguments;
}

}  // namespace highwater::scan
