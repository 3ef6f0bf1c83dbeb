#include "core/report/page.h"

#include <fmt/format.h>

#include "core/report/escape.h"

namespace highwater::report {
namespace {

constexpr std::string_view kStyle = R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);font:15px/1.55 Inter,system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
main{max-width:944px;margin:0 auto;padding:40px 32px 56px}
h1{font-size:28px;line-height:1.2;margin:4px 0 6px;font-weight:650;letter-spacing:-.012em;overflow-wrap:anywhere}
h2{font-size:18px;line-height:1.3;margin:44px 0 12px;font-weight:620}
h3{font-size:15.5px;line-height:1.35;margin:32px 0 10px;font-weight:620}
article{border-top:1px solid var(--grid);margin-top:48px}
article>h2{font-size:22px;margin-top:28px;overflow-wrap:anywhere}
p{margin:0 0 12px;max-width:84ch;overflow-wrap:anywhere}
.eyebrow{color:var(--muted);font-size:13px;font-weight:550;margin:0}
.meta,.note,figcaption{color:var(--muted);font-size:13.5px}
.meta{margin-bottom:20px}
.cards{display:grid;grid-template-columns:repeat(3,1fr);gap:12px;margin:20px 0}
.card{background:var(--panel);border-radius:8px;padding:14px 16px;min-width:0}
.card.wide{grid-column:1/-1}
.card .label{color:var(--muted);font-size:13px}
.card .value{font-size:24px;line-height:1.3;font-weight:620;font-variant-numeric:tabular-nums;letter-spacing:-.01em;overflow-wrap:anywhere}
.card .below{color:var(--muted);font-size:13px;font-variant-numeric:tabular-nums}
.good .value{color:var(--good)}.bad .value{color:var(--bad)}.warning .value{color:var(--warning)}
.split{display:flex;height:12px;border-radius:3px;overflow:hidden;margin:10px 0 8px}
.split i{display:block;min-width:0}
.keys{display:flex;flex-wrap:wrap;gap:2px 18px}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:7px}
.banner{border-left:4px solid var(--bad);background:var(--panel);border-radius:0 8px 8px 0;padding:14px 18px;margin:20px 0}
.banner.plain{border-color:var(--warning)}
.banner b{display:block;font-size:16px;font-weight:620;color:var(--bad);margin-bottom:2px}
.banner.plain b{color:var(--warning)}
.banner p:last-child,.banner ul{margin-bottom:0}
.scroll{overflow-x:auto;margin:0 0 16px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:6px 14px 6px 0;border-bottom:1px solid var(--grid);vertical-align:baseline}
th{color:var(--muted);font-weight:550;white-space:nowrap}
td{min-width:3em}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;white-space:nowrap}
td.nowrap{white-space:nowrap}
td.wide{min-width:15em}td.name{min-width:11em}
tr.total td{font-weight:620;border-bottom:0}
.indent1{padding-left:18px}.indent2{padding-left:36px}.indent3{padding-left:54px}
figure{margin:0 0 22px;min-width:0}
figcaption{margin:0 0 6px}
figure .scroll{margin:0}
svg{display:block;width:100%;height:auto}
figure.full svg{min-width:640px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,360px),1fr));gap:0 20px}
.slices{display:grid;grid-template-columns:repeat(3,1fr);gap:10px;margin:0 0 10px}
.slices figure{margin:0}
.slices img{display:block;width:100%;height:auto;border-radius:6px;background:#000}
.slices figcaption{margin:6px 0 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 24px;margin:0;font-size:13.5px}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
ul{margin:0 0 12px;padding-left:20px}li{overflow-wrap:anywhere}
pre,code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:12.5px}
pre{background:var(--panel);border-radius:8px;padding:12px 14px;overflow-x:auto;margin:8px 0 12px;line-height:1.5}
summary{cursor:pointer;color:var(--accent);font-weight:550}
footer{margin-top:56px;color:var(--muted);font-size:13px}
@media(max-width:600px){main{padding:24px 16px 40px}h1{font-size:23px}.slices{grid-template-columns:1fr}.slices img{max-width:340px}.cards{grid-template-columns:1fr 1fr}.card{padding:12px}.card:last-child{grid-column:1/-1}.card .value{font-size:20px}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}}
@media print{body{font-size:11pt}main{max-width:none;padding:0}.card,.banner,pre,.split i,.swatch{-webkit-print-color-adjust:exact;print-color-adjust:exact}figure,.card,.banner,tr{break-inside:avoid}h2,h3{break-after:avoid}article{break-before:page;border:0;margin-top:0}figure.full svg{min-width:0}.scroll{overflow:visible}pre{white-space:pre-wrap}}
)css";

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

/// A small square in the colour of a category or phase.
std::string swatch(Rgb light) {
    return fmt::format("<i class=\"swatch\" style=\"background:{}\"></i>", cssColour(light));
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
        bar += fmt::format("<i style=\"background:{};width:{:.3f}%\"></i>", cssColour(part.colour),
                           100 * part.share);
        keys += fmt::format("<span>{}{}</span>", swatch(part.colour), escape(part.text));
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
            card.wide ? "wide" : toneName(card.tone), escape(card.label), escape(card.value), below);
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
        escape(document.title), paletteCss(kLight), paletteCss(kDark), kStyle, body, escape(document.footer));
}

}  // namespace highwater::report
