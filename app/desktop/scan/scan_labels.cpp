#include "app/desktop/scan/scan_labels.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <cmath>

#include "core/volume/labels.h"
#include "widgets/controls/last_folder.h"
#include "widgets/scan/panel/scan_panel.h"

namespace highwater::desktop {

namespace {

constexpr auto kMapFolder = "files/labelFolder";
constexpr auto kNamesFolder = "files/labelNamesFolder";
constexpr double kSamePlace = 0.1;  // voxels

/// The corners of `a` in the voxels of `b`: the minimum and the maximum along each axis.
std::pair<std::array<double, 3>, std::array<double, 3>> reach(const volume::Geometry& a,
                                                              const volume::Geometry& b) {
    std::array<double, 3> low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (unsigned corner = 0; corner < 8; ++corner) {
        std::array<double, 3> at{};
        for (unsigned axis = 0; axis < 3; ++axis) {
            at[axis] = (corner >> axis & 1U) != 0 ? static_cast<double>(a.size[axis] - 1) : 0;
        }
        const auto there = b.toIndex(a.toMillimeters(at));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], there[axis]);
            high[axis] = std::max(high[axis], there[axis]);
        }
    }
    return {low, high};
}

bool samePlace(const volume::Geometry& a, const volume::Geometry& b) {
    for (const std::array<double, 3>& at : {std::array<double, 3>{},
                                            {static_cast<double>(a.size[0]), 0, 0},
                                            {0, static_cast<double>(a.size[1]), 0},
                                            {0, 0, static_cast<double>(a.size[2])}}) {
        const auto there = b.toIndex(a.toMillimeters(at));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!(std::abs(there[axis] - at[axis]) < kSamePlace)) {
                return false;
            }
        }
    }
    return a.size == b.size;
}

QString placeWarning(const volume::Geometry& map, const volume::Geometry& scan) {
    if (samePlace(map, scan)) {
        return {};
    }
    const auto [low, high] = reach(map, scan);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (high[axis] < -0.5 || low[axis] > static_cast<double>(scan.size[axis]) - 0.5) {
            return ScanLabels::tr(
                "According to its header, the label map lies outside the scan: none of it is visible.");
        }
    }
    return map.size == scan.size
               ? ScanLabels::tr(
                     "According to its header, the label map does not overlap the scan exactly: it is shown "
                     "at its own position, but a run matches it voxel by voxel.")
               : ScanLabels::tr(
                     "The label map has a different grid than the scan: it is shown at its position in "
                     "millimeters.");
}

}  // namespace

base::Result<widgets::LabelMap> labelMapOf(const volume::Volume& map, const std::filesystem::path& path,
                                           const std::filesystem::path& names, const volume::Geometry& scan,
                                           const std::atomic<bool>& cancel) {
    const auto counts = volume::countLabels(map, &cancel);
    if (!counts) {
        return base::Error{path.filename().string() + " " + counts.error().message};
    }
    widgets::LabelMap out;
    out.volume = map;
    out.source = QString::fromStdString(path.filename().string());
    out.warning = placeWarning(map.geometry(), scan);
    scan::LabelTable table;
    if (const auto file = names.empty() ? scan::labelTableBeside(path) : names; !file.empty()) {
        if (auto read = scan::readLabelTable(file)) {
            table = std::move(*read);
            out.source = ScanLabels::tr("%1 · names of %2")
                             .arg(out.source, QString::fromStdString(file.filename().string()));
        } else if (out.warning.isEmpty()) {
            out.warning = QString::fromStdString(read.error().message);
        }
    }
    for (const volume::LabelCount& count : *counts) {
        widgets::LabelStyle label{count.value, widgets::labelName(count.value),
                                  widgets::labelColor(count.value), count.voxels, count.inside};
        if (const auto at = table.find(count.value); at != table.end()) {
            label.name = QString::fromStdString(at->second.name);
            if (const auto& c = at->second.color) {
                label.color = QColor((*c)[0], (*c)[1], (*c)[2]);
            }
        }
        out.labels.push_back(std::move(label));
    }
    return out;
}

