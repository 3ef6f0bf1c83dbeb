#include "widgets/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/round_step.h"

namespace highwater::widgets {
namespace {

std::string number(double value) {
    const double rounded = std::abs(value) < 1e-9 ? 0.0 : value;
    return fmt::format("{:.6g}", rounded);
}

}  // namespace

Ticks binaryTicks(double upper, int most) {
    static constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    Ticks out{{}, "B"};
    if (!std::isfinite(upper) || upper <= 0) {
        return out;
    }
    std::size_t unit = 0;
    double scale = 1;
    while (upper / scale >= 1024 && unit + 1 < kUnits.size()) {
        scale *= 1024;
        ++unit;
    }
    out.unit = kUnits[unit];
    out.step = std::exp2(std::ceil(std::log2(upper / std::max(1, most)) - 1e-9));
    if (unit == 0) {
        out.step = std::max(out.step, 1.0);
    }
    for (double at = 0; at <= upper * (1 + 1e-9); at += out.step) {
        out.ticks.push_back({at, number(at / scale)});
    }
    return out;
}

Ticks timeTicks(double from, double to, int most) {
    Ticks out{{}, "ms"};
    if (!std::isfinite(from) || !std::isfinite(to) || to <= from) {
        return out;
    }
    double scale = 1;
    const double largest = std::max(std::abs(from), std::abs(to));
    if (largest >= 600e3) {
        scale = 60e3, out.unit = "min";
    } else if (largest >= 10e3) {
        scale = 1e3, out.unit = "s";
    }
    out.step = base::roundStep((to - from) / scale / std::max(1, most)) * scale;
    for (double k = std::ceil(from / out.step - 1e-9); k * out.step <= to + out.step * 1e-9; ++k) {
        out.ticks.push_back({k * out.step, number(k * out.step / scale)});
    }
    return out;
}

Ticks stepTicks(double from, double to, int most, double least) {
    Ticks out;
    if (!std::isfinite(from) || !std::isfinite(to) || to <= from) {
        return out;
    }
    out.step = std::max(1.0, base::roundStep((to - from) / std::max(1, most)));
    const auto add = [&out](double at) { out.ticks.push_back({at, fmt::format("{:.0f}", at)}); };
    if (least >= from && least <= to) {
        add(least);
    }
    for (double k = std::ceil(from / out.step - 1e-9); k * out.step <= to + 1e-9; ++k) {
        const double at = k * out.step;
        const bool crowded = least >= from && at - least < out.step * 0.5;
        if (at > least && !crowded) {
            add(at);
        }
    }
    if (least < from && !out.ticks.empty() && out.ticks.front().at < least) {
        out.ticks.erase(out.ticks.begin());
    }
    return out;
}

}  // namespace highwater::widgets
