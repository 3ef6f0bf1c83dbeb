#include "core/volume/windowing.h"

#include <fmt/format.h>

#include <cmath>

namespace highwater::volume {
namespace {

constexpr std::array kPresets{
    WindowPreset{"ct-soft-tissue", "CT soft tissue", {-160, 240}},
    WindowPreset{"ct-brain", "CT brain", {-20, 90}},
    WindowPreset{"ct-bone", "CT bone", {-500, 1500}},
    WindowPreset{"ct-lung", "CT lung", {-1350, 150}},
    WindowPreset{"mr", "MR default", {}, true},
    WindowPreset{"full", "Full range", {}, false, true},
};

Window fullWindow(const Histogram& histogram) {
    return {histogram.low, histogram.high > histogram.low ? histogram.high : histogram.low + 1};
}

/// The 1st to 99.5th percentile of the foreground values.
Window percentileWindow(const Histogram& histogram) {
    Histogram foreground = histogram;
    const double threshold = histogram.otsu();
    for (std::size_t bin = 0; bin < foreground.counts.size(); ++bin) {
        if (foreground.low + static_cast<double>(bin + 1) * foreground.binWidth() <= threshold) {
            foreground.finite -= foreground.counts[bin];
            foreground.counts[bin] = 0;
        }
    }
    const double low = histogram.percentile(0.01);
    const double high = foreground.percentile(0.995);
    return high > low ? Window{low, high} : fullWindow(histogram);
}

}  // namespace

std::span<const WindowPreset> windowPresets() {
    return kPresets;
}

base::Result<Window> presetWindow(std::string_view id, const Histogram& histogram) {
    std::string known;
    for (const WindowPreset& preset : kPresets) {
        if (preset.id == id) {
            return preset.fromPercentiles ? percentileWindow(histogram)
                   : preset.fullRange     ? fullWindow(histogram)
                                          : preset.window;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.id);
    }
    return base::Error{fmt::format("there is no window preset \"{}\"; there are {}", id, known)};
}

bool looksLikeCt(const Header& header) {
    return header.min <= -900 && header.max >= 200 && header.max < 40000;
}

Window defaultWindow(const Header& header, const Histogram& histogram) {
    return looksLikeCt(header) ? kPresets[0].window : percentileWindow(histogram);
}

std::uint8_t toGray(double value, const Window& window) {
    if (!(value > window.low)) {
        return 0;
    }
    if (value >= window.high) {
        return 255;
    }
    return static_cast<std::uint8_t>(std::lround((value - window.low) / (window.high - window.low) * 255));
}

}  // namespace highwater::volume
