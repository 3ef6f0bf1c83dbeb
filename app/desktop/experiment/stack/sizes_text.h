#pragma once

#include <QStringList>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Parses and formats numbers and sizes as people type them. Errors are one short line that says what would
/// be valid.
namespace highwater::desktop {

struct SizeRule {
    std::int64_t low = 1;
    std::int64_t high = 1'000'000;
    std::size_t most = 3;     ///< the maximum number of values
    bool mayBeEmpty = false;  ///< empty text is allowed and means "not given" (empty sizes)
};

/// Parses "3", "3,3,1", "3x3x1", "3 × 3 × 1", "3 3 1", "3³".
base::Result<stack::Sizes> parseSizes(const QString& text, const SizeRule& rule);
/// "3", "3 × 3 × 1"; empty if there are no sizes.
QString sizesText(const stack::Sizes& sizes);
/// Repeats a single number `count` times. Other sizes are returned unchanged.
stack::Sizes expandSizes(stack::Sizes sizes, std::size_t count);
/// Words as a list of texts.
QStringList wordList(std::span<const std::string_view> words);
/// Short form of sizes: "3³" for three equal numbers, otherwise "3 × 3 × 1". A single number counts as `dims`
/// equal ones.
QString sizesWords(const stack::Sizes& sizes, int dims);

base::Result<double> parseNumber(const QString& text, double low, double high);
/// The shortest text that parses to the same number: "0.01", "1e-05".
QString numberText(double value);
base::Result<std::vector<double>> parseNumbers(const QString& text, double low, double high);
QString numbersText(const std::vector<double>& values);

}  // namespace highwater::desktop
