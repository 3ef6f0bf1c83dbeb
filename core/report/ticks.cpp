#include "core/report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/round_step.h"

namespace highwater::report {
namespace {

std::string label(double value, double step) {
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    if (std::abs(value) >= 1e6 || (step < 1e-6)) {
        return fmt::format("{:.3g}", value);
    }
    return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals);
}

Ticks upFromZero(double most, double unit, std::string name, int wanted) {
    Ticks result{.ticks = {}, .unit = std::move(name)};
    const double step = base::roundStep(most / unit / wanted);
    const int count = std::max(1, static_cast<int>(std::ceil(most / unit / step - 1e-9)));
    for (int i = 0; i <= count; ++i) {
        result.ticks.push_back({i * step * unit, label(i * step, step)});
    }
    result.top = count * step * unit;
    return result;
}

}  // namespace

Ticks byteTicks(double most, int wanted) {
    constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    most = std::max(1.0, most);
    std::size_t i = 0;
    double unit = 1;
    for (; i + 1 < kUnits.size() && most >= unit * 1024; ++i) {
        unit *= 1024;
    }
    return upFromZero(most, unit, kUnits[i], wanted);
}

Ticks timeTicks(double mostMs, int wanted) {
    if (!(mostMs > 0) || !std::isfinite(mostMs)) {
        mostMs = 1;
    }
    return mostMs < 10'000 ? upFromZero(mostMs, 1, "ms", wanted) : upFromZero(mostMs, 1000, "s", wanted);
}

Ticks numberTicks(double low, double high, int wanted) {
    if (!(high > low)) {
        high = low + std::max(1e-3, std::abs(low) * 0.1);
    }
    const double step = base::roundStep((high - low) / wanted);
    Ticks result;
    const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
    for (double i = first; i <= last; ++i) {
        result.ticks.push_back({i * step, label(i * step, step)});
    }
    result.bottom = first * step;
    result.top = last * step;
    return result;
}

Ticks countTicks(int first, int last, int wanted, int warmup) {
    Ticks result;
    result.bottom = first;
    result.top = last;
    if (last <= warmup) {
        result.ticks.push_back({static_cast<double>(first), fmt::format("warm-up {}", first)});
        return result;
    }
    const int step = std::max(
        1, static_cast<int>(base::roundStep(std::max(1, last - first) / static_cast<double>(wanted))));
    const long from = std::max(1, first - warmup);
    result.ticks.push_back({static_cast<double>(from + warmup), fmt::format("step {}", from)});
    for (long at = (from / step + 1) * step; at + warmup <= last; at += step) {
        if (at - from >= (step + 1) / 2) {
            result.ticks.push_back({static_cast<double>(at + warmup), fmt::format("{}", at)});
        }
    }
    return result;
}

}  // namespace highwater::report
