#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// Common parts of the formats with a text header (NRRD, MetaImage). No function depends on the locale.
namespace highwater::scan::reader {

/// The maximum number of bytes read as a header. A header that does not end within them is invalid.
inline constexpr std::size_t kMostHeaderText = std::size_t{1} << 20;

std::string_view trimmed(std::string_view text);

/// Returns the text up to the next newline, without "\r", and moves `text` past it. Returns std::nullopt at
/// the end of the text, and for a line without a newline.
std::optional<std::string_view> nextLine(std::string_view& text);

/// Splits at spaces. A word in double quotes may contain spaces and loses the quotes.
std::vector<std::string> wordsOf(std::string_view text);

/// Parses a decimal number, also "nan" and "inf". Returns std::nullopt for anything else.
std::optional<double> parseNumber(std::string_view text);
std::optional<std::int64_t> parseWhole(std::string_view text);

/// Parses a list of `count` numbers separated by spaces. The error names the field and what it must be.
base::Result<std::vector<double>> parseNumbers(std::string_view field, std::string_view text,
                                               std::size_t count);
base::Result<std::vector<std::int64_t>> parseWholes(std::string_view field, std::string_view text,
                                                    std::size_t count);

/// Returns the path of a data file that a header names. Error if the name leads out of the header's folder:
/// otherwise an untrusted header could show any file of this machine as voxels.
base::Result<std::string> dataFilePath(const std::string& header, std::string_view name);

}  // namespace highwater::scan::reader
