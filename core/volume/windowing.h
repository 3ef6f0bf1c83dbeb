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
    Window window;          ///< unused where fromPercentiles
    bool fromPercentiles = false;
    bool fullRange = false;  ///< from the least value to the greatest; `window` is unused
};

/// "ct-soft-tissue", "ct-brain", "ct-bone", "ct-lung", "mr" (1st percentile to the 99.5th of the foreground),
/// "full" (all values).
std::span<const WindowPreset> windowPresets();

/// A preset for a volume. Errors name the known ids.
base::Result<Window> presetWindow(std::string_view id, const Histogram& histogram);

/// True where the values look like Hounsfield units: air near -1000 is there.
bool looksLikeCt(const Header& header);
/// The window to begin with: CT soft tissue for CT, else "mr".
Window defaultWindow(const Header& header, const Histogram& histogram);

/// 0 at or under low, 255 at or over high, linear between; NaN is 0.
std::uint8_t toGrey(double value, const Window& window);

}  // namespace highwater::volume
