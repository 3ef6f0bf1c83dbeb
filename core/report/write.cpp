#include <algorithm>
#include <cctype>

#include "core/base/file.h"
#include "core/report/report.h"

namespace highwater::report {

base::Status write(const ReportInput& input, const std::filesystem::path& out) {
    std::string ending = out.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (input.runs.empty()) {
        return base::Error{out.string() + ": a report needs at least one run"};
    }
    if (ending == ".html" || ending == ".htm") {
        return base::writeFileAtomically(out, html(input));
    }
    if (ending == ".csv") {
        return base::writeFileAtomically(out, csv(input));
    }
    if (ending == ".json") {
        return base::writeFileAtomically(out, json(input));
    }
    if (ending == ".pdf") {
        return base::Error{
            out.string() +
            ": a report is written as .html, .csv or .json; for a PDF, print the .html from a browser"};
    }
    return base::Error{out.string() + ": the name must end in .html, .csv or .json"};
}

}  // namespace highwater::report
