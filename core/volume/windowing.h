#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/volume/statistics.h"
#include "core/volume/volume.h"

namespace highwater::volume {

/// The range of real values shown from black to white.
struct Window {
    double low = 0;
    double high = 1;  ///< > low
    double level() const { return (low + high) / 2; }
    double width() const { return high - low; }
    static Window fromLevel(double level, double width) { return {level - width / 2, level + width / 2}; }
    bool operator==(const Window&) const = default;
};

struct WindowPreset {
    std::string_view id;    ///< "ct-bone"
    std::string_view name;  ///< "CT bone"
    Window window;          ///< unused if fromPercentiles
    bool fromPercentiles = false;
    bool fullRange = false;  ///< from the smallest value to the largest; `window` is unused
};

/// Returns "ct-soft-tissue", "ct-brain", "ct-bone", "ct-lung", "mr" (1st percentile to the 99.5th of the
/// foreground), "full" (all values).
std::span<const WindowPreset> windowPresets();

/// Returns the window of a preset for a volume. Errors name the known ids.
base::Result<Window> presetWindow(std::string_view id, const Histogram& histogram);

/// Whether the values look like Hounsfield units: the minimum is at most -900 (air is near -1000), the
/// maximum from 200 to below 40000.
bool looksLikeCt(const Header& header);
/// Returns the initial window: CT soft tissue for CT, otherwise "mr".
Window defaultWindow(const Header& header, const Histogram& histogram);

/// Returns 0 at or below low, 255 at or above high, linear in between; 0 for NaN.
std::uint8_t toGray(double value, const Window& window);

}  // namespace highwater::volume
