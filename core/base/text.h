#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// Formats values for display. Never depends on the locale: the decimal sign is always a point.

/// "0 B", "512 B", "1.50 KiB", "216 MiB", "9.31 GiB": three significant digits from KiB on. Negative values
/// keep their sign.
std::string formatBytes(Bytes bytes);
/// "0.42 ms", "204 ms", "1.25 s", "3 min 20 s".
std::string formatMillis(Millis ms);
/// "999", "45.2 k", "0.45 M", "31.2 M", "1.20 G": a count such as parameters.
std::string formatCount(std::int64_t count);
/// "0.042", "4.71", "4.03 k": a plain number, such as a rate, with three significant digits.
std::string formatNumber(double value);
/// "+0.8 %", "-12.5 %", "0.0 %": how much `value` is above or below `reference`, in percent of `reference`,
/// which must be above 0. Always state measured relative to predicted, never the other way round.
std::string formatChange(double reference, double value);
/// "1 layer", "4 layers", "2 classes": a count of things; `one` is the singular.
std::string counted(std::int64_t count, std::string_view one);
/// "warm-up 1 of 3", then "step 1 of 20": a step by its index, which counts from 0 and includes the warm-up.
/// `steps` does not include the warm-up.
std::string stepName(int index, int warmup, int steps);
/// The same for a run in progress with `done` steps done: the last of them, or the first step if none is
/// done.
std::string stepInProgress(int done, int warmup, int steps);
/// "64 × 96 × 96 × 96".
std::string formatShape(std::span<const std::int64_t> shape);
/// A shorter form of a shape: 2 or 3 equal spatial sizes at the end become a power, "64 × 96³". Otherwise the
/// same as formatShape.
std::string formatShapeShort(std::span<const std::int64_t> shape);

/// Reads "8GiB", "512 MiB", "1.5g", "1000000": a number with an optional unit (B, K/KB/KiB, M.., G.., T..;
/// powers of 1024; case-insensitive). Error if the text is empty, the number is negative or the unit unknown,
/// or the result exceeds 2^63-1.
Result<Bytes> parseBytes(std::string_view text);

/// Returns the text as one line of valid UTF-8 that is safe to print: see printable() of printable.h, with
/// line breaks replaced and without spaces at the end. Text longer than `most` bytes is cut at a character
/// boundary and ends with "…".
std::string oneLine(std::string_view text, std::size_t most = 400);

/// The text without these characters at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// Returns the candidate with the smallest edit distance to `word`, or an empty string if none is close
/// enough to be a likely typo.
std::string nearestWord(std::string_view word, std::span<const std::string_view> candidates);

/// Reads the whole text as a number, without white space or a leading plus; false if it is none.
template <class Number>
bool readNumber(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

/// A to Z in lower case; other characters are unchanged.
constexpr char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lowered(std::string_view text);

}  // namespace highwater::base
