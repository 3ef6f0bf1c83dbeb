#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/file.h"
#include "core/report/page.h"
#include "core/report/pdf.h"
#include "core/report/report.h"

namespace highwater::report {
namespace {

constexpr std::array kFormats = {
    Format{".html", "Web page", "everything in one file, light or dark, for any browser",
           [](const Content& content, const Stop&) { return page(content.document()); }, true},
    Format{".pdf", "PDF", "the same on A4 pages, to print, to send or for a paper",
           [](const Content& content, const Stop& stop) { return pdf(content.document(), stop); }, true},
    Format{".csv", "Table", "one row for each run, device, plan or cell, for a spreadsheet",
           [](const Content& content, const Stop&) { return content.csv(); }},
    Format{".json", "Data", "results and experiments with all their digits, for programs",
           [](const Content& content, const Stop&) { return content.json(); }},
};

}  // namespace

std::string html(const ReportInput& input) {
    return page(runsDocument(input));
}

std::string pdf(const ReportInput& input, const Stop& stop) {
    return pdf(runsDocument(input), stop);
}

std::span<const Format> formats() {
    return kFormats;
}

const Format* formatOf(const std::filesystem::path& out) {
    std::string ending = out.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (ending == ".htm") {
        ending = ".html";
    }
    const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                    [&](const Format& format) { return format.ending == ending; });
    return found == kFormats.end() ? nullptr : &*found;
}

std::string endingsText() {
    std::string text;
    for (const Format& format : kFormats) {
        text += text.empty() ? "" : &format == &kFormats.back() ? " or " : ", ";
        text += format.ending;
    }
    return text;
}

Content contentOf(const ReportInput& input) {
    return {[&] { return runsDocument(input); }, [&] { return csv(input); }, [&] { return json(input); }};
}

base::Status write(const ReportInput& input, const std::filesystem::path& out, const Stop& stop) {
    return input.runs.empty() ? base::Error{out.string() + ": a report needs at least one run"}
                              : write(contentOf(input), out, stop);
}

base::Status write(const Content& content, const std::filesystem::path& out, const Stop& stop) {
    if (const Format* format = formatOf(out)) {
        const std::string text = format->text(content, stop);
        if (stop && stop()) {
            return base::Error{out.string() + ": stopped before it was written"};
        }
        return base::writeFileAtomically(out, text);
    }
    return base::Error{out.string() + ": the name must end in " + endingsText()};
}

}  // namespace highwater::report
