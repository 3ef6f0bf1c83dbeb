#include "core/report/flow.h"

#include <cairo.h>

#include <algorithm>
#include <memory>

namespace highwater::report {
namespace {

constexpr double kCardGap = 8, kCardInset = 9;

void drawChart(cairo_t* cairo, const Chart& chart, double x, double y, double scale) {
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_scale(cairo, scale, scale);
    Canvas canvas(cairo, kLight);
    chart.draw(canvas);
    cairo_restore(cairo);
}

class Flow {
public:
    Flow(cairo_t* cairo, const Stop& stop) : cairo_(cairo), type_(cairo), stop_(stop) {}

    std::vector<Piece> take() { return std::move(pieces_); }

    void addAll(const Parts& parts) {
        for (std::size_t i = 0; i < parts.size() && !(stop_ && stop_()); ++i) {
            std::visit([this](const auto& content) { addPart(content); }, parts[i]);
            const auto* said = std::get_if<Paragraph>(&parts[i]);
            if (said && said->kind == Paragraph::Kind::Body && i + 1 < parts.size() && !pieces_.empty()) {
                const Part& next = parts[i + 1];  // which such a paragraph introduces
                pieces_.back().strip.keep = std::holds_alternative<Table>(next) ||
                                            std::holds_alternative<List>(next) ||
                                            std::holds_alternative<Code>(next);
            }
        }
    }

    void addSection(const Section& section) {
        const std::size_t first = pieces_.size();
        addAll(section.parts);
        if (first < pieces_.size()) {
            pieces_[first].anchor = section.anchor;
            pieces_[first].strip.newPage = section.ownPage;
        }
    }

    void addFooter(const std::string& text) {
        addText({{text}}, {8, kLight.muted}, {.before = 22, .whole = true});
    }

private:
    void addPart(const Heading& heading) {
        constexpr double kSizes[] = {20, 13.5, 11}, kBefore[] = {2, 22, 16};
        const auto level = static_cast<std::size_t>(std::clamp(heading.level, 1, 3) - 1);
        const std::size_t first = pieces_.size();
        addText(heading.text, {.size = kSizes[level], .bold = true},
                {.before = kBefore[level], .below = 3, .keep = true});
        for (std::size_t i = first; i < pieces_.size(); ++i) {
            pieces_[i].level = heading.level;
        }
        if (first < pieces_.size()) {
            for (const Span& span : heading.text) {
                pieces_[first].outline += span.text;
            }
        }
    }

    void addPart(const Paragraph& paragraph) {
        switch (paragraph.kind) {
            case Paragraph::Kind::Eyebrow:
                return addText(paragraph.text, {8.5, kLight.muted}, {.keep = true});
            case Paragraph::Kind::Note:
            case Paragraph::Kind::Meta:
                return addText(paragraph.text, {8.5, kLight.muted}, {.before = 5, .whole = false});
            default:
                return addText(paragraph.text, {}, {.before = 6, .whole = false});
        }
    }

    void addPart(const Cards& cards) {
        std::vector<const Card*> row;
        for (const Card& card : cards.cards) {
            if (card.wide) {
                addCards({&card}, 1);
                continue;
            }
            row.push_back(&card);
            if (row.size() == 3) {
                addCards(std::exchange(row, {}), 3);
            }
        }
        if (!row.empty()) {
            addCards(row, 3);
        }
    }

    void addPart(const Banner& banner) {
        const Rgb color = banner.bad ? kLight.bad : kLight.warning;
        const double inset = kCardInset + 3, width = kFlowWidth - 2 * inset;
        std::vector<Line> lines = type_.lines(banner.title, {11, color, true}, width);
        for (const std::string& line : banner.lines) {
            append(lines, type_.lines(line, {}, width));
        }
        addRow(pieces_, cairo_, {{kMargin + inset, width, false, std::move(lines)}},
               {.before = 10, .above = 8, .below = 8, .panels = true, .inset = inset, .edge = color});
    }

