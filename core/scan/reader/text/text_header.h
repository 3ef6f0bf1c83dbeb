#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// What the formats with a header of text (NRRD, MetaImage) have in common. No function depends on the
/// locale.
namespace highwater::scan::reader {

/// The most that is read as a header; voxels begin before, or there are none.
inline constexpr std::size_t kMostHeaderText = std::size_t{1} << 20;

std::string_view trimmed(std::string_view text);
std::string lowerCase(std::string_view text);

/// The text up to the next newline, without "\r"; moves `text` behind it. Nothing at the end of the text, and
/// for a line that has no end.
std::optional<std::string_view> nextLine(std::string_view& text);

/// Words between spaces; one in double quotes may have spaces in it and loses the quotes.
std::vector<std::string> wordsOf(std::string_view text);

/// A decimal number; also "nan" and "inf". Nothing for anything else.
std::optional<double> parseNumber(std::string_view text);
std::optional<std::int64_t> parseWhole(std::string_view text);

/// A list of `count` numbers between spaces. The error names the field and what it must be.
base::Result<std::vector<double>> parseNumbers(std::string_view field, std::string_view text,
                                               std::size_t count);
base::Result<std::vector<std::int64_t>> parseWholes(std::string_view field, std::string_view text,
                                                    std::size_t count);

/// The path of a data file that a header names. A name that leads out of the header's folder is refused: a
/// header from elsewhere could show any file of this machine as voxels.
base::Result<std::string> dataFilePath(const std::string& header, std::string_view name);

}  // namespace highwater::scan::reader
