#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/desktop/scan/cases/case_stepper.h"
#include "app/desktop/scan/cases/channel_bar.h"
#include "app/desktop/scan/cases/volume_bar.h"
#include "app/desktop/scan/cases/warning_line.h"
#include "app/desktop/scan/header_window.h"
#include "app/desktop/scan/scan_bars.h"
#include "app/desktop/scan/scan_labels.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/scan/scan_sources.h"
#include "app/desktop/scan/value_misfit.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"

/// ScanPage: which of the loaded volumes are shown, and what can be chosen.
namespace highwater::desktop {

namespace {

/// The warnings of all channels, with the file's name if there are several.
QStringList warningsOf(const std::vector<volume::Volume>& volumes,
                       const std::vector<stack::ScanSource>& sources) {
    QStringList lines;
    for (std::size_t i = 0; i < volumes.size() && i < sources.size(); ++i) {
        for (const std::string& warning : volumes[i].header().warnings) {
            const QString text = QString::fromStdString(warning);
            const QString name = nameOf(sources[i]);
            const QString line = volumes.size() > 1 && !text.startsWith(name) ? name + ": " + text : text;
            if (!lines.contains(line)) {
                lines << line;
            }
        }
    }
    return lines;
}

/// Whether these are all volumes of one file, in order.
bool areAllVolumes(const std::vector<stack::ScanSource>& scans, int count) {
    if (static_cast<int>(scans.size()) != count || count < 2) {
        return false;
    }
    for (std::size_t i = 0; i < scans.size(); ++i) {
        if (scans[i] != stack::ScanSource{scans[0].path, scans[0].series, static_cast<std::int64_t>(i)}) {
            return false;
        }
    }
    return true;
}

}  // namespace

QString ScanPage::nameOnShow() const {
    if (preview_) {
        return tr("%1 (not in the experiment)").arg(QString::fromStdString(preview_->theCase.name));
    }
    if (case_ >= 0 && case_ < static_cast<int>(cases_.size())) {
        return QString::fromStdString(cases_[static_cast<std::size_t>(case_)].name);
    }
    const auto& sources = shownSources();
    const auto at = static_cast<std::size_t>(channel_);
    return at < sources.size() ? nameOf(sources[at]) : QString();
}

void ScanPage::showLoaded() {
    const auto& volumes = shownVolumes();
    if (volumes.empty()) {
        return;
    }
    channel_ = std::clamp(channel_, 0, static_cast<int>(volumes.size()) - 1);
    const volume::Volume& shown = volumes[static_cast<std::size_t>(channel_)];
    if (panel_->volume().data() != shown.data()) {
        panel_->setVolume(shown);
    } else {
        panel_->showScan();
    }
    const auto labels = labelsOnShow();
    std::vector<volume::Volume> others;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        if (i != static_cast<std::size_t>(channel_) && i != labels) {
            others.push_back(volumes[i]);
        }
    }
    panel_->setChannels(others);
    labels_->follow(shown, labels ? volumes[*labels] : volume::Volume(),
                    labels ? QString::fromStdString(shownSources()[*labels].path) : QString());
    panel_->setScanName(nameOnShow());
    showPatch();
    fillBars();
}

/// Which of the displayed volumes is the label map: the last one, if there is one.
std::optional<std::size_t> ScanPage::labelsOnShow() const {
    const bool labels = preview_ ? !preview_->theCase.labels.empty() : needsLabels(document_.experiment());
    const std::size_t count = std::min(shownVolumes().size(), shownSources().size());
    return labels && count > 1 ? std::optional(count - 1) : std::nullopt;
}

void ScanPage::showPatch() {
    if (shownVolumes().empty()) {
        return;
    }
    const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const stack::Sizes patch = input ? input->patch : stack::Sizes{};
    if (patch.size() == 3) {
        panel_->setPatchExtent(widgets::extentOfPatch({patch[0], patch[1], patch[2]}));
    } else if (patch.size() == 1) {
        panel_->setPatchExtent(widgets::extentOfPatch({patch[0], patch[0], patch[0]}));
    } else {
        panel_->setPatch({});
    }
}

void ScanPage::fillBars() {
    const auto& volumes = shownVolumes();
    const auto& sources = shownSources();
    QStringList cases, channels;
    for (const scan::Case& theCase : cases_) {
        cases << QString::fromStdString(theCase.name);
    }
    bars_->cases().setCases(preview_ ? QStringList() : cases, case_);
    for (std::size_t i = 0; i < volumes.size() && i < sources.size(); ++i) {
        const QString name = nameOf(sources[i]);
        channels << (i == labelsOnShow() ? tr("labels: %1").arg(name)
                                         : QStringLiteral("%1: %2").arg(i + 1).arg(name));
    }
    bars_->channels().setChannels(channels, channel_);
    const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const auto at = static_cast<std::size_t>(channel_);
    // A cohort's files are determined by its folder, so the experiment cannot choose among their volumes.
    const bool choosable =
        input && input->cohort.empty() && !preview_ && at < input->scans.size() && at < volumes.size();
    const int count = choosable ? volumes[at].header().volumes : 1;
    bars_->volumes().setVolumes(count, choosable ? static_cast<int>(input->scans[at].volume) : 0,
                                choosable && areAllVolumes(input->scans, count));
    fillWarnings();
}

