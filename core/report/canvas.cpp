#include "core/report/canvas.h"

#include <cairo.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/report/escape.h"

namespace highwater::report {
namespace {

double rounded(double v) {
    return std::round(v * 8) / 8;
}

struct Unref {
    void operator()(PangoLayout* layout) const { g_object_unref(layout); }
};
using Layout = std::unique_ptr<PangoLayout, Unref>;

Layout makeLayout(cairo_t* cairo, std::string_view text, const TextStyle& style) {
    Layout layout(pango_cairo_create_layout(cairo));
    PangoContext* context = pango_layout_get_context(layout.get());
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);

    PangoFontDescription* font = pango_font_description_from_string(kFontFamilies);
    pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
    pango_font_description_set_weight(font, style.bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout.get(), font);
    pango_font_description_free(font);

    PangoAttrList* attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
    pango_layout_set_attributes(layout.get(), attributes);
    pango_attr_list_unref(attributes);

    pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
    const std::string shown = wellFormed(text);
    pango_layout_set_text(layout.get(), shown.data(), static_cast<int>(shown.size()));
    if (style.mostWidth > 0) {
        pango_layout_set_width(layout.get(), static_cast<int>(style.mostWidth * PANGO_SCALE));
        pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
    }
    return layout;
}

double widthOf(PangoLayout* layout) {
    PangoRectangle logical;
    pango_layout_get_extents(layout, nullptr, &logical);
    return static_cast<double>(logical.width) / PANGO_SCALE;
}

}  // namespace

void Canvas::color(Rgb rgb, double opacity) {
    cairo_set_source_rgba(cairo_, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
                          opacity);
}

void Canvas::trace(std::span<const Point> points) {
    cairo_new_path(cairo_);
    for (const Point& p : points) {
        cairo_line_to(cairo_, rounded(p.x), rounded(p.y));
    }
}

void Canvas::line(Point from, Point to, Rgb rgb, double width, bool dashed) {
    const Point ends[] = {from, to};
    const double dash[] = {5, 4};
    cairo_set_dash(cairo_, dash, dashed ? 2 : 0, 0);
    polyline(ends, rgb, width);
    cairo_set_dash(cairo_, nullptr, 0, 0);
}

void Canvas::polyline(std::span<const Point> points, Rgb rgb, double width) {
    trace(points);
    color(rgb);
    cairo_set_line_width(cairo_, width);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(cairo_);
}

void Canvas::polygon(std::span<const Point> points, Rgb rgb, double opacity) {
    trace(points);
    cairo_close_path(cairo_);
    color(rgb, opacity);
    cairo_fill(cairo_);
}

void Canvas::rectangle(double x, double y, double width, double height, Rgb rgb, double opacity) {
    const Point corners[] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
    polygon(corners, rgb, opacity);
}

void Canvas::frame(double x, double y, double width, double height, Rgb rgb, double lineWidth) {
    cairo_rectangle(cairo_, rounded(x), rounded(y), rounded(width), rounded(height));
    color(rgb);
    cairo_set_line_width(cairo_, lineWidth);
    cairo_stroke(cairo_);
}

void Canvas::circle(Point center, double radius, Rgb fill, Rgb stroke) {
    cairo_new_path(cairo_);
    cairo_arc(cairo_, rounded(center.x), rounded(center.y), radius, 0, 2 * M_PI);
    color(fill);
    cairo_fill_preserve(cairo_);
    color(stroke);
    cairo_set_line_width(cairo_, 1.5);
    cairo_stroke(cairo_);
}

double Canvas::text(Point at, std::string_view text, const TextStyle& style) {
    const Layout layout = makeLayout(cairo_, text, style);
    const double width = widthOf(layout.get());
    const double shift = style.anchor == Anchor::Start    ? 0
                         : style.anchor == Anchor::Middle ? width / 2
                                                          : width;
    const double baseline = static_cast<double>(pango_layout_get_baseline(layout.get())) / PANGO_SCALE;
    color(style.color);
    // Without a limit, the layout has no width to align in; with one, it starts at the left. So both start
    // here.
    cairo_move_to(cairo_, rounded(at.x - shift), rounded(at.y - baseline));
    pango_cairo_show_layout(cairo_, layout.get());
    cairo_new_path(cairo_);
    return width;
}

double Canvas::textWidth(std::string_view text, const TextStyle& style) const {
    return widthOf(makeLayout(cairo_, text, style).get());
}

void Canvas::image(std::span<const unsigned char> gray, int columns, int rows, double x, double y,
                   double width, double height) {
    // The outermost pixels are doubled, so that they do not fade where pixels are interpolated. Cairo's own
    // way, CAIRO_EXTEND_PAD, makes an SVG filter from 1.18 on, in which the chart's lines are lost.
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns + 2, rows + 2);
    cairo_surface_flush(surface);
    unsigned char* pixels = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int r = 0; pixels && r < rows + 2; ++r) {
        for (int c = 0; c < columns + 2; ++c) {
            const int row = std::clamp(r - 1, 0, rows - 1), column = std::clamp(c - 1, 0, columns - 1);
            const std::uint32_t g = gray[static_cast<std::size_t>(row) * columns + column];
            const std::uint32_t pixel = g << 16 | g << 8 | g;
            std::memcpy(pixels + static_cast<std::size_t>(r) * stride + 4 * c, &pixel, 4);
        }
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cairo_);
    cairo_translate(cairo_, x, y);
    cairo_scale(cairo_, width / columns, height / rows);
    cairo_rectangle(cairo_, 0, 0, columns, rows);
    cairo_clip(cairo_);
    cairo_set_source_surface(cairo_, surface, -1, -1);
    cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_GOOD);
    cairo_paint(cairo_);
    cairo_restore(cairo_);
    cairo_surface_destroy(surface);
}

}  // namespace highwater::report
