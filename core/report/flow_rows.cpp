#include <cairo.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/report/flow.h"

namespace highwater::report {
namespace {

constexpr double kColumnGap = 9;  ///< between columns
constexpr double kIndent = 10, kCellSwatch = 10;

/// What the slices of a row share.
struct LinesRow {
    std::vector<RowCell> cells;
    RowLook look;
};

struct Slice {
    double ascent = 0, descent = 0;
    double above = 0, below = 0;
    std::size_t index = 0;
    bool last = false;
    double height() const { return above + ascent + descent + below; }
};

void drawSlice(cairo_t* cairo, const LinesRow& row, const Slice& slice, double y) {
    const RowLook& look = row.look;
    for (const RowCell& cell : row.cells) {
        const double left = cell.x - look.inset, width = cell.width + 2 * look.inset;
        if (look.panels) {
            // A little higher than the slice, so that no seam shows between two.
            fill(cairo, left, y, width, slice.height() + (slice.last ? 0 : 0.4), kLight.panel);
        }
        if (look.edge != 0) {
            fill(cairo, left, y, 3, slice.height() + (slice.last ? 0 : 0.4), look.edge);
        }
        if (slice.index < cell.lines.size()) {
            const Line& line = cell.lines[slice.index];
            line.draw(cell.right ? cell.x + cell.width - line.width : cell.x, y + slice.above + slice.ascent);
        }
    }
    if (look.rule && slice.last) {
        fill(cairo, kMargin, y + slice.height() - 0.5, kFlowWidth, 0.5, kLight.grid);
    }
}

TextLook cellLook(const Cell& cell, double size, bool total) {
    return {size, colorOf(cell.tone, cell.link.empty() ? kLight.text : kLight.accent), cell.bold || total,
            false, cell.link};
}

/// The space before a cell's text.
double startOf(const Cell& cell) {
    return cell.indent * kIndent + (cell.swatch ? kCellSwatch : 0);
}

struct Width {
    double least = 0, natural = 0;
};

class TableFlow {
public:
    TableFlow(cairo_t* cairo, const Table& table) : cairo_(cairo), type_(cairo), table_(table) {
        for (const double size : {8.5, 7.5, 6.5}) {
            size_ = size;
            const double least = measure();
            if (least <= available()) {
                break;
            }
        }
        spread();
    }

    void run(std::vector<Piece>& to) const {
        const std::size_t header = to.size();
        std::vector<RowCell> names;
        for (std::size_t c = 0; c < table_.columns.size(); ++c) {
            names.push_back(placed(c, type_.lines(table_.columns[c].name, {size_, kLight.muted}, shown_[c])));
        }
        addRow(to, cairo_, std::move(names),
               {.before = 6, .above = 2, .below = 3, .rule = true, .keep = true});
        // A header of several lines is several strips; it is repeated where it is one.
        const int repeated = to.size() == header + 1 ? static_cast<int>(header) : -1;
        for (std::size_t r = 0; r < table_.rows.size(); ++r) {
            const bool last = r + 1 == table_.rows.size(), total = last && table_.lastIsTotal;
            addRow(to, cairo_, cellsOf(table_.rows[r], total),
                   {.above = 2.5,
                    .below = 3,
                    .rule = !total,
                    .keep = !last && (r == 0 || r + 2 == table_.rows.size()),
                    .header = repeated});
        }
        keepShort(to, header);
    }

private:
    double available() const {
        return kFlowWidth -
               kColumnGap * static_cast<double>(std::max<std::size_t>(table_.columns.size(), 1) - 1);
    }

    /// The columns' widths at this size; returns the sum of the least.
    double measure() {
        widths_.assign(table_.columns.size(), {});
        for (std::size_t c = 0; c < widths_.size(); ++c) {
            const Column& column = table_.columns[c];
            const double natural = type_.widthOf(column.name, {size_});
            widths_[c] = {column.number ? natural : type_.widestWord(column.name, {size_}), natural};
        }
        for (std::size_t r = 0; r < table_.rows.size(); ++r) {
            const bool total = table_.lastIsTotal && r + 1 == table_.rows.size();
            for (std::size_t c = 0; c < std::min(widths_.size(), table_.rows[r].size()); ++c) {
                const Width width = widthOf(table_.rows[r][c], table_.columns[c].number, total);
                widths_[c].least = std::max(widths_[c].least, width.least);
                widths_[c].natural = std::max(widths_[c].natural, width.natural);
            }
        }
        double least = 0;
        for (Width& width : widths_) {
            // One long name does not take the other columns' place.
            width.least = std::min(width.least, available() * 0.3);
            width.natural = std::max(width.natural, width.least);
            least += width.least;
        }
        return least;
    }

