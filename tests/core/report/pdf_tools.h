#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What poppler's programs (pdftotext, pdfimages, pdffonts) find in a PDF.
namespace highwater::report {

/// Whether they are there.
bool hasPdfTools();

struct PdfWord {
    std::string text;
    int page = 0;
    double left = 0, top = 0, right = 0, bottom = 0;  ///< in points
};
std::vector<PdfWord> wordsOf(const std::string& pdf);
/// The text in the order it is drawn.
std::string textOf(const std::string& pdf);
/// The lines of `program` on the file, its two of headings left out.
std::vector<std::string> listed(const std::string& pdf, const std::string& program);

/// How often each run of letters and digits occurs.
std::map<std::string, int> tokens(std::string_view text);
/// The text that a reader of the HTML sees outside of its figures.
std::string visibleText(std::string_view html);

}  // namespace highwater::report
