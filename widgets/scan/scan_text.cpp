// Texts and numbers of the status line.
#include <QStringList>

#include <cmath>

#include "core/volume/labels.h"
#include "core/volume/windowing.h"
#include "widgets/scan/scan_text.h"

namespace highwater::widgets {
namespace {

QString valueText(const volume::Volume& volume, const Index3& voxel) {
    const double value = volume.at(voxel[0], voxel[1], voxel[2]);
    if (!std::isfinite(value)) {
        return std::isnan(value) ? QObject::tr("not a number") : QObject::tr("infinite");
    }
    return plainNumber(value, 'g', 6) + (volume::looksLikeCt(volume.header()) ? " HU" : "");
}

/// The value of another channel at this place; "–" outside it.
QString valueText(const volume::Volume& channel, const std::array<double, 3>& mm) {
    const auto voxel = volume::voxelAt(channel.geometry(), mm);
    return voxel ? valueText(channel, *voxel) : QString(QChar(0x2013));
}

}  // namespace

QString plainNumber(double value, char format, int digits) {
    return QString::number(value, format, digits).replace('-', QChar(0x2212));
}

QString windowNumber(double value) {
    return std::abs(value) >= 20 ? plainNumber(std::round(value), 'f', 0) : plainNumber(value, 'g', 3);
}

QString voxelText(const volume::Volume& volume, const Index3& voxel,
                  const std::vector<volume::Volume>& channels, const LabelMap& labels) {
    const auto mm = volume.geometry().toMillimeters(
        {static_cast<double>(voxel[0]), static_cast<double>(voxel[1]), static_cast<double>(voxel[2])});
    QString values = valueText(volume, voxel);
    for (const volume::Volume& channel : channels) {
        values += ", " + valueText(channel, mm);
    }
    if (const LabelStyle* const label = labels.at(mm)) {
        values += label->name == labelName(label->value)
                      ? " · " + label->name
                      : QString(" · %1 (%2)")
                            .arg(label->name, plainNumber(static_cast<double>(label->value), 'f', 0));
    }
    const QString place = QString("%1, %2, %3").arg(voxel[0]).arg(voxel[1]).arg(voxel[2]);
    if (!volume.header().spacingKnown) {
        return QObject::tr("voxel %1 = %2").arg(place, values);
    }
    return QObject::tr("(%1, %2, %3) mm = %4 · voxel %5")
        .arg(plainNumber(mm[0], 'f', 1), plainNumber(mm[1], 'f', 1), plainNumber(mm[2], 'f', 1), values,
             place);
}

QString boxText(const PatchBox& box, const volume::Header& header) {
    const auto& e = box.extent;
    QStringList ranges;
    for (std::size_t a = 0; a < 3; ++a) {
        ranges += QString("%1 %2–%3").arg("ijk"[a]).arg(box.start[a]).arg(box.start[a] + e[a] - 1);
    }
    QString text = ranges.join(' ');
    if (header.spacingKnown) {
        const auto mm = [&](std::size_t a) {
            return plainNumber(static_cast<double>(e[a]) * header.geometry.spacing[a], 'f', 1);
        };
        text += QString(" · %1 × %2 × %3 mm").arg(mm(0), mm(1), mm(2));
    }
    return text + QString(" · %1 × %2 × %3").arg(e[0]).arg(e[1]).arg(e[2]);
}

}  // namespace highwater::widgets
