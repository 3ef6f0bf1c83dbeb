#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What poppler's programs (pdftotext, pdfimages, pdffonts) find in a PDF.
namespace highwater::report {

/// Whether they are installed.
bool hasPdfTools();

struct PdfWord {
    std::string text;
    int page = 0;
    double left = 0, top = 0, right = 0, bottom = 0;  ///< in points
};
std::vector<PdfWord> wordsOf(const std::string& pdf);
/// The text in drawing order.
std::string textOf(const std::string& pdf);
/// The output lines of `program` for the file, without its two heading lines.
std::vector<std::string> listed(const std::string& pdf, const std::string& program);

/// The number of occurrences of each run of letters and digits.
std::map<std::string, int> tokens(std::string_view text);
/// The text of the HTML as read, except that in figures.
std::string visibleText(std::string_view html);

}  // namespace highwater::report
