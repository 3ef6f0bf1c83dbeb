#include "app/desktop/scan/cases/cohort_values.h"

#include <QFileInfo>
#include <cmath>

#include "core/base/text.h"
#include "core/volume/slice.h"
#include "core/volume/statistics.h"
#include "core/volume/windowing.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

std::array<qint64, 3> sizeOf(const std::array<std::int64_t, 3>& size) {
    return {size[0], size[1], size[2]};
}

volume::Plane planeAcross(const volume::Geometry& geometry, int axis) {
    for (const volume::Plane plane :
         {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal}) {
        if (volume::sliceLayout(geometry, plane).normalAxis == axis) {
            return plane;
        }
    }
    return volume::Plane::Axial;
}

}  // namespace

SeriesRow rowOf(const scan::Series& series) {
    SeriesRow row;
    row.id = widgets::fromUtf8(series.id);
    row.description = widgets::fromUtf8(series.description);
    row.modality = widgets::fromUtf8(series.modality);
    row.number = series.number;
    row.size = sizeOf(series.size);
    row.spacing = series.spacing;
    row.volumes = series.volumes;
    row.files = series.files;
    row.warnings = widgets::fromUtf8(series.warnings);
    row.problem = widgets::fromUtf8(series.problem);
    return row;
}

SeriesRow rowOf(const std::string& id, const std::string& name) {
    SeriesRow row;
    row.id = widgets::fromUtf8(id);
    row.description = widgets::fromUtf8(name);
    return row;
}

void fill(SeriesRow& row, const volume::Header& header) {
    row.size = sizeOf(header.geometry.size);
    row.spacing = header.spacingKnown ? header.geometry.spacing : std::array<double, 3>{};
    row.volumes = header.volumes;
    for (const QString& warning : widgets::fromUtf8(header.warnings)) {
        if (!row.warnings.contains(warning)) {
            row.warnings << warning;
        }
    }
}

SeriesRow unreadRow(const std::string& line) {
    SeriesRow row;
    const std::size_t colon = line.find(": ");
    row.id = "unread " + widgets::fromUtf8(line);
    row.description = widgets::fromUtf8(line.substr(0, colon));
    row.problem = colon == std::string::npos ? QObject::tr("cannot be read")
                                             : widgets::fromUtf8(line.substr(colon + 2));
    return row;
}

CaseRow rowOf(const scan::Case& theCase) {
    CaseRow row;
    row.name = widgets::fromUtf8(theCase.name);
    row.channels = static_cast<qint64>(theCase.channels.size());
    row.labels = QFileInfo(widgets::fromUtf8(theCase.labels)).fileName();
    return row;
}

CaseRow rowOf(const scan::Case& theCase, const scan::CaseFacts& facts) {
    CaseRow row = rowOf(theCase);
    row.read = true;
    row.warnings = widgets::fromUtf8(facts.warnings);
    row.problem = widgets::fromUtf8(facts.problem);
    if (facts.channels.empty()) {
        return row;
    }
    const volume::Header& first = facts.channels.front();
    row.size = sizeOf(first.geometry.size);
    row.spacing = first.spacingKnown ? first.geometry.spacing : std::array<double, 3>{};
    for (const volume::Header& channel : facts.channels) {
        row.low = std::fmin(row.low, channel.min);
        row.high = std::fmax(row.high, channel.max);
    }
    return row;
}

ProposalRow rowOf(const plan::PatchProposal& proposal, base::Bytes capacity) {
    ProposalRow row;
    row.patch = widgets::fromUtf8(base::formatShape(proposal.patch));
    row.batch = QString::number(proposal.batch);
    row.peak = QObject::tr("%1 of %2")
                   .arg(widgets::fromUtf8(base::formatBytes(proposal.peak)),
                        widgets::fromUtf8(base::formatBytes(capacity)));
    row.covered = QObject::tr("%1 % of the resampled median case")
                      .arg(QString::number(100 * proposal.coveredShare, 'f', 0));
    row.why = widgets::fromUtf8(proposal.why);
    return row;
}

std::vector<plan::CaseShape> shapesOf(const std::vector<scan::CaseFacts>& facts) {
    std::vector<plan::CaseShape> shapes;
    for (const scan::CaseFacts& one : facts) {
        if (one.problem.empty() && !one.channels.empty()) {
            shapes.push_back({one.channels.front().geometry.size, one.channels.front().geometry.spacing});
        }
    }
    return shapes;
}

QImage middleSlice(const volume::Volume& volume, int side) {
    if (volume.empty()) {
        return {};
    }
    // Slices are taken across the axis with the largest spacing, or the last axis if all are equal.
    const auto& spacing = volume.geometry().spacing;
    const int axis = spacing[0] > spacing[2] && spacing[0] >= spacing[1] ? 0
                     : spacing[1] > spacing[2]                           ? 1
                                                                         : 2;
    const volume::SliceLayout layout =
        volume::sliceLayout(volume.geometry(), planeAcross(volume.geometry(), axis));
    const auto window = volume::defaultWindow(volume.header(), volume::histogram(volume, 256));
    const auto gray = volume::sliceGray(volume, layout, layout.depth / 2, window);
    const QImage whole(gray.data(), static_cast<int>(layout.width), static_cast<int>(layout.height),
                       layout.width, QImage::Format_Grayscale8);
    const QSizeF millimeters(static_cast<double>(layout.width) * layout.columnSpacing,
                             static_cast<double>(layout.height) * layout.rowSpacing);
    const QSize size = millimeters.scaled(side, side, Qt::KeepAspectRatio).toSize().expandedTo({1, 1});
    return whole.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
}

}  // namespace highwater::desktop