/// Shows the warnings of the files, and whether their values suit the experiment.
void ScanPage::fillWarnings() {
    QStringList lines = warningsOf(shownVolumes(), shownSources());
    if (const QString misfit = valueMisfitOnShow(); !misfit.isEmpty()) {
        lines << misfit;
    }
    if (const QString padded = paddingOnShow(); !padded.isEmpty()) {
        lines << padded;
    }
    bars_->warnings().setWarnings(lines);
    bars_->refresh();
}

/// Warns if the patch is larger than the displayed scan.
QString ScanPage::paddingOnShow() const {
    const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const auto& volumes = shownVolumes();
    const auto patch = panel_->patch();
    if (!input || volumes.empty() || !patch) {
        return {};
    }
    const auto& size = volumes.front().geometry().size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (patch->extent[axis] > size[axis]) {
            const auto voxels = [](const auto& of) {  // i, j, k, as in the panel's header
                return QString("%1 × %2 × %3").arg(of[0]).arg(of[1]).arg(of[2]);
            };
            return tr("The patch of %1 is larger than the scan of %2 voxels: the rest is filled with the "
                      "scan's lowest value.")
                .arg(voxels(patch->extent), voxels(size));
        }
    }
    return {};
}

QString ScanPage::valueMisfitOnShow() const {
    const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const auto& volumes = shownVolumes();
    const bool labels = needsLabels(document_.experiment());
    for (std::size_t i = 0; input && !preview_ && i + (labels ? 1 : 0) < volumes.size(); ++i) {
        if (const QString misfit = valueMisfit(volumes[i].header(), input->normalize); !misfit.isEmpty()) {
            return misfit;
        }
    }
    return {};
}

/// Offers z-score normalization if a scan's values do not suit the experiment. For a cohort there are only
/// the warnings: a notice at every case would be too much.
void ScanPage::offerZscore() {
    const QString misfit = valueMisfitOnShow();
    if (misfit.isEmpty() || cohortOf(document_.experiment()) != nullptr) {
        return;
    }
    emit notice(widgets::NoticeBar::Kind::Warning, misfit, tr("Use z-score"), [this] {
        document_.edit(tr("normalize by z-score"), [](stack::Experiment& e) {
            if (auto* input = std::get_if<stack::ScanInput>(&e.input)) {
                input->normalize = {};
            }
        });
    });
}

void ScanPage::showHeader(QWidget* window) {
    const auto shown = [this]() -> base::Result<HeaderWindow::Shown> {
        const auto& volumes = shownVolumes();
        const auto at = static_cast<std::size_t>(channel_);
        if (at >= volumes.size() || at >= shownSources().size()) {
            return base::Error{tr("No scan is open; open one first.").toStdString()};
        }
        const std::string& format = volumes[at].header().format;
        if (!format.starts_with("DICOM")) {
            return base::Error{tr("The open scan is %1; only DICOM files have such a header.")
                                   .arg(QString::fromStdString(format))
                                   .toStdString()};
        }
        HeaderWindow::Shown out{shownSources()[at], {}};
        if (const auto* const scene = panel_->findChild<widgets::ScanScene*>();
            scene && !scene->showsInstead()) {
            out.slice = scene->cursor()[2];
        }
        return out;
    };
    if (!header_) {
        header_ = new HeaderWindow(shown, window);
    }
    header_->show();
    header_->raise();
    header_->activateWindow();
    header_->read();
}

void ScanPage::chooseVolume(int volume) {
    document_.edit(
        tr("choose volume %1").arg(volume + 1),
        [this, volume](stack::Experiment& e) {
            auto* input = std::get_if<stack::ScanInput>(&e.input);
            if (input && channel_ < static_cast<int>(input->scans.size())) {
                input->scans[static_cast<std::size_t>(channel_)].volume = volume;
            }
        },
        QStringLiteral("volume of channel %1").arg(channel_));
}

void ScanPage::volumesAsChannels(bool all) {
    const int count = bars_->volumes().count();
    document_.edit(all ? tr("all volumes as channels") : tr("only this volume"), [&](stack::Experiment& e) {
        auto* input = std::get_if<stack::ScanInput>(&e.input);
        if (!input || channel_ >= static_cast<int>(input->scans.size())) {
            return;
        }
        const stack::ScanSource chosen = input->scans[static_cast<std::size_t>(channel_)];
        input->scans.clear();
        for (int volume = 0; all && volume < count; ++volume) {
            input->scans.push_back({chosen.path, chosen.series, volume});
        }
        if (!all) {
            input->scans.push_back(chosen);
        }
    });
}

/// If one slice of a DICOM series was opened, offers its folder, which is usually what was meant.
void ScanPage::offerFolder() {
    const auto& volumes = loader_.volumes();
    const auto& sources = loader_.sources();
    if (volumes.size() != 1 || sources.size() != 1 || volumes[0].geometry().size[2] != 1 ||
        !QString::fromStdString(volumes[0].header().format).startsWith("DICOM")) {
        return;
    }
    const QFileInfo file(QString::fromStdString(sources[0].path));
    if (file.isDir() || file.dir().entryList(QDir::Files).size() < 2) {
        return;
    }
    emit notice(widgets::NoticeBar::Kind::Info,
                tr("%1 is one slice. Its folder holds %2 files.")
                    .arg(file.fileName())
                    .arg(file.dir().entryList(QDir::Files).size()),
                tr("Open the folder"),
                [this, folder = file.absolutePath()] { emit folderRequested(folder); });
}

}  // namespace highwater::desktop
