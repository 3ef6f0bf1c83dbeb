#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// Text for people. Never depends on the locale: the decimal sign is always a point.

/// "0 B", "512 B", "1.50 KiB", "216 MiB", "9.31 GiB": three significant digits from KiB on. Negative values
/// keep their sign.
std::string formatBytes(Bytes bytes);
/// "0.42 ms", "204 ms", "1.25 s", "3 min 20 s".
std::string formatMillis(Millis ms);
/// "999", "45.2 k", "0.45 M", "31.2 M", "1.20 G": a count such as parameters.
std::string formatCount(std::int64_t count);
/// "0.042", "4.71", "4.03 k": three significant digits of a rate or another plain number.
std::string formatNumber(double value);
/// "1 layer", "4 layers", "2 classes": a count of things, by the name of one.
std::string counted(std::int64_t count, std::string_view one);
/// "64 × 96 × 96 × 96".
std::string formatShape(std::span<const std::int64_t> shape);
/// A shape for tight places: trailing equal sizes as a power, "64 × 96³" (2 or 3 equal spatial sizes),
/// otherwise like formatShape.
std::string formatShapeShort(std::span<const std::int64_t> shape);

/// "8GiB", "512 MiB", "1.5g", "1000000": a number with an optional unit (B, K/KB/KiB, M.., G.., T..; powers
/// of 1024; case does not matter). Refuses negative, empty, unknown units, and what exceeds 2^63-1.
Result<Bytes> parseBytes(std::string_view text);

/// The text in one line of valid UTF-8: control characters and newlines become spaces, bytes that are no
/// UTF-8 (and U+0080 to U+009F) U+FFFD; longer than `most` bytes is cut with "…" at a character.
std::string oneLine(std::string_view text, std::size_t most = 400);

/// The candidate nearest to `word` by edit distance, if it is near enough to be a likely slip; empty
/// otherwise.
std::string nearestWord(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace highwater::base
