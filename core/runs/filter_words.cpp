#include "core/runs/filter_words.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace highwater::runs {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v", kSigns = "<>=!";

struct Piece {
    std::string text;
    bool quoted = false;
    std::optional<Sign> sign = {};
};

/// Removes a sign from the beginning of the text.
std::optional<Sign> takeSign(std::string_view& text) {
    constexpr std::pair<std::string_view, Sign> signs[] = {{"<=", Sign::AtMost},  {">=", Sign::AtLeast},
                                                           {"!=", Sign::Unequal}, {"<", Sign::Less},
                                                           {">", Sign::More},     {"=", Sign::Equal}};
    for (const auto& [word, sign] : signs) {
        if (text.starts_with(word)) {
            text.remove_prefix(word.size());
            return sign;
        }
    }
    return std::nullopt;
}

/// Removes a word from the beginning of the text, up to a blank, a sign or a quote.
std::string takeWord(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && kBlanks.find(text[end]) == std::string_view::npos && text[end] != '"' &&
           (text[end] == '!' ? !text.substr(end).starts_with("!=")
                             : kSigns.find(text[end]) == std::string_view::npos)) {
        ++end;
    }
    std::string word(text.substr(0, end));
    text.remove_prefix(end);
    return word;
}

base::Result<std::vector<Piece>> piecesOf(std::string_view text) {
    std::vector<Piece> pieces;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.empty()) {
            return pieces;
        }
        if (text.front() == '"') {
            const std::size_t end = text.find('"', 1);
            if (end == std::string_view::npos) {
                return base::Error{fmt::format("{} has no closing quote; write note=\"of the paper\"",
                                               base::oneLine(text, 60))};
            }
            pieces.push_back({std::string(text.substr(1, end - 1)), true});
            text.remove_prefix(end + 1);
        } else if (const auto sign = takeSign(text)) {
            pieces.push_back({std::string(signText(*sign)), false, sign});
        } else {
            pieces.push_back({takeWord(text)});
        }
    }
}

bool isNumber(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool isUnit(const Piece& piece) {
    if (piece.quoted || piece.sign) {
        return false;
    }
    const std::string unit = base::lowered(piece.text);
    for (const std::string_view known :
         {"b", "kib", "mib", "gib", "tib", "kb", "mb", "gb", "tb", "us", "µs", "ms", "s", "min", "h"}) {
        if (unit == known) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string_view signText(Sign sign) {
    constexpr std::string_view texts[] = {"<", "<=", ">", ">=", "=", "!="};
    return texts[static_cast<std::size_t>(sign)];
}

std::string FilterWord::whole() const {
    return base::oneLine(sign ? fmt::format("{}{}{}", word, signText(*sign), value) : word, 60);
}

base::Result<std::vector<FilterWord>> filterWords(std::string_view text) {
    auto pieces = HIGHWATER_TRY(piecesOf(text));
    std::vector<FilterWord> words;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        Piece& piece = pieces[i];
        if (piece.sign) {
            return base::Error{
                fmt::format("there is no word before \"{}\"; write peak<8GiB, or quote text that contains a "
                            "comparison sign",
                            piece.text)};
        }
        FilterWord word{std::move(piece.text), piece.quoted};
        if (!word.quoted && i + 1 < pieces.size() && pieces[i + 1].sign) {
            word.sign = pieces[i + 1].sign;
            if (i + 2 >= pieces.size() || pieces[i + 2].sign) {
                return base::Error{
                    fmt::format("\"{}\" lacks a value; write it as in peak<8GiB", word.whole())};
            }
            const Piece& value = pieces[i + 2];
            word.value = value.text;
            i += 2;
            if (!value.quoted && isNumber(value.text) && i + 1 < pieces.size() && isUnit(pieces[i + 1])) {
                word.value += pieces[++i].text;
            }
        }
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace highwater::runs
