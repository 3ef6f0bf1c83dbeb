#pragma once

#include <optional>
#include <vector>

#include "widgets/cases/case_values.h"

/// The words of those tables. Never depend on the locale.
namespace highwater::widgets {

QString sizeWords(const std::array<qint64, 3>& size);        ///< "240 × 240 × 155"; "—" where unknown
QString spacingWords(const std::array<double, 3>& spacing);  ///< "0.859 × 0.859 × 0.9"; "unknown"
QString rangeWords(double low, double high);                 ///< "−1024 to 3071"; "—" where unknown
QString numberWords(double value);                           ///< four significant digits, "−" for minus

/// What a row has to say in a few words: its problem, or its warnings, how many and the first.
QString noteOf(const QString& problem, const QStringList& warnings);

/// Over the cases that were read and can be used.
struct CohortMedians {
    qint64 cases = 0;
    std::array<double, 3> size{};
    std::array<double, 3> spacing{};  ///< over those whose spacing is known; 0 where none is
    double low = 0, high = 0;         ///< the lowest and the highest value of all; NaN where none is known
};
std::optional<CohortMedians> mediansOf(const std::vector<CaseRow>& cases);
/// "Median of 12 cases: 240 × 240 × 155 voxels, 1 × 1 × 1 mm; values 0 to 1423. 1 cannot be used."
QString mediansWords(const std::vector<CaseRow>& cases);

/// Why these rows cannot be the channels of one case; empty where they can: at least two, all readable, of
/// one size and spacing.
QString whyNotChannels(const std::vector<SeriesRow>& rows);

}  // namespace highwater::widgets
