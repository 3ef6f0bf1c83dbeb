#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/canvas.h"

/// The pieces of the HTML page. A name or comment with `html` means markup; everything else is text, which is
/// escaped here.
namespace highwater::report {

/// The page around `bodyHtml`, with its style sheet.
std::string page(std::string_view title, std::string_view bodyHtml);

/// A heading; `level` is "h2" or "h3".
std::string headingHtml(std::string_view level, std::string_view text);

struct Column {
    std::string name;
    bool number = false;  ///< right-aligned
};
struct Cell {
    std::string text;
    std::string htmlBefore;      ///< markup before the text (a swatch)
    std::string className = {};  ///< "total", "indent1", ...
    std::string note = {};       ///< smaller text under it
};
using TableRow = std::vector<Cell>;
std::string table(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
                  bool lastIsTotal = false);

/// A chart with its caption. `prefix` is unique in the page; `half` charts are placed side by side if there
/// is room.
std::string figure(const Chart& chart, std::string_view prefix, bool half = false);
/// A chart as a PNG data URI.
std::string pictureFigure(const Chart& chart, std::string_view caption);
/// A small square in the colour of a category or phase (of kLight).
std::string swatch(Rgb light);

/// A headline figure: label, value, and a line under it.
std::string card(std::string_view label, std::string_view value, std::string_view noteHtml,
                 std::string_view className = "");

}  // namespace highwater::report