ScanLabels::ScanLabels(widgets::ScanPanel& panel, QObject* parent) : QObject(parent), panel_(panel) {
    connect(&panel_, &widgets::ScanPanel::labelNamesRequested, this,
            [this] { chooseNames(panel_.window()); });
    connect(&panel_, &widgets::ScanPanel::removeLabelsRequested, this, &ScanLabels::remove);
    connect(&loader_, &ScanLoader::loaded, this, [this] {
        opened_ = {loader_.volumes().front(), loader_.sources().front().path};
        openedOver_.reset();
        refresh();
    });
    connect(&loader_, &ScanLoader::failed, this, [this](const QString& message) { fail(message, true); });
}

ScanLabels::~ScanLabels() {
    job_.cancel();
    pool_.waitForDone();
}

void ScanLabels::follow(const volume::Volume& scan, const volume::Volume& map, const QString& path) {
    scan_ = scan;
    own_ = {map, path.toStdString()};
    if (!opened_.volume.empty() && openedOver_ && !scan.empty() && *openedOver_ != scan.geometry()) {
        opened_ = {};
        loader_.load({});
    }
    refresh();
}

void ScanLabels::open(const QString& path) {
    problem_.clear();
    loader_.load({});  // a file that was opened before may have changed
    loader_.load({{path.toStdString(), {}, 0}});
    emit stateChanged();
}

void ScanLabels::chooseMap(QWidget* window) {
    const QString path = QFileDialog::getOpenFileName(
        window, tr("Open a label map over the scan"), widgets::lastFolder(kMapFolder),
        tr("Label maps (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd "
           "*.mgh *.mgz *.dcm);;All files (*)"));
    if (!path.isEmpty()) {
        QSettings().setValue(kMapFolder, QFileInfo(path).absolutePath());
        open(path);
    }
}

void ScanLabels::chooseNames(QWidget* window) {
    const QString path = QFileDialog::getOpenFileName(
        window, tr("Names of the labels"), widgets::lastFolder(kNamesFolder),
        tr("Label tables (*.txt *.label *.ctbl *.lut dataset.json);;All files (*)"));
    if (!path.isEmpty()) {
        QSettings().setValue(kNamesFolder, QFileInfo(path).absolutePath());
        takeNames(path);
    }
}

void ScanLabels::takeNames(const QString& path) {
    if (const auto table = scan::readLabelTable(path.toStdString()); !table) {
        emit failed(QString::fromStdString(table.error().message));  // the previous names stay
        return;
    }
    names_ = path.toStdString();
    if (panel_.hasLabels()) {
        start();
    }
}

void ScanLabels::remove() {
    opened_ = {};
    problem_.clear();
    loader_.load({});
    refresh();
}

void ScanLabels::fail(const QString& message, bool users) {
    if (users) {
        problem_ = message;
    }
    emit failed(message);
    emit stateChanged();
}

void ScanLabels::refresh() {
    const Map map = wanted();
    if (map.volume.empty() || scan_.empty()) {
        job_.cancel();
        shown_ = nullptr;
        panel_.setLabels({});
        emit stateChanged();
        return;
    }
    if (!opened_.volume.empty() && !openedOver_) {
        openedOver_ = scan_.geometry();
    }
    if (shown_ == map.volume.data() && (panel_.hasLabels() || refused_)) {
        return;  // another channel of the same scan; an invalid label map is reported only once
    }
    shown_ = map.volume.data();
    panel_.setLabels({});  // removes those of another case on the same grid
    start();
}

void ScanLabels::start() {
    const bool users = !opened_.volume.empty();
    refused_ = false;
    job_.run(
        [map = wanted(), names = names_, scan = scan_.geometry()](const widgets::LatestJob::Cancel& cancel) {
            return labelMapOf(map.volume, map.path, names, scan, *cancel);
        },
        [this, users](const base::Result<widgets::LabelMap>& labels) {
            if (!labels) {
                panel_.setLabels({});
                refused_ = true;
                return fail(QString::fromStdString(labels.error().message), users);
            }
            panel_.setLabels(*labels, users);
            if (users) {
                panel_.openLabelList();
            }
            emit stateChanged();
        });
    emit stateChanged();
}

}  // namespace highwater::desktop

#include "moc_scan_labels.cpp"
