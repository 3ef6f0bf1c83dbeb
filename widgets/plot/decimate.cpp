#include "widgets/plot/decimate.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

struct Pixel {
    std::size_t first = 0, last = 0, low = 0, high = 0;
};

void take(std::vector<std::size_t>& out, const Pixel& p) {
    std::size_t four[] = {p.first, p.low, p.high, p.last};
    std::sort(std::begin(four), std::end(four));
    for (const std::size_t i : four) {
        if (out.empty() || out.back() != i) {
            out.push_back(i);
        }
    }
}

void takeAll(std::vector<std::size_t>& out, std::span<const double> y, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        if (std::isfinite(y[i])) {
            out.push_back(i);
        }
    }
}

void takeByPixel(std::vector<std::size_t>& out, std::span<const double> x, std::span<const double> y,
                 std::size_t begin, std::size_t end, double from, double pixelsPerUnit, int pixels) {
    Pixel pixel;
    int current = -1;
    for (std::size_t i = begin; i < end; ++i) {
        if (!std::isfinite(y[i])) {
            continue;
        }
        const int at = std::clamp(static_cast<int>((x[i] - from) * pixelsPerUnit), 0, pixels - 1);
        if (at != current) {
            if (current >= 0) {
                take(out, pixel);
            }
            current = at;
            pixel = {i, i, i, i};
            continue;
        }
        pixel.last = i;
        if (y[i] < y[pixel.low]) {
            pixel.low = i;
        }
        if (y[i] > y[pixel.high]) {
            pixel.high = i;
        }
    }
    if (current >= 0) {
        take(out, pixel);
    }
}

}  // namespace

std::vector<std::size_t> decimateMinMax(std::span<const double> x, std::span<const double> y, double from,
                                        double to, int pixels) {
    std::vector<std::size_t> out;
    const std::size_t n = std::min(x.size(), y.size());
    if (n == 0 || pixels <= 0 || !(to > from)) {
        return out;
    }
    const auto first = x.begin();
    const auto last = x.begin() + static_cast<std::ptrdiff_t>(n);
    const auto begin = static_cast<std::size_t>(std::lower_bound(first, last, from) - first);
    const auto end = static_cast<std::size_t>(std::upper_bound(first, last, to) - first);

    std::size_t before = begin;
    while (before > 0 && !std::isfinite(y[before - 1])) {
        --before;
    }
    if (before > 0) {
        out.push_back(before - 1);
    }
    if (end - begin <= static_cast<std::size_t>(pixels) * 2) {
        takeAll(out, y, begin, end);
    } else {
        takeByPixel(out, x, y, begin, end, from, pixels / (to - from), pixels);
    }
    std::size_t after = end;
    while (after < n && !std::isfinite(y[after])) {
        ++after;
    }
    if (after < n) {
        out.push_back(after);
    }
    return out;
}

long long stepsPerBar(double visibleSteps, int pixels, double leastPixels) {
    if (!(visibleSteps > 0) || pixels <= 0) {
        return 1;
    }
    long long steps = 1;
    while (steps < (1LL << 40) && pixels * static_cast<double>(steps) / visibleSteps < leastPixels) {
        steps *= 2;
    }
    return steps;
}

}  // namespace highwater::widgets
