#include "app/desktop/study/study_words.h"

#include <QObject>
#include <cmath>

#include "core/base/text.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

QString signedPercent(double ratio) {
    const double percent = (ratio - 1) * 100;
    const int decimals = std::abs(percent) >= 100 ? 0 : 1;
    const QString digits = QString::number(percent, 'f', decimals);
    const bool nothing = digits.toDouble() == 0;
    return nothing ? QString::number(0.0, 'f', decimals) : (percent > 0 ? "+" : "") + digits;
}

}  // namespace

QString verdictText(ClaimVerdict verdict) {
    switch (verdict) {
        case ClaimVerdict::Holds:
            return QObject::tr("holds");
        case ClaimVerdict::DoesNotHold:
            return QObject::tr("does not hold");
        case ClaimVerdict::Depends:
            return QObject::tr("depends");
        case ClaimVerdict::NotTestable:
            return QObject::tr("not testable here");
        case ClaimVerdict::NotRun:
            break;
    }
    return QObject::tr("not yet run");
}

QColor verdictColor(ClaimVerdict verdict) {
    const widgets::Theme& t = widgets::theme();
    switch (verdict) {
        case ClaimVerdict::Holds:
            return t.good;
        case ClaimVerdict::DoesNotHold:
            return t.bad;
        case ClaimVerdict::Depends:
            return t.warning;
        default:
            return t.mutedText;
    }
}

QString figureText(double value, const QString& unit) {
    if (unit == "B") {
        return QString::fromStdString(base::formatBytes(static_cast<base::Bytes>(std::llround(value))));
    }
    if (unit == "ms") {
        return QString::fromStdString(base::formatMillis(value));
    }
    const QString number = QString::fromStdString(base::formatNumber(value));
    return unit == "1/s" ? number + " /s" : unit.isEmpty() ? number : number + ' ' + unit;
}

QString spreadText(const base::Interval& value, const QString& unit) {
    if (value.n < 2 || value.low == value.high) {
        return {};
    }
    return QObject::tr("%1 to %2").arg(figureText(value.low, unit), figureText(value.high, unit));
}

QString changeText(double ratio) {
    return signedPercent(ratio) + " %";
}

QString changeSpread(const base::Interval& ratio) {
    if (ratio.n < 2 || ratio.low == ratio.high) {
        return {};
    }
    return QObject::tr("%1 to %2 %").arg(signedPercent(ratio.low), signedPercent(ratio.high));
}

}  // namespace highwater::desktop
