#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Numbers and sizes as people type them. Errors are one short line that says what would be right.
namespace highwater::widgets {

struct SizeRule {
    std::int64_t low = 1;
    std::int64_t high = 1'000'000;
    std::size_t most = 3;     ///< how many numbers at most
    bool mayBeEmpty = false;  ///< empty text stands for "not given" (empty sizes)
};

/// "3", "3,3,1", "3x3x1", "3 × 3 × 1", "3 3 1", "3³".
base::Result<stack::Sizes> parseSizes(const QString& text, const SizeRule& rule);
/// "3", "3 × 3 × 1"; empty for none.
QString sizesText(const stack::Sizes& sizes);
/// One number repeated to `count`; anything else unchanged.
stack::Sizes expandSizes(stack::Sizes sizes, std::size_t count);
/// Sizes for tight places: "3³" for three equal ones, "3 × 3 × 1" otherwise; a single one as `dims` of it.
QString sizesWords(const stack::Sizes& sizes, int dims);

base::Result<double> parseNumber(const QString& text, double low, double high);
/// The shortest text that reads back as the same number: "0.01", "1e-05".
QString numberText(double value);
base::Result<std::vector<double>> parseNumbers(const QString& text, double low, double high);
QString numbersText(const std::vector<double>& values);

}  // namespace highwater::widgets
