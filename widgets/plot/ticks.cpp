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

struct ByteUnit {
    const char* name;
    double scale;
};

/// The unit in which a number of bytes is easiest to read.
ByteUnit byteUnit(double bytes) {
    static constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    double scale = 1;
    while (bytes / scale >= 1024 && unit + 1 < kUnits.size()) {
        scale *= 1024;
        ++unit;
    }
    return {kUnits[unit], scale};
}

bool isSpan(double from, double to) {
    return std::isfinite(from) && std::isfinite(to) && to > from;
}

/// Multiples of `step` within [from, to], written in units of `scale`.
void addMultiples(Ticks& out, double from, double to, double step, double scale) {
    out.step = step;
    for (double k = std::ceil(from / step - 1e-9); k * step <= to + step * 1e-9; ++k) {
        out.ticks.push_back({std::clamp(k == 0 ? 0 : k * step, from, to), number(k * step / scale)});
    }
}

std::string powerLabel(double value, Measure measure) {
    if (measure != Measure::Bytes) {
        return number(value);
    }
    const ByteUnit unit = byteUnit(value);
    return fmt::format("{} {}", number(value / unit.scale), unit.name);
}

Ticks powerTicks(const AxisSpan& span, Measure measure, int most) {
    Ticks out{{}, measure == Measure::Millis ? "ms" : ""};
    const double base = measure == Measure::Bytes ? 2 : 10;
    const double low = std::log(span.from) / std::log(base), high = std::log(span.to) / std::log(base);
    const double every = std::max(1.0, std::ceil((high - low) / std::max(1, most) - 1e-9));
    const bool fine = measure != Measure::Bytes && (high - low) * 3 <= most;
    for (double e = std::floor(low / every) * every; e <= high + 1e-9; e += every) {
        for (const double factor : fine ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
            const double at = factor * std::pow(base, e);
            if (at >= span.from * (1 - 1e-9) && at <= span.to * (1 + 1e-9)) {
                out.ticks.push_back({at, powerLabel(at, measure)});
            }
        }
    }
    return out;
}

}  // namespace

int ticksIn(double height, double apart, int least) {
    constexpr double kLabel = 18;
    const int room = std::clamp(static_cast<int>(height / kLabel), 1, least);
    return std::max(room, static_cast<int>(height / apart));
}

double AxisSpan::part(double value) const {
    return log ? std::log(std::max(value, 1e-300) / from) / std::log(to / from)
               : (value - from) / (to - from);
}

double AxisSpan::at(double part) const {
    return log ? from * std::pow(to / from, part) : from + part * (to - from);
}

AxisSpan AxisSpan::zoomed(double part, double factor) const {
    return {at(part - part / factor), at(part + (1 - part) / factor), log};
}

AxisSpan AxisSpan::moved(double parts) const {
    return {at(parts), at(1 + parts), log};
}

Ticks axisTicks(const AxisSpan& span, Measure measure, int most) {
    if (span.log && isSpan(span.from, span.to)) {
        if (Ticks powers = powerTicks(span, measure, most); powers.ticks.size() > 1) {
            return powers;
        }
    }
    return measure == Measure::Bytes    ? binaryTicks(span.from, span.to, most)
           : measure == Measure::Millis ? timeTicks(span.from, span.to, most)
                                        : roundTicks(span.from, span.to, most);
}

Ticks roundTicks(double from, double to, int most) {
    Ticks out;
    if (isSpan(from, to)) {
        addMultiples(out, from, to, base::roundStep((to - from) / std::max(1, most)), 1);
    }
    return out;
}

Ticks binaryTicks(double upper, int most) {
    return binaryTicks(0, upper, most);
}

Ticks binaryTicks(double from, double upper, int most) {
    Ticks out{{}, "B"};
    if (!isSpan(from, upper)) {
        return out;
    }
    const ByteUnit unit = byteUnit(upper);
    out.unit = unit.name;
    const double step = std::exp2(std::ceil(std::log2((upper - from) / std::max(1, most)) - 1e-9));
    addMultiples(out, from, upper, unit.scale == 1 ? std::max(step, 1.0) : step, unit.scale);
    return out;
}

Ticks timeTicks(double from, double to, int most) {
    Ticks out{{}, "ms"};
    if (!isSpan(from, to)) {
        return out;
    }
    double scale = 1;
    const double largest = std::max(std::abs(from), std::abs(to));
    if (largest >= 600e3) {
        scale = 60e3, out.unit = "min";
    } else if (largest >= 10e3) {
        scale = 1e3, out.unit = "s";
    }
    addMultiples(out, from, to, base::roundStep((to - from) / scale / std::max(1, most)) * scale, scale);
    return out;
}

Ticks stepTicks(double from, double to, int most, double least) {
    Ticks out;
    if (!isSpan(from, to)) {
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
