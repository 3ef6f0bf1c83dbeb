#include "core/predict/fit/transfers.h"

#include <algorithm>
#include <cstddef>

namespace highwater::predict {

namespace {

/// Sets the times of operators that wait; the others already have theirs.
void addWaits(const Walk& walk, double bytesPerMs, base::Millis TimeEstimate::* end,
              std::vector<TimeEstimate>& times) {
    std::vector<base::Millis> ends(walk.transfers.size());
    base::Millis now = 0, toHost = 0, toDevice = 0;  // toHost, toDevice: the time from which the link is free
    std::size_t next = 0;
    for (std::size_t i = 0; i < walk.ops.size(); ++i) {
        for (; next < walk.transfers.size() && walk.transfers[next].op == i; ++next) {
            base::Millis& free = walk.transfers[next].toHost ? toHost : toDevice;
            free = std::max(free, now) + static_cast<double>(walk.transfers[next].bytes) / bytesPerMs;
            ends[next] = free;
        }
        if (const std::int32_t awaited = walk.ops[i].transfer; awaited >= 0) {
            const base::Millis wait = std::max(0.0, ends[static_cast<std::size_t>(awaited)] - now);
            times[i].*end = wait * walk.ops[i].repeats;
        }
        now += times[i].*end;
    }
}

}  // namespace

void addWaits(const Walk& walk, const Target& target, std::vector<TimeEstimate>& times) {
    if (walk.transfers.empty()) {
        return;
    }
    const double known = target.gpu ? target.gpu->hostBytesPerSecond : 0;
    const double rate = (known > 0 ? known : kUnknownHostLink) / 1e3;
    addWaits(walk, rate * kHostLink.high, &TimeEstimate::low, times);
    addWaits(walk, rate * kHostLink.expected, &TimeEstimate::expected, times);
    addWaits(walk, rate * kHostLink.low, &TimeEstimate::high, times);
}

base::Bytes mostOnHost(const Walk& walk) {
    base::Bytes now = 0, most = 0;
    for (const WalkTransfer& each : walk.transfers) {
        now += each.toHost ? each.bytes : -each.bytes;
        most = std::max(most, now);
    }
    return most;
}

}  // namespace highwater::predict
