#pragma once

#include <optional>
#include <vector>

#include "app/desktop/scan/cases/case_values.h"

/// The text of sizes, spacings and values in the tables of series and of cases. The texts do not depend on
/// the locale.
namespace highwater::desktop {

QString sizeWords(const std::array<qint64, 3>& size);        ///< "240 × 240 × 155"; "—" if unknown
QString spacingWords(const std::array<double, 3>& spacing);  ///< "0.859 × 0.859 × 0.9"; "unknown" if unknown
QString rangeWords(double low, double high);                 ///< "−1024 to 3071"; "—" if unknown
QString numberWords(double value);  ///< four significant digits, with a real minus sign "−"

/// The short note of a row: its problem if it has one, otherwise the number of its warnings and the first
/// one.
QString noteOf(const QString& problem, const QStringList& warnings);

/// Medians over the cases that were read and can be used.
struct CohortMedians {
    qint64 cases = 0;
    std::array<double, 3> size{};
    std::array<double, 3> spacing{};  ///< over the cases with a known spacing; 0 if there are none
    double low = 0, high = 0;         ///< lowest and highest value of all cases; NaN if unknown
};
std::optional<CohortMedians> mediansOf(const std::vector<CaseRow>& cases);
/// "Median of 12 cases as they are stored: 240 × 240 × 155 voxels, 1 × 1 × 1 mm; values 0 to 1423. 2 cannot
/// be used; case_7_0001.nii: truncated." Names the first case that cannot be used.
QString mediansWords(const std::vector<CaseRow>& cases);

/// Returns why these rows cannot be the channels of one case, or an empty string if they can: there must be
/// at least two, all readable, with the same size and spacing.
QString whyNotChannels(const std::vector<SeriesRow>& rows);

}  // namespace highwater::desktop
