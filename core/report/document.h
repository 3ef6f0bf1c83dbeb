#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/report/canvas.h"

/// A report as a value: its content in order, before it becomes HTML (page.h) or PDF (pdf.h). All texts are
/// plain text; who writes a format escapes them.
namespace highwater::report {

enum class Tone { Plain, Good, Warning, Bad, Muted };

/// Asked now and then while a document is written: true stops it.
using Stop = std::function<bool()>;

struct Span {
    std::string text;
    Tone tone = Tone::Plain;
    bool bold = false;
    bool code = false;
};

struct Heading {
    int level = 2;  ///< 1: the report's title, 2, 3
    std::vector<Span> text;
};

struct Paragraph {
    enum class Kind { Body, Note, Meta, Eyebrow };
    std::vector<Span> text;
    Kind kind = Kind::Body;
};

/// A color (of kLight) and what it means.
struct Key {
    Rgb color = 0;
    std::string text;
    double share = 0;  ///< of a split bar, in (0, 1]
};

/// A headline figure: a label, a value, and lines under it. A wide one has a row of its own; the others stand
/// three in a row.
struct Card {
    std::string label, value;
    std::vector<std::string> notes = {};
    Tone tone = Tone::Plain;
    bool wide = false;
    std::vector<Key> split = {};  ///< a bar in parts, and its key
};
struct Cards {
    std::vector<Card> cards;
};

/// What a reader must not overlook.
struct Banner {
    bool bad = true;  ///< or a warning
    std::string title;
    std::vector<std::string> lines;
};

struct Column {
    std::string name;
    bool number = false;  ///< right-aligned
};
/// How a column's text may be broken: as it fits, not at all, or only in a column that is wide (Name: less
/// so).
enum class Fit { Any, NoWrap, Wide, Name };
struct Cell {
    std::string text;
    std::optional<Rgb> swatch = {};  ///< a square of this color (of kLight) before the text
    std::string note = {};           ///< smaller text under it
    Fit fit = Fit::Any;
    int indent = 0;         ///< 0 to 3
    std::string link = {};  ///< the anchor of a Section
    Tone tone = Tone::Plain;
    bool bold = false;
};
using TableRow = std::vector<Cell>;
struct Table {
    std::vector<Column> columns;
    std::vector<TableRow> rows;
    bool lastIsTotal = false;
};

/// A chart with its caption. `prefix` is unique in the document.
struct Figure {
    Chart chart;
    std::string prefix;
};
/// Two charts of half the width, side by side if there is room.
struct FigurePair {
    std::array<Figure, 2> figures;
};
/// Three pictures of a scan with their captions.
struct Pictures {
    std::array<Chart, 3> charts;
    std::array<std::string, 3> captions;
};

struct Definitions {
    std::vector<std::pair<std::string, std::string>> terms;
};
struct List {
    std::vector<std::string> items;
};
struct Code {
    std::string text;
    std::string summary = {};  ///< if not empty, a reader on a screen may fold the text under it
};

using Part = std::variant<Heading, Paragraph, Cards, Banner, Table, Figure, FigurePair, Pictures, Definitions,
                          List, Code>;
using Parts = std::vector<Part>;

/// A part that others link to.
struct Section {
    std::string anchor;    ///< unique in the document
    bool ownPage = false;  ///< starts a page
    Parts parts = {};
};

struct Document {
    std::string title;
    Parts head;
    std::vector<Section> sections;
    std::string footer;   ///< a sentence at the end
    std::string created;  ///< when it was made, for people; empty: left out
};

inline Heading heading(int level, std::string text) {
    return {level, {{std::move(text)}}};
}
inline Paragraph paragraph(std::string text, Paragraph::Kind kind = Paragraph::Kind::Body) {
    return {{{std::move(text)}}, kind};
}
inline Paragraph note(std::string text) {
    return paragraph(std::move(text), Paragraph::Kind::Note);
}
/// Appends.
void add(Parts& to, Parts more);

}  // namespace highwater::report
