#include "app/desktop/scan/value_misfit.h"

#include <QObject>
#include <algorithm>
#include <cmath>

namespace highwater::desktop {
namespace {

constexpr double kFlat = 0.01;  // of the window: values that fill less are all alike to a network

QString number(double value) {
    return QString::number(value, 'g', 5).replace('-', QChar(0x2212));
}

}  // namespace

QString valueMisfit(const volume::Header& scan, const stack::Normalize& normalize) {
    if (normalize.kind != stack::Normalize::Kind::Window || !std::isfinite(scan.mean)) {
        return {};
    }
    const QString window = QObject::tr("%1 to %2").arg(number(normalize.low), number(normalize.high));
    if (scan.mean < normalize.low || scan.mean > normalize.high) {
        return QObject::tr(
                   "The experiment maps values of %1 to 0 to 1, but the scan's mean value is %2: most of "
                   "what the network gets is clamped to %3.")
            .arg(window, number(scan.mean))
            .arg(scan.mean < normalize.low ? 0 : 1);
    }
    if (scan.max - scan.min < kFlat * (normalize.high - normalize.low)) {
        return QObject::tr(
                   "The experiment maps values of %1 to 0 to 1, but the scan's values are %2 to %3: the "
                   "network gets nearly the same value everywhere.")
            .arg(window, number(scan.min), number(scan.max));
    }
    if (normalize.low < 0 && scan.min >= 0) {  // a window for Hounsfield units, and a scan without them
        const auto mapped = [&](double value) {
            return std::clamp((value - normalize.low) / (normalize.high - normalize.low), 0.0, 1.0);
        };
        return QObject::tr(
                   "The experiment maps values of %1 to 0 to 1, as for a CT, but the scan's values are %2 to "
                   "%3: the network gets only %4 to %5.")
            .arg(window, number(scan.min), number(scan.max), QString::number(mapped(scan.min), 'g', 2),
                 QString::number(mapped(scan.max), 'g', 2));
    }
    return {};
}

}  // namespace highwater::desktop