    void addPart(const Table& table) { addTable(pieces_, cairo_, table); }

    void addPart(const Figure& figure) {
        addText({{figure.chart.title}}, {8.5, kLight.muted}, {.before = 10, .below = 2, .keep = true});
        const Chart& chart = figure.chart;
        const double scale = std::min(kFlowWidth / chart.width, kFlowHeight * 0.9 / chart.height);
        addPicture(chart.height * scale,
                   [cairo = cairo_, chart, scale](double y) { drawChart(cairo, chart, kMargin, y, scale); });
    }

    void addPart(const FigurePair& pair) {
        const double gap = 12, width = (kFlowWidth - gap) / 2;
        std::vector<RowCell> captions;
        double height = 0;
        std::array<double, 2> scales{};
        for (std::size_t i = 0; i < 2; ++i) {
            const Chart& chart = pair.figures[i].chart;
            captions.push_back({kMargin + static_cast<double>(i) * (width + gap), width, false,
                                type_.lines(chart.title, {8.5, kLight.muted}, width)});
            scales[i] = std::min(width / chart.width, kFlowHeight * 0.9 / chart.height);
            height = std::max(height, chart.height * scales[i]);
        }
        addRow(pieces_, cairo_, std::move(captions), {.before = 10, .below = 2, .keep = true});
        addPicture(height, [cairo = cairo_, figures = pair.figures, scales, width, gap](double y) {
            for (std::size_t i = 0; i < 2; ++i) {
                drawChart(cairo, figures[i].chart, kMargin + static_cast<double>(i) * (width + gap), y,
                          scales[i]);
            }
        });
    }

    void addPart(const Pictures& pictures) {
        const double gap = 8, width = (kFlowWidth - 2 * gap) / 3;
        double height = 0;
        for (const Chart& chart : pictures.charts) {
            height = std::max(height, chart.height * width / chart.width);
        }
        addPicture(height, [cairo = cairo_, charts = pictures.charts, width, gap](double y) {
            for (std::size_t i = 0; i < charts.size(); ++i) {
                drawChart(cairo, charts[i], kMargin + static_cast<double>(i) * (width + gap), y,
                          width / charts[i].width);
            }
        });
        pieces_.back().strip.before = 8;
        pieces_.back().strip.keep = true;
        std::vector<RowCell> captions;
        for (std::size_t i = 0; i < pictures.captions.size(); ++i) {
            captions.push_back({kMargin + static_cast<double>(i) * (width + gap), width, false,
                                type_.lines(pictures.captions[i], {8.5, kLight.muted}, width)});
        }
        addRow(pieces_, cairo_, std::move(captions), {.above = 3});
    }

    void addPart(const Definitions& list) {
        constexpr double kMostTerm = kFlowWidth / 3;
        double wide = 0;
        for (const auto& [term, text] : list.terms) {
            wide = std::max(wide, type_.widthOf(term, {8.5}));
        }
        wide = std::min(wide + 1, kMostTerm);
        const std::size_t first = pieces_.size();
        for (const auto& [term, text] : list.terms) {
            const double x = kMargin + wide + 16;
            addRow(pieces_, cairo_,
                   {{kMargin, wide, false, type_.lines(term, {8.5, kLight.muted}, wide)},
                    {x, kPageWidth - kMargin - x, false, type_.lines(text, {8.5}, kPageWidth - kMargin - x)}},
                   {.before = 3});
        }
        keepShort(pieces_, first);
    }

    void addPart(const List& list) {
        for (const std::string& item : list.items) {
            addRow(pieces_, cairo_,
                   {{kMargin + 4, 8, false, type_.lines("•", {}, 8)},
                    {kMargin + 14, kFlowWidth - 14, false, type_.lines(item, {}, kFlowWidth - 14)}},
                   {.before = 3, .whole = false});
        }
    }

