#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/report/canvas.h"
#include "core/report/escape.h"

namespace highwater::report {
namespace {

cairo_status_t append(void* to, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

void drawOn(cairo_surface_t* surface, const Chart& chart, const Palette& palette) {
    cairo_t* cairo = cairo_create(surface);
    Canvas canvas(cairo, palette);
    chart.draw(canvas);
    cairo_destroy(cairo);
}

using Variable = std::pair<std::string, Rgb>;

std::vector<Variable> variables(const Palette& p) {
    std::vector<Variable> list = {{"paper", p.paper}, {"panel", p.panel},     {"text", p.text},
                                  {"muted", p.muted}, {"grid", p.grid},       {"accent", p.accent},
                                  {"good", p.good},   {"warning", p.warning}, {"bad", p.bad}};
    const auto addAll = [&list](char letter, const auto& colors) {
        for (std::size_t i = 0; i < colors.size(); ++i) {
            list.emplace_back(fmt::format("{}{}", letter, i), colors[i]);
        }
    };
    addAll('c', p.category);
    addAll('p', p.phase);
    addAll('d', p.device);
    addAll('s', p.series);
    return list;
}

/// Reads the color in "rgb(31.4%,49.8%,91%)" from its list of numbers; moves `at` behind the ")".
Rgb readPercentColor(std::string_view text, std::size_t& at) {
    Rgb rgb = 0;
    for (int i = 0; i < 3; ++i) {
        double percent = 0;
        const auto end = std::from_chars(text.data() + at, text.data() + text.size(), percent).ptr;
        rgb = rgb << 8 | static_cast<Rgb>(std::lround(percent * 2.55));
        at = text.find_first_of(",)", static_cast<std::size_t>(end - text.data())) + 1;
        while (at < text.size() && text[at] == ' ') {
            ++at;
        }
    }
    return rgb;
}

bool takes(std::string_view text, std::size_t at, std::string_view word) {
    return text.substr(at, word.size()) == word;
}

/// Copies SVG text: ids and references get the prefix, colors become variables, xlink:href becomes href.
std::string adapted(std::string_view text, std::string_view prefix) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (std::size_t at = 0; at < text.size();) {
        if (takes(text, at, "rgb(")) {
            at += 4;
            out += cssColor(readPercentColor(text, at));
        } else if (takes(text, at, " id=\"")) {
            (out += " id=\"") += prefix;
            at += 5;
        } else if (takes(text, at, "xlink:href=\"#")) {
            (out += "href=\"#") += prefix;
            at += 13;
        } else if (takes(text, at, "url(#")) {
            (out += "url(#") += prefix;
            at += 5;
        } else {
            out += text[at++];
        }
    }
    return out;
}

/// Removes the number of the surface, which Cairo counts over the process's life, so that the same chart
/// gives the same text.
std::string withoutSurfaceNumber(std::string text) {
    constexpr std::string_view kKey = " id=\"surface";
    const std::size_t at = text.find(kKey);
    const std::size_t end = at == std::string::npos ? at : text.find('"', at + kKey.size());
    if (end != std::string::npos) {
        text.erase(at, end + 1 - at);
    }
    return text;
}

}  // namespace

std::string svg(const Chart& chart, const Palette& palette) {
    std::string out;
    cairo_surface_t* surface = cairo_svg_surface_create_for_stream(append, &out, chart.width, chart.height);
    drawOn(surface, chart, palette);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return withoutSurfaceNumber(std::move(out));
}

std::string png(const Chart& chart, const Palette& palette, double scale) {
    std::string out;
    cairo_surface_t* surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(chart.width * scale)),
                                   static_cast<int>(std::ceil(chart.height * scale)));
    cairo_surface_set_device_scale(surface, scale, scale);
    Chart onPaper = chart;
    onPaper.draw = [&chart](Canvas& canvas) {
        canvas.rectangle(0, 0, chart.width, chart.height, canvas.palette().paper);
        chart.draw(canvas);
    };
    drawOn(surface, onPaper, palette);
    cairo_surface_write_to_png_stream(surface, append, &out);
    cairo_surface_destroy(surface);
    return out;
}

std::string inlineSvg(const Chart& chart, std::string_view prefix) {
    const std::string whole = svg(chart);
    const std::size_t root = whole.find("<svg");
    const std::size_t body = root == std::string::npos ? root : whole.find('>', root);
    if (body == std::string::npos) {
        return "";
    }
    return fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" style=\"aspect-ratio:{0}/{1}\" role=\"img\" "
        "aria-label=\"{2}\">{3}",
        chart.width, chart.height, escape(chart.title),
        adapted(std::string_view(whole).substr(body + 1), prefix));
}

std::string paletteCss(const Palette& palette) {
    std::string out;
    for (const auto& [name, color] : variables(palette)) {
        out += fmt::format("--{}:#{:06x};", name, color);
    }
    return out;
}

std::string cssColor(Rgb light) {
    for (const auto& [name, color] : variables(kLight)) {
        if (color == light) {
            return fmt::format("var(--{})", name);
        }
    }
    return fmt::format("#{:06x}", light);
}

}  // namespace highwater::report
