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

std::string tableRow(const std::vector<Column>& columns, const TableRow& row, bool total) {
    std::string out = total ? "<tr class=\"total\">" : "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
        std::string classes = i < columns.size() && columns[i].number ? "n" : "";
        if (!row[i].className.empty()) {
            classes += (classes.empty() ? "" : " ") + row[i].className;
        }
        out += classes.empty() ? "<td>" : fmt::format("<td class=\"{}\">", classes);
        out += row[i].htmlBefore + escape(row[i].text);
        if (!row[i].note.empty()) {
            out += "<div class=\"note\">" + escape(row[i].note) + "</div>";
        }
        out += "</td>";
    }
    return out + "</tr>\n";
}

}  // namespace

std::string headingHtml(std::string_view level, std::string_view text) {
    return fmt::format("<{0}>{1}</{0}>\n", level, text);
}

std::string page(std::string_view title, std::string_view bodyHtml) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n"
        ":root{{color-scheme:light dark;{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}{}"
        "</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        escape(title), paletteCss(kLight), paletteCss(kDark), kStyle, bodyHtml);
}

std::string table(const std::vector<Column>& columns, const std::vector<TableRow>& rows, bool lastIsTotal) {
    std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const Column& column : columns) {
        out += fmt::format("<th{}>{}</th>", column.number ? " class=\"n\"" : "", escape(column.name));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += tableRow(columns, rows[i], lastIsTotal && i + 1 == rows.size());
    }
    return out + "</tbody></table></div>\n";
}

std::string figure(const Chart& chart, std::string_view prefix, bool half) {
    return fmt::format(
        "<figure class=\"{}\"><figcaption>{}</figcaption><div class=\"scroll\">{}</div></figure>\n",
        half ? "half" : "full", escape(chart.title), inlineSvg(chart, prefix));
}

std::string pictureFigure(const Chart& chart, std::string_view caption) {
    return fmt::format(
        "<figure><img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">"
        "<figcaption>{}</figcaption></figure>\n",
        escape(chart.title), chart.width, chart.height, base64(png(chart, kLight, 1.5)), escape(caption));
}

std::string swatch(Rgb light) {
    return fmt::format("<i class=\"swatch\" style=\"background:{}\"></i>", cssColour(light));
}

std::string card(std::string_view label, std::string_view value, std::string_view noteHtml,
                 std::string_view className) {
    return fmt::format(
        "<div class=\"card {}\"><div class=\"label\">{}</div><div class=\"value\">{}</div>"
        "<div class=\"below\">{}</div></div>\n",
        className, escape(label), escape(value), noteHtml);
}

}  // namespace highwater::report
