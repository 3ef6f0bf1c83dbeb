#pragma once

#include "widgets/study/study_values.h"

/// Verdicts and figures in the window's words and colours.
namespace highwater::widgets {

QString verdictText(ClaimVerdict verdict);  ///< "holds", "does not hold", "not yet run", ...
QColor verdictColour(ClaimVerdict verdict);

/// "142 MiB", "12.3 ms", "3.4 /s", "0.512".
QString figureText(double value, const QString& unit);
/// "140 to 145 MiB"; empty where there is no spread.
QString spreadText(const base::Interval& value, const QString& unit);

/// A ratio as a change: "-18.2 %", "+0.4 %".
QString changeText(double ratio);
/// "-19.0 to -17.5 %"; empty where there is no spread.
QString changeSpread(const base::Interval& ratio);

/// "about 3 min", "less than a minute".
QString durationText(double ms);

}  // namespace highwater::widgets
