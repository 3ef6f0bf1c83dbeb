#pragma once

#include "app/desktop/study/study_values.h"

/// Texts and colors of verdicts, and texts of figures.
namespace highwater::desktop {

QString verdictText(ClaimVerdict verdict);  ///< "holds", "does not hold", "not yet run", ...
QColor verdictColor(ClaimVerdict verdict);

/// "142 MiB", "12.3 ms", "3.4 /s", "0.512".
QString figureText(double value, const QString& unit);
/// "140 to 145 MiB"; empty if there is no interval.
QString spreadText(const base::Interval& value, const QString& unit);

/// A ratio as a change: "-18.2 %", "+0.4 %".
QString changeText(double ratio);
/// "-19.0 to -17.5 %"; empty if there is no interval.
QString changeSpread(const base::Interval& ratio);

}  // namespace highwater::desktop