    void addPart(const Code& code) {
        if (!code.summary.empty()) {
            addText({{code.summary}}, {.bold = true}, {.before = 10, .keep = true});
        }
        const double width = kFlowWidth - 2 * kCardInset;
        std::vector<Line> lines = type_.lines(code.text, {.size = 7.5, .code = true}, width);
        addRow(pieces_, cairo_, {{kMargin + kCardInset, width, false, std::move(lines)}},
               {.before = 6, .above = 6, .below = 6, .panels = true, .inset = kCardInset, .whole = false});
    }

    void addText(const std::vector<Span>& text, const TextLook& look, const RowLook& row) {
        std::vector<Line> lines = type_.lines(text, look, kFlowWidth);
        if (!lines.empty()) {
            addRow(pieces_, cairo_, {{kMargin, kFlowWidth, false, std::move(lines)}}, row);
        }
    }

    void addCards(const std::vector<const Card*>& cards, int columns) {
        const double width = (kFlowWidth - (columns - 1) * kCardGap) / columns;
        const double inner = width - 2 * kCardInset;
        std::vector<RowCell> cells;
        for (std::size_t i = 0; i < cards.size(); ++i) {
            const Card& card = *cards[i];
            std::vector<Line> lines = type_.lines(card.label, {8.5, kLight.muted}, inner);
            append(lines, type_.lines(card.value, {16, colorOf(card.tone, kLight.text), true}, inner));
            if (!card.split.empty()) {
                lines.push_back(bar(card.split, inner));
                append(lines, keys(card.split, inner));
            }
            for (const std::string& note : card.notes) {
                append(lines, type_.lines(note, {8.5, kLight.muted}, inner));
            }
            cells.push_back({kMargin + static_cast<double>(i) * (width + kCardGap) + kCardInset, inner, false,
                             std::move(lines)});
        }
        addRow(pieces_, cairo_, std::move(cells),
               {.before = 8, .above = 7, .below = 7, .panels = true, .inset = kCardInset});
    }

    /// A bar of the parts, as a line.
    Line bar(const std::vector<Key>& parts, double width) const {
        return {12, 4, width, [cairo = cairo_, parts, width](double x, double baseline) {
                    for (const Key& part : parts) {
                        fill(cairo, x, baseline - 8, width * part.share, 8, part.color);
                        x += width * part.share;
                    }
                }};
    }

    /// What the colors mean, as many in a line as there is room for.
    std::vector<Line> keys(const std::vector<Key>& parts, double width) const {
        constexpr double kSwatchWidth = 10, kBetween = 12;
        std::vector<Line> lines;
        for (const Key& part : parts) {
            Line key = type_.oneLine(part.text, {8.5, kLight.muted}, width - kSwatchWidth);
            const double start = lines.empty() ? 0 : lines.back().width + kBetween;
            const bool joins = !lines.empty() && start + kSwatchWidth + key.width <= width;
            const auto drawKey = [cairo = cairo_, draw = key.draw, color = part.color](double x,
                                                                                       double baseline) {
                fill(cairo, x, baseline - 6, 6, 6, color);
                draw(x + kSwatchWidth, baseline);
            };
            if (joins) {
                Line& line = lines.back();
                line.draw = [before = line.draw, drawKey, start](double x, double baseline) {
                    before(x, baseline);
                    drawKey(x + start, baseline);
                };
                line.width = start + kSwatchWidth + key.width;
            } else {
                lines.push_back({key.ascent, key.descent, kSwatchWidth + key.width, drawKey});
            }
        }
        return lines;
    }

    void addPicture(double height, std::function<void(double)> draw) {
        pieces_.push_back({{0, height}, std::move(draw)});
    }

    static void append(std::vector<Line>& to, std::vector<Line> more) {
        to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }

    cairo_t* cairo_;
    Typesetter type_;
    const Stop& stop_;
    std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> flow(const Document& document, _cairo* cairo, const Stop& stop) {
    Flow made(cairo, stop);
    made.addAll(document.head);
    for (const Section& section : document.sections) {
        made.addSection(section);
    }
    made.addFooter(document.footer);
    return made.take();
}

}  // namespace highwater::report
