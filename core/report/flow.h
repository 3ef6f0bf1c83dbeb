#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/document.h"
#include "core/report/paginate.h"
#include "core/report/typesetter.h"

namespace highwater::report {

/// A page of A4 in points (1/72 inch), and what is free for the content.
inline constexpr double kPageWidth = 595.276, kPageHeight = 841.89, kMargin = 45, kPageFoot = 24;
inline constexpr double kFlowWidth = kPageWidth - 2 * kMargin;
inline constexpr double kFlowHeight = kPageHeight - 2 * kMargin - kPageFoot;

/// A strip, and what is drawn in it.
struct Piece {
    Strip strip;
    std::function<void(double y)> draw;  ///< at its top; x as on the page
    std::string anchor = {};             ///< links lead here
    std::string outline = {};            ///< its name in the outline; empty: none
    int level = 0;                       ///< of a heading, 1 to 3; 0: text
};

/// The document's content as pieces, before they are placed on pages.
/// `stop` leaves the rest out.
std::vector<Piece> flow(const Document& document, _cairo* cairo, const Stop& stop = {});

/// Lines side by side, as a row of a table and a card are: the first of each cell, the second, and so on.
struct RowCell {
    double x = 0, width = 0;
    bool right = false;
    std::vector<Line> lines;
};
struct RowLook {
    double before = 0, above = 0, below = 0;  ///< space above the row; inside it, above and below its lines
    bool panels = false;                      ///< each cell on a ground of its own
    double inset = 0;                         ///< from the ground's edge to the lines
    Rgb edge = 0;                             ///< a line at the ground's left; 0: none
    bool rule = false;                        ///< a line under the row
    bool whole = true;                        ///< kept on one page if it is no higher than half of one
    bool keep = false;                        ///< stays with what follows
    int header = -1;                          ///< as Strip's
};
void addRow(std::vector<Piece>& to, _cairo* cairo, std::vector<RowCell> cells, const RowLook& look);

/// Keeps the pieces from `first` on together if they are no higher than a third of a page.
void keepShort(std::vector<Piece>& pieces, std::size_t first);

/// The table's rows, with its header.
void addTable(std::vector<Piece>& to, _cairo* cairo, const Table& table);

/// A filled rectangle.
void fill(_cairo* cairo, double x, double y, double width, double height, Rgb color);

}  // namespace highwater::report