    Width widthOf(const Cell& cell, bool number, bool total) const {
        const TextLook look = cellLook(cell, size_, total);
        const TextLook small{size_ - 1};
        const double start = startOf(cell), text = type_.widthOf(cell.text, look);
        const double note = cell.note.empty() ? 0 : type_.widthOf(cell.note, small);
        const double word = std::max(type_.widestWord(cell.text, look),
                                     cell.note.empty() ? 0 : type_.widestWord(cell.note, small));
        const double floor = cell.fit == Fit::Wide ? 110 : cell.fit == Fit::Name ? 80 : 0;
        const bool oneLine = number || cell.fit == Fit::NoWrap;
        return {start + (oneLine ? text : std::max(word, std::min(text, floor))),
                start + std::max(text, note)};
    }

    /// Shares out the page's width: to each its least, then by what more it could use.
    void spread() {
        double least = 0, natural = 0;
        for (const Width& width : widths_) {
            least += width.least;
            natural += width.natural;
        }
        const double free = available();
        for (const Width& width : widths_) {
            shown_.push_back(least >= free ? width.least * free / std::max(least, 1.0)
                             : natural <= free
                                 ? width.natural + (free - natural) * width.natural / std::max(natural, 1.0)
                                 : width.least + (free - least) * (width.natural - width.least) /
                                                     std::max(natural - least, 1.0));
        }
    }

    RowCell placed(std::size_t column, std::vector<Line> lines) const {
        const double x = std::accumulate(shown_.begin(), shown_.begin() + static_cast<std::ptrdiff_t>(column),
                                         kMargin + kColumnGap * static_cast<double>(column));
        return {x, shown_[column], table_.columns[column].number, std::move(lines)};
    }

    std::vector<RowCell> cellsOf(const TableRow& row, bool total) const {
        std::vector<RowCell> cells;
        for (std::size_t c = 0; c < std::min(row.size(), table_.columns.size()); ++c) {
            const Cell& cell = row[c];
            const double start = startOf(cell), width = std::max(shown_[c] - start, 1.0);
            std::vector<Line> lines = type_.lines(cell.text, cellLook(cell, size_, total), width);
            if (cell.swatch && !lines.empty()) {
                lines.front().draw = [cairo = cairo_, color = *cell.swatch, draw = lines.front().draw](
                                         double x, double baseline) {
                    fill(cairo, x - kCellSwatch, baseline - 6, 6, 6, color);
                    draw(x, baseline);
                };
            }
            for (Line& line : type_.lines(cell.note, {size_ - 1, kLight.muted}, width)) {
                lines.push_back(std::move(line));
            }
            RowCell made = placed(c, std::move(lines));
            made.x += start;
            made.width = width;
            cells.push_back(std::move(made));
        }
        return cells;
    }

    cairo_t* cairo_;
    Typesetter type_;
    const Table& table_;
    double size_ = 8.5;
    std::vector<Width> widths_;
    std::vector<double> shown_;
};

}  // namespace

void fill(_cairo* cairo, double x, double y, double width, double height, Rgb color) {
    cairo_set_source_rgb(cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                         (color & 255) / 255.0);
    cairo_rectangle(cairo, x, y, width, height);
    cairo_fill(cairo);
}

void addRow(std::vector<Piece>& to, _cairo* cairo, std::vector<RowCell> cells, const RowLook& look) {
    const auto row = std::make_shared<LinesRow>(LinesRow{std::move(cells), look});
    std::size_t count = 1;
    for (const RowCell& cell : row->cells) {
        count = std::max(count, cell.lines.size());
    }
    std::vector<Slice> slices;
    double height = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Slice slice{.above = i == 0 ? look.above : 0, .index = i, .last = i + 1 == count};
        slice.below = slice.last ? look.below : 0;
        for (const RowCell& cell : row->cells) {
            if (i < cell.lines.size()) {
                slice.ascent = std::max(slice.ascent, cell.lines[i].ascent);
                slice.descent = std::max(slice.descent, cell.lines[i].descent);
            }
        }
        height += slice.height();
        slices.push_back(slice);
    }
    const bool whole = look.whole && height <= kFlowHeight / 2;
    for (std::size_t i = 0; i < count; ++i) {
        // Of what may be parted, two lines stay together at either end.
        const bool together = i + 1 < count && (whole || i == 0 || i + 2 == count);
        to.push_back({{i == 0 ? look.before : 0, slices[i].height(), slices[i].last ? look.keep : together,
                       false, look.header},
                      [cairo, row, slice = slices[i]](double y) { drawSlice(cairo, *row, slice, y); }});
    }
}

void keepShort(std::vector<Piece>& pieces, std::size_t first) {
    double height = 0;
    for (std::size_t i = first; i < pieces.size(); ++i) {
        height += pieces[i].strip.before + pieces[i].strip.height;
    }
    for (std::size_t i = first; height <= kFlowHeight / 3 && i + 1 < pieces.size(); ++i) {
        pieces[i].strip.keep = true;
    }
}

void addTable(std::vector<Piece>& to, _cairo* cairo, const Table& table) {
    TableFlow(cairo, table).run(to);
}

}  // namespace highwater::report
