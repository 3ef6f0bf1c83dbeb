#include "app/desktop/scan/patches/patch_words.h"

#include <QObject>
#include <QStringList>
#include <memory>

#include "core/base/text.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {
namespace {

QString signedText(std::int64_t value) {
    return QString::number(value).replace('-', QChar(0x2212));
}

}  // namespace

QString grouped(qint64 count) {
    QString text = QString::number(count);
    for (qsizetype at = text.size() - 3; at > (count < 0 ? 1 : 0); at -= 3) {
        text.insert(at, ',');
    }
    return text;
}

QString placeText(const std::array<std::int64_t, 3>& start, const std::array<std::int64_t, 3>& extent) {
    QStringList axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Next to a minus sign, a dash could be read as another one.
        axes << QString(start[axis] < 0 ? "%1 %2 to %3" : "%1 %2–%3")
                    .arg(QLatin1Char("ijk"[axis]))
                    .arg(signedText(start[axis]), signedText(start[axis] + extent[axis] - 1));
    }
    return axes.join(", ");
}

QString doneText(const std::vector<std::string>& augmentations, bool asked) {
    if (!asked) {
        return QObject::tr("none is set");
    }
    if (augmentations.empty()) {
        return QObject::tr("none was applied to this patch");
    }
    return widgets::fromUtf8(augmentations).join(", ");
}

QString shareText(double share) {
    const double percent = 100 * share;
    const QString sign = QString(QChar(0xa0)) + '%';
    if (percent > 0 && percent < 0.1) {
        return QObject::tr("under %1").arg("0.1" + sign);
    }
    if (percent < 100 && percent > 99.9) {
        return QObject::tr("over %1").arg("99.9" + sign);
    }
    const bool whole = percent == 0 || percent == 100;
    return QString::number(percent, 'f', whole ? 0 : 1) + sign;
}

QString coverageText(const volume::Coverage& coverage, const volume::Index3& scan) {
    const bool blocks = coverage.map.geometry().size != scan;
    return (blocks && coverage.never < 1 ? QObject::tr("mean %1 samples per voxel, at least %2 never seen")
                                         : QObject::tr("mean %1 samples per voxel, %2 never seen"))
        .arg(QString::fromStdString(base::formatNumber(coverage.mean)), shareText(coverage.never));
}

volume::Volume heatOf(const volume::Volume& volume, double most) {
    if (volume.empty() || !(most > 0)) {
        return {};
    }
    volume::Header header = volume.header();
    header.slope /= most;
    header.intercept /= most;
    header.min /= most;
    header.max /= most;
    header.mean /= most;
    const auto owner = std::make_shared<volume::Volume>(volume);
    return {std::move(header), std::shared_ptr<const std::byte>(owner, owner->data())};
}

}  // namespace highwater::desktop
