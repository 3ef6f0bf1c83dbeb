#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/report/colors.h"

struct _cairo;

namespace highwater::report {

/// The fonts of a report, the first that is there, as Pango takes them.
inline constexpr const char* kFontFamilies = "Inter, Noto Sans, DejaVu Sans, sans-serif";
inline constexpr const char* kCodeFontFamilies = "DejaVu Sans Mono, monospace";

struct Point {
    double x = 0, y = 0;
    bool operator==(const Point&) const = default;
};

enum class Anchor { Start, Middle, End };

struct TextStyle {
    Rgb color = 0;
    double size = 12;  ///< pixels
    bool bold = false;
    Anchor anchor = Anchor::Start;
    double mostWidth = 0;  ///< longer text ends in "…"; 0: no limit
};

/// Drawing in pixels, y down. Coordinates are rounded to 1/8 pixel, which keeps SVG small.
class Canvas {
public:
    Canvas(_cairo* cairo, const Palette& palette) : cairo_(cairo), palette_(palette) {}
    const Palette& palette() const { return palette_; }

    void line(Point from, Point to, Rgb color, double width = 1, bool dashed = false);
    void polyline(std::span<const Point> points, Rgb color, double width);
    void polygon(std::span<const Point> points, Rgb color, double opacity = 1);
    void rectangle(double x, double y, double width, double height, Rgb color, double opacity = 1);
    void frame(double x, double y, double width, double height, Rgb color, double lineWidth);
    void circle(Point center, double radius, Rgb fill, Rgb stroke);
    /// `at` is on the baseline. Returns the width drawn.
    double text(Point at, std::string_view text, const TextStyle& style);
    double textWidth(std::string_view text, const TextStyle& style) const;
    /// Draws a gray image (rows from the top), scaled smoothly into the rectangle.
    void image(std::span<const unsigned char> gray, int columns, int rows, double x, double y, double width,
               double height);

private:
    void color(Rgb rgb, double opacity = 1);
    void trace(std::span<const Point> points);
    _cairo* cairo_;
    const Palette& palette_;
};

/// A drawing as a value: the function that draws it, and its size in pixels.
struct Chart {
    std::string title;  ///< for screen readers
    double width = 0, height = 0;
    std::function<void(Canvas&)> draw;
};

/// A complete SVG document in the given palette, on a transparent background.
std::string svg(const Chart& chart, const Palette& palette = kLight);
/// The same drawing as a PNG on the palette's paper color, `scale` image pixels per pixel of the chart.
std::string png(const Chart& chart, const Palette& palette = kLight, double scale = 2);
/// The same drawing as an <svg> element for HTML: ids start with `prefix` (unique in the page), colors are
/// CSS variables (`paletteCss`) that follow the reader's light or dark setting, and the size follows the
/// page.
std::string inlineSvg(const Chart& chart, std::string_view prefix);
/// "--c0:#7f8798;--text:#1b1f26;..." for a style sheet.
std::string paletteCss(const Palette& palette);
/// The CSS variable of a color of kLight ("var(--c4)"), or "#rrggbb" if it is not one of them.
std::string cssColor(Rgb light);

}  // namespace highwater::report
