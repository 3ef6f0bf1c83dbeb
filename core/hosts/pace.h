#pragma once

#include <chrono>

namespace highwater::hosts {

/// How long the two ends of a connection wait for each other. $HIGHWATER_TEST_HASTE divides the times by a
/// whole number from 1 to 20: a test sets it at both ends to shorten a minute to seconds.
struct Pace {
    using Time = std::chrono::milliseconds;
    Time greeting{60'000};       ///< longest wait for highwater-host's first answer
    Time beat{5'000};            ///< highwater-host sends a sign of life this often, which is answered
    Time silence{25'000};        ///< after this time without data from the host, the link is down
    Time silenceAtHost{60'000};  ///< the same, measured by the host
    Time firstPause{1'000};      ///< pause before a new attempt to connect; doubled after each
    Time longestPause{30'000};
    int connectSeconds = 15;  ///< ssh's ConnectTimeout
    int aliveSeconds = 5;     ///< ssh's ServerAliveInterval
};

/// `haste` is the environment's value: null or an invalid value changes nothing.
Pace paceWith(const char* haste);
/// The pace of this process, determined when it started.
const Pace& pace();

}  // namespace highwater::hosts
