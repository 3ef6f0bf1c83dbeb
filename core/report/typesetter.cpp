#include "core/report/typesetter.h"

#include <cairo-pdf.h>
#include <fmt/format.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/report/escape.h"

namespace highwater::report {
namespace {

using SharedLayout = std::shared_ptr<PangoLayout>;

struct Address {
    int from = 0, to = 0;  ///< bytes
    std::string uri;
};

/// A broken text, which its lines share.
struct Broken {
    SharedLayout layout;
    std::vector<Address> addresses;
    std::string anchor;
    Rgb color = 0;
};

double points(int units) {
    return static_cast<double>(units) / PANGO_SCALE;
}

void addAttribute(PangoAttrList* list, PangoAttribute* attribute, std::size_t from, std::size_t to) {
    attribute->start_index = static_cast<guint>(from);
    attribute->end_index = static_cast<guint>(to);
    pango_attr_list_insert(list, attribute);
}

PangoAttribute* colorAttribute(Rgb rgb) {
    const auto wide = [](Rgb byte) { return static_cast<guint16>((byte & 255) * 257); };
    return pango_attr_foreground_new(wide(rgb >> 16), wide(rgb >> 8), wide(rgb));
}

std::vector<Address> addressesIn(const std::string& text) {
    std::vector<Address> found;
    for (std::size_t at = text.find("http"); at != std::string::npos; at = text.find("http", at + 4)) {
        const std::string_view rest = std::string_view(text).substr(at);
        if (!rest.starts_with("http://") && !rest.starts_with("https://")) {
            continue;
        }
        std::size_t end = rest.find_first_of(" \t\n<>\"'");
        end = end == std::string_view::npos ? rest.size() : end;
        while (end > 0 && std::string_view(".,;:)").find(rest[end - 1]) != std::string_view::npos) {
            --end;
        }
        if (end > rest.find("//") + 2) {
            found.push_back({static_cast<int>(at), static_cast<int>(at + end), text.substr(at, end)});
        }
    }
    return found;
}

/// An address as PDF wants it: what is not ASCII is percent-encoded.
std::string encoded(const std::string& uri) {
    std::string out;
    for (const char c : uri) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x80 && c != '\\' ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

SharedLayout makeLayout(cairo_t* cairo, const std::vector<Span>& spans, const TextLook& look,
                        std::vector<Address>* addresses) {
    SharedLayout layout(pango_cairo_create_layout(cairo), [](PangoLayout* l) { g_object_unref(l); });
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(pango_layout_get_context(layout.get()), options);
    cairo_font_options_destroy(options);
    PangoFontDescription* font =
        pango_font_description_from_string(look.code ? kCodeFontFamilies : kFontFamilies);
    pango_font_description_set_absolute_size(font, look.size * PANGO_SCALE);
    pango_font_description_set_weight(font, look.bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout.get(), font);
    pango_font_description_free(font);

    PangoAttrList* attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
    std::string text;
    for (const Span& span : spans) {
        const std::size_t from = text.size();
        text += wellFormed(span.text);
        if (span.tone != Tone::Plain) {
            addAttribute(attributes, colorAttribute(colorOf(span.tone, look.color)), from, text.size());
        }
        if (span.bold) {
            addAttribute(attributes, pango_attr_weight_new(PANGO_WEIGHT_SEMIBOLD), from, text.size());
        }
        if (span.code) {
            addAttribute(attributes, pango_attr_family_new(kCodeFontFamilies), from, text.size());
        }
    }
    if (addresses) {
        *addresses = addressesIn(text);
        for (const Address& address : *addresses) {
            addAttribute(attributes, colorAttribute(kLight.accent), static_cast<std::size_t>(address.from),
                         static_cast<std::size_t>(address.to));
        }
    }
    pango_layout_set_attributes(layout.get(), attributes);
    pango_attr_list_unref(attributes);
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
    return layout;
}

void link(cairo_t* cairo, double x, double y, double width, double height, const std::string& target) {
    cairo_tag_begin(
        cairo, CAIRO_TAG_LINK,
        fmt::format("rect=[{:.3f} {:.3f} {:.3f} {:.3f}] {}", x, y, width, height, target).c_str());
    cairo_tag_end(cairo, CAIRO_TAG_LINK);
}

void drawLine(cairo_t* cairo, const Broken& text, PangoLayoutLine* line, const Line& size, double x,
              double baseline) {
    cairo_set_source_rgb(cairo, (text.color >> 16 & 255) / 255.0, (text.color >> 8 & 255) / 255.0,
                         (text.color & 255) / 255.0);
    cairo_move_to(cairo, x, baseline);
    pango_cairo_show_layout_line(cairo, line);
    cairo_new_path(cairo);
    const double top = baseline - size.ascent, height = size.ascent + size.descent;
    if (!text.anchor.empty()) {
        link(cairo, x, top, size.width, height, fmt::format("dest='{}'", text.anchor));
    }
    for (const Address& address : text.addresses) {
        const int from = std::max(address.from, line->start_index);
        const int to = std::min(address.to, line->start_index + line->length);
        if (from < to) {
            int left = 0, right = 0;
            pango_layout_line_index_to_x(line, from, FALSE, &left);
            pango_layout_line_index_to_x(line, to, FALSE, &right);
            link(cairo, x + points(std::min(left, right)), top, points(std::abs(right - left)), height,
                 fmt::format("uri='{}'", encoded(address.uri)));
        }
    }
}

std::vector<Line> linesOf(cairo_t* cairo, const Broken& text) {
    std::vector<Line> lines;
    const int count = pango_layout_get_line_count(text.layout.get());
    for (int i = 0; i < count; ++i) {
        PangoLayoutLine* line = pango_layout_get_line_readonly(text.layout.get(), i);
        PangoRectangle logical;
        pango_layout_line_get_extents(line, nullptr, &logical);
        Line made{points(-logical.y), points(logical.height + logical.y), points(logical.width), {}};
        made.draw = [cairo, text, line, size = made](double x, double baseline) {
            drawLine(cairo, text, line, size, x, baseline);
        };
        lines.push_back(std::move(made));
    }
    return lines;
}

}  // namespace

std::vector<Line> Typesetter::lines(const std::vector<Span>& text, const TextLook& look, double width) const {
    if (std::all_of(text.begin(), text.end(), [](const Span& span) { return span.text.empty(); })) {
        return {};
    }
    Broken broken{{}, {}, look.link, look.color};
    broken.layout = makeLayout(cairo_, text, look, look.link.empty() ? &broken.addresses : nullptr);
    pango_layout_set_width(broken.layout.get(), static_cast<int>(width * PANGO_SCALE));
    pango_layout_set_wrap(broken.layout.get(), PANGO_WRAP_WORD_CHAR);
    return linesOf(cairo_, broken);
}

std::vector<Line> Typesetter::lines(const std::string& text, const TextLook& look, double width) const {
    return lines(std::vector<Span>{{text}}, look, width);
}

Line Typesetter::oneLine(const std::string& text, const TextLook& look, double width) const {
    const Broken broken{makeLayout(cairo_, {{text}}, look, nullptr), {}, look.link, look.color};
    pango_layout_set_single_paragraph_mode(broken.layout.get(), TRUE);
    pango_layout_set_width(broken.layout.get(), static_cast<int>(width * PANGO_SCALE));
    pango_layout_set_ellipsize(broken.layout.get(), PANGO_ELLIPSIZE_END);
    return linesOf(cairo_, broken).front();
}

double Typesetter::widthOf(const std::string& text, const TextLook& look) const {
    PangoRectangle logical;
    pango_layout_get_extents(makeLayout(cairo_, {{text}}, look, nullptr).get(), nullptr, &logical);
    return points(logical.width);
}

double Typesetter::widestWord(const std::string& text, const TextLook& look) const {
    const SharedLayout layout = makeLayout(cairo_, {{text}}, look, nullptr);
    pango_layout_set_width(layout.get(), 0);
    pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD);
    PangoRectangle logical;
    pango_layout_get_extents(layout.get(), nullptr, &logical);
    return points(logical.width);
}

Rgb colorOf(Tone tone, Rgb plain) {
    switch (tone) {
        case Tone::Good:
            return kLight.good;
        case Tone::Warning:
            return kLight.warning;
        case Tone::Bad:
            return kLight.bad;
        case Tone::Muted:
            return kLight.muted;
        default:
            return plain;
    }
}

}  // namespace highwater::report
