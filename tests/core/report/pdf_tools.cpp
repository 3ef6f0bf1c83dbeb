#include "tests/core/report/pdf_tools.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/base/file.h"

namespace highwater::report {
namespace {

std::string outputOf(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; pipe && (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        out.append(buffer.data(), n);
    }
    return pipe && pclose(pipe) == 0 ? out : std::string();
}

/// The output of `command` on a file with these bytes, whose path is "$F".
std::string onFile(const std::string& bytes, const std::string& command) {
    std::string folder = (std::filesystem::temp_directory_path() / "highwater-pdf-XXXXXX").string();
    if (!mkdtemp(folder.data())) {
        return "";
    }
    const std::string file = folder + "/report.pdf";
    std::string out;
    if (base::writeFileAtomically(file, bytes)) {
        out = outputOf("F='" + file + "'; " + command + " 2>&1");
    }
    std::filesystem::remove_all(folder);
    return out;
}

std::string decoded(std::string text) {
    constexpr std::array<std::pair<const char*, const char*>, 5> kEntities = {
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}};
    for (const auto& [entity, letter] : kEntities) {
        for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
            text.replace(at, std::string_view(entity).size(), letter);
        }
    }
    return text;
}

}  // namespace

bool hasPdfTools() {
    return !outputOf("command -v pdftotext && command -v pdfimages && command -v pdffonts").empty();
}

std::vector<PdfWord> wordsOf(const std::string& pdf) {
    std::vector<PdfWord> words;
    std::istringstream lines(onFile(pdf, "pdftotext -bbox \"$F\" -"));
    int page = -1;
    for (std::string line; std::getline(lines, line);) {
        page += line.find("<page ") != std::string::npos ? 1 : 0;
        PdfWord word{{}, page};
        if (sscanf(line.c_str(), " <word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">", &word.left,
                   &word.top, &word.right, &word.bottom) == 4) {
            const std::size_t from = line.find('>') + 1;
            word.text = decoded(line.substr(from, line.rfind("</word>") - from));
            words.push_back(std::move(word));
        }
    }
    return words;
}

std::string textOf(const std::string& pdf) {
    return onFile(pdf, "pdftotext -raw \"$F\" -");
}

std::vector<std::string> listed(const std::string& pdf, const std::string& program) {
    std::vector<std::string> rows;
    std::istringstream lines(onFile(pdf, program + " \"$F\""));
    for (std::string line; std::getline(lines, line);) {
        rows.push_back(line);
    }
    rows.erase(rows.begin(),
               rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, rows.size())));
    return rows;
}

std::map<std::string, int> tokens(std::string_view text) {
    std::map<std::string, int> counts;
    std::string token;
    for (const char c : std::string(text) + " ") {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || byte >= 0x80) {
            token += c;
        } else if (!token.empty()) {
            ++counts[token];
            token.clear();
        }
    }
    return counts;
}

std::string visibleText(std::string_view html) {
    std::string text;
    for (std::size_t at = html.find("<body>"); at < html.size();) {
        if (html.substr(at, 4) == "<svg") {
            at = html.find("</svg>", at);
        } else if (html[at] == '<') {
            at = html.find('>', at) + 1;
            text += ' ';
        } else {
            text += html[at++];
        }
    }
    return decoded(std::move(text));
}

}  // namespace highwater::report
