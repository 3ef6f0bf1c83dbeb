#include "core/report/page.h"

#include <fmt/format.h>

#include "core/report/escape.h"
#include "texts/report_texts.h"

namespace highwater::report {
namespace {

std::string_view toneName(Tone tone) {
    constexpr std::array<std::string_view, 5> kNames = {"", "good", "warning", "bad", "muted"};
    return kNames[static_cast<std::size_t>(tone)];
}

std::string spanHtml(const Span& span) {
    const std::string text = escape(span.text);
    if (span.code) {
        return "<code>" + text + "</code>";
    }
    if (span.tone != Tone::Plain) {
        return fmt::format("<{0} style=\"color:var(--{1})\">{2}</{0}>", span.bold ? "b" : "span",
                           toneName(span.tone), text);
    }
    return span.bold ? "<b>" + text + "</b>" : text;
}

std::string spansHtml(const std::vector<Span>& spans) {
    std::string out;
    for (const Span& span : spans) {
        out += spanHtml(span);
    }
    return out;
}

/// A small square in the color of a category or phase.
std::string swatch(Rgb light) {
    return fmt::format("<i class=\"swatch\" style=\"background:{}\"></i>", cssColor(light));
}

std::string cellClasses(const Cell& cell, bool number) {
    constexpr std::array<std::string_view, 4> kFits = {"", "nowrap", "wide", "name"};
    std::string classes = number ? "n" : "";
    const auto addClass = [&classes](std::string_view name) {
        if (!name.empty()) {
            (classes += classes.empty() ? "" : " ") += name;
        }
    };
    addClass(kFits[static_cast<std::size_t>(cell.fit)]);
    addClass(cell.indent > 0 ? fmt::format("indent{}", cell.indent) : "");
    return classes;
}

std::string tableRow(const std::vector<Column>& columns, const TableRow& row, bool total) {
    std::string out = total ? "<tr class=\"total\">" : "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Cell& cell = row[i];
        const std::string classes = cellClasses(cell, i < columns.size() && columns[i].number);
        out += classes.empty() ? "<td>" : fmt::format("<td class=\"{}\">", classes);
        out += cell.swatch ? swatch(*cell.swatch) : "";
        const std::string text = spanHtml({.text = cell.text, .tone = cell.tone, .bold = cell.bold});
        out += cell.link.empty() ? text
                                 : fmt::format("<a href=\"#{}\" style=\"color:var(--accent)\">{}</a>",
                                               escape(cell.link), text);
        if (!cell.note.empty()) {
            out += "<div class=\"note\">" + escape(cell.note) + "</div>";
        }
        out += "</td>";
    }
    return out + "</tr>\n";
}

std::string html(const Heading& heading) {
    return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, spansHtml(heading.text));
}

std::string html(const Paragraph& paragraph) {
    constexpr std::array<std::string_view, 4> kClasses = {"", " class=\"note\"", " class=\"meta\"",
                                                          " class=\"eyebrow\""};
    return fmt::format("<p{}>{}</p>\n", kClasses[static_cast<std::size_t>(paragraph.kind)],
                       spansHtml(paragraph.text));
}

std::string splitHtml(const std::vector<Key>& parts) {
    std::string bar = "<div class=\"split\">", keys = "<div class=\"keys\">";
    for (const Key& part : parts) {
        bar += fmt::format("<i style=\"background:{};width:{:.3f}%\"></i>", cssColor(part.color),
                           100 * part.share);
        keys += fmt::format("<span>{}{}</span>", swatch(part.color), escape(part.text));
    }
    return bar + "</div>" + keys + "</div>";
}

std::string html(const Cards& cards) {
    std::string out = "<div class=\"cards\">\n";
    for (const Card& card : cards.cards) {
        std::string below = card.split.empty() ? "" : splitHtml(card.split);
        for (std::size_t i = 0; i < card.notes.size(); ++i) {
            below += (i > 0 ? "<br>" : "") + escape(card.notes[i]);
        }
        out += fmt::format(
            "<div class=\"card {}\"><div class=\"label\">{}</div><div class=\"value\">{}</div>"
            "<div class=\"below\">{}</div></div>\n",
            card.wide ? fmt::format("wide {}", toneName(card.tone)) : std::string(toneName(card.tone)),
            escape(card.label), escape(card.value), below);
    }
    return out + "</div>\n";
}

std::string html(const Banner& banner) {
    std::string out =
        fmt::format("<div class=\"banner{}\"><b>{}</b>", banner.bad ? "" : " plain", escape(banner.title));
    for (const std::string& line : banner.lines) {
        out += "<p>" + escape(line) + "</p>";
    }
    return out + "</div>\n";
}

std::string html(const Table& table) {
    std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const Column& column : table.columns) {
        out += fmt::format("<th{}>{}</th>", column.number ? " class=\"n\"" : "", escape(column.name));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        out += tableRow(table.columns, table.rows[i], table.lastIsTotal && i + 1 == table.rows.size());
    }
    return out + "</tbody></table></div>\n";
}

std::string figureHtml(const Figure& figure, std::string_view className) {
    return fmt::format(
        "<figure class=\"{}\"><figcaption>{}</figcaption><div class=\"scroll\">{}</div></figure>\n",
        className, escape(figure.chart.title), inlineSvg(figure.chart, figure.prefix));
}

std::string html(const Figure& figure) {
    return figureHtml(figure, "full");
}

std::string html(const FigurePair& pair) {
    return "<div class=\"pair\">" + figureHtml(pair.figures[0], "half") +
           figureHtml(pair.figures[1], "half") + "</div>\n";
}

std::string html(const Pictures& pictures) {
    std::string out = "<div class=\"slices\">\n";
    for (std::size_t i = 0; i < pictures.charts.size(); ++i) {
        const Chart& chart = pictures.charts[i];
        out += fmt::format(
            "<figure><img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">"
            "<figcaption>{}</figcaption></figure>\n",
            escape(chart.title), chart.width, chart.height, base64(png(chart, kLight, 1.5)),
            escape(pictures.captions[i]));
    }
    return out + "</div>\n";
}

std::string html(const Definitions& list) {
    std::string out = "<dl>\n";
    for (const auto& [term, text] : list.terms) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(term), escape(text));
    }
    return out + "</dl>\n";
}

std::string html(const List& list) {
    std::string out = "<ul>\n";
    for (const std::string& item : list.items) {
        out += "<li>" + escape(item) + "</li>\n";
    }
    return out + "</ul>\n";
}

std::string html(const Code& code) {
    const std::string text = "<pre>" + escape(code.text) + "</pre>\n";
    return code.summary.empty()
               ? text
               : fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape(code.summary), text);
}

std::string partsHtml(const Parts& parts) {
    std::string out;
    for (const Part& part : parts) {
        out += std::visit([](const auto& content) { return html(content); }, part);
    }
    return out;
}

}  // namespace

void add(Parts& to, Parts more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string page(const Document& document) {
    std::string body = partsHtml(document.head);
    for (const Section& section : document.sections) {
        body += fmt::format("<{0} id=\"{1}\">\n{2}</{0}>\n", section.ownPage ? "article" : "section",
                            escape(section.anchor), partsHtml(section.parts));
    }
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n"
        ":root{{color-scheme:light dark;{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}{}"
        "</style>\n</head>\n<body>\n<main>\n{}<footer>{}</footer>\n</main>\n</body>\n</html>\n",
        escape(document.title), paletteCss(kLight), paletteCss(kDark), texts::page, body,
        escape(document.footer));
}

}  // namespace highwater::report
