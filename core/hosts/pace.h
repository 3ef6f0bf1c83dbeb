#pragma once

#include <chrono>

namespace highwater::hosts {

/// How long the two ends of a connection wait for each other. $HIGHWATER_TEST_HASTE divides the times by a
/// whole number from 1 to 20: a test sets it at both ends to see in seconds what takes a user a minute.
struct Pace {
    using Time = std::chrono::milliseconds;
    Time greeting{60'000};       ///< longest wait for highwater-host's first answer
    Time beat{5'000};            ///< highwater-host sends a sign of life this often, and gets an answer
    Time silence{25'000};        ///< after that much without anything from the host, the link is down
    Time silenceAtHost{60'000};  ///< the same as the host sees it
    Time firstPause{1'000};      ///< before a new attempt to connect; doubled after each
    Time longestPause{30'000};
    int connectSeconds = 15;  ///< ssh's ConnectTimeout
    int aliveSeconds = 5;     ///< ssh's ServerAliveInterval
};

/// `haste` as in the environment: null or anything but such a number changes nothing.
Pace paceWith(const char* haste);
/// This process's, as it was started.
const Pace& pace();

}  // namespace highwater::hosts
