#include "core/hosts/pace.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"

namespace highwater::hosts {

Pace paceWith(const char* haste) {
    constexpr int kMost = 20;
    const std::string_view text = haste ? haste : "";
    int divisor = 1;
    Pace pace;
    if (!base::readNumber(text, divisor) || divisor < 1 || divisor > kMost) {
        return pace;
    }
    for (Pace::Time* time : {&pace.greeting, &pace.beat, &pace.silence, &pace.silenceAtHost, &pace.firstPause,
                             &pace.longestPause}) {
        *time /= divisor;
    }
    for (int* seconds : {&pace.connectSeconds, &pace.aliveSeconds}) {
        *seconds = std::max(1, *seconds / divisor);
    }
    return pace;
}

const Pace& pace() {
    static const Pace pace = paceWith(std::getenv("HIGHWATER_TEST_HASTE"));
    return pace;
}

}  // namespace highwater::hosts
