#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/document.h"

struct _cairo;

namespace highwater::report {

/// How a text looks. Lengths are in points.
struct TextLook {
    double size = 9.5;
    Rgb color = kLight.text;
    bool bold = false;
    bool code = false;      ///< letters of one width
    std::string link = {};  ///< the anchor that all of it leads to
};

/// A line of text, or what stands for one.
struct Line {
    double ascent = 0, descent = 0;  ///< above and below the baseline
    double width = 0;
    std::function<void(double x, double baseline)> draw;
};

/// Breaks text into lines and draws them on a PDF surface, which is selectable text there. Addresses (http,
/// https) in the text become links. Bytes that are not UTF-8 become U+FFFD.
class Typesetter {
public:
    explicit Typesetter(_cairo* cairo) : cairo_(cairo) {}

    /// Lines of at most `width`: broken between words, inside of words that are longer. Empty text has none.
    std::vector<Line> lines(const std::vector<Span>& text, const TextLook& look, double width) const;
    std::vector<Line> lines(const std::string& text, const TextLook& look, double width) const;
    /// One line, which ends in "…" where it is longer.
    Line oneLine(const std::string& text, const TextLook& look, double width) const;
    /// The width of the text in one line, and of its longest word.
    double widthOf(const std::string& text, const TextLook& look) const;
    double widestWord(const std::string& text, const TextLook& look) const;

private:
    _cairo* cairo_;
};

/// The color of a tone; `plain` for Tone::Plain.
Rgb colorOf(Tone tone, Rgb plain);

}  // namespace highwater::report
