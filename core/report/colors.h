#pragma once

#include <array>
#include <cstdint>

/// The colors of Highwater as 0xRRGGBB numbers, so that a color means the same in the window and in a
/// report. Within a palette the numbers of `text`, `muted`, `grid`, `paper`, the lines, categories and phases
/// are all different: a report turns each into a CSS variable.
namespace highwater::report {

using Rgb = std::uint32_t;

struct Palette {
    Rgb paper, panel, text, muted, grid;
    Rgb accent, good, warning, bad;
    std::array<Rgb, 7> category;  ///< indexed by memory::Category: input, parameters, optimizer state,
                                  ///< gradients, activations, workspace, temporaries
    std::array<Rgb, 5> phase;     ///< data, forward, recompute, backward, optimizer
    std::array<Rgb, 5> device;    ///< parts of a GPU's memory: rounding, split, cache, context, others
    std::array<Rgb, 6> series;    ///< lines of several runs in one chart
};

inline constexpr Palette kLight = {
    .paper = 0xffffff,
    .panel = 0xf5f6f9,
    .text = 0x1b1f26,
    .muted = 0x626b7a,
    .grid = 0xd9dde4,
    .accent = 0x1a66d6,
    .good = 0x1f8a4c,
    .warning = 0xa86400,
    .bad = 0xcf3030,
    .category = {0x7f8798, 0x6f9c45, 0x2c9a8b, 0xa857cb, 0x4f7fe8, 0xd27f1f, 0xe9c23f},
    .phase = {0x9aa3b2, 0x5b8def, 0xe0a458, 0xc678dd, 0x56b6a6},
    .device = {0xe39aae, 0xc4627f, 0x8b4a63, 0x5a7688, 0x9db0bc},
    .series = {0x2563c9, 0xc2571a, 0x0f8f6e, 0x8f3fb5, 0xb08900, 0x5a6270},
};

inline constexpr Palette kDark = {
    .paper = 0x1a1d23,
    .panel = 0x252932,
    .text = 0xe6e8ec,
    .muted = 0x9aa3b0,
    .grid = 0x363c47,
    .accent = 0x4c9dff,
    .good = 0x4cc27c,
    .warning = 0xf0b13c,
    .bad = 0xff6b6b,
    .category = {0x9aa0ad, 0x8db861, 0x45ab9b, 0xbd78dc, 0x5b8df1, 0xe39a44, 0xf0d264},
    .phase = {0x8f98a8, 0x6398f5, 0xe4ae66, 0xcb84e0, 0x60bfaf},
    .device = {0xe9a9ba, 0xcf7390, 0x965670, 0x6b8ba0, 0x4c6272},
    .series = {0x6aa5ff, 0xf08c4c, 0x3fc49b, 0xc98ae8, 0xe0bd45, 0xa7afbd},
};

}  // namespace highwater::report
