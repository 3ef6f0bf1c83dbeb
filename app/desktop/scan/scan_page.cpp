#include "app/desktop/scan/scan_page.h"

#include <QDir>
#include <QFileInfo>
#include <QTreeWidget>
#include <algorithm>
#include <utility>

#include "app/desktop/scan/cases/case_stepper.h"
#include "app/desktop/scan/cases/channel_bar.h"
#include "app/desktop/scan/cases/volume_bar.h"
#include "app/desktop/scan/cases/warning_line.h"
#include "app/desktop/scan/header_window.h"
#include "app/desktop/scan/scan_bars.h"
#include "app/desktop/scan/scan_labels.h"
#include "app/desktop/scan/scan_sources.h"
#include "core/base/paths.h"
#include "core/stack/shapes.h"
#include "widgets/controls/table_actions.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/scan/volume3d/volume_view.h"

namespace highwater::desktop {

ScanPage::ScanPage(ExperimentDocument& document, QObject* parent)
    : QObject(parent),
      document_(document),
      panel_(new widgets::ScanPanel),
      bars_(new ScanBars),
      labels_(new ScanLabels(*panel_, this)) {
    panel_->addBar(bars_);
    for (auto* slice : panel_->findChildren<widgets::SliceView*>()) {
        widgets::offerPicture(*slice, tr("slice"), widgets::PictureKind::Pixels);
    }
    for (auto* labels : panel_->findChildren<QTreeWidget*>()) {
        widgets::offerTable(*labels);
    }
    widgets::offerPicture(*panel_->findChild<widgets::VolumeView*>(), tr("volume"),
                          widgets::PictureKind::Pixels);
    connect(&document_, &ExperimentDocument::changed, this, &ScanPage::follow);
    connect(panel_, &widgets::ScanPanel::openRequested, this, &ScanPage::openRequested);
    connect(panel_, &widgets::ScanPanel::sampleRequested, this, &ScanPage::openPhantom);
    connect(panel_, &widgets::ScanPanel::fileDropped, this,
            [this](const QString& path) { emit filesDropped({path}); });
    connect(panel_, &widgets::ScanPanel::backRequested, this, &ScanPage::goBack);
    connect(labels_, &ScanLabels::failed, this,
            [this](const QString& message) { emit notice(widgets::NoticeBar::Kind::Warning, message); });
    connect(labels_, &ScanLabels::stateChanged, this, &ScanPage::stateChanged);
    connectLoaders();
    connectBars();
}

void ScanPage::connectLoaders() {
    for (ScanLoader* loader : {&loader_, &previewLoader_}) {
        connect(panel_, &widgets::ScanPanel::cancelRequested, loader, &ScanLoader::cancel);
        connect(loader, &ScanLoader::progress, this, [this](const QString& stage, double fraction) {
            // Otherwise the previous scan is being reread, below the reason why the new one failed.
            if (refused_.isEmpty()) {
                panel_->setLoading(stage, fraction);
            }
        });
    }
    connect(&loader_, &ScanLoader::loaded, this, [this] {
        problem_.clear();
        opened_.reset();
        if (const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input)) {
            lastGood_ = *input;
        }
        showLoaded();
        if (!refused_.isEmpty()) {
            panel_->setError(refused_);
        } else {
            offerZscore();
            offerFolder();
        }
        emit stateChanged();
    });
    connect(&loader_, &ScanLoader::failed, this, &ScanPage::fail);
    connect(&previewLoader_, &ScanLoader::loaded, this, [this] {
        showLoaded();
        emit stateChanged();
    });
    connect(&previewLoader_, &ScanLoader::failed, this, [this](const QString& message) {
        panel_->setError(message);
        emit stateChanged();
    });
    connect(&reader_, &CohortReader::progressed, this, &ScanPage::progressed);
    connect(&reader_, &CohortReader::done, this, &ScanPage::stateChanged);
    connect(&reader_, &CohortReader::failed, this, [this](const QString& message) {
        problem_ = message;  // the displayed case stays
        emit stateChanged();
    });
}

void ScanPage::connectBars() {
    connect(&bars_->cases(), &CaseStepper::caseChosen, this, [this](int place) {
        endPreview();
        loadCase(place);
    });
    connect(&bars_->channels(), &ChannelBar::channelChosen, this, [this](int channel) {
        channel_ = channel;
        showLoaded();
    });
    connect(&bars_->volumes(), &VolumeBar::volumeChosen, this, &ScanPage::chooseVolume);
    connect(&bars_->volumes(), &VolumeBar::allAsChannelsRequested, this, [this] { volumesAsChannels(true); });
    connect(&bars_->volumes(), &VolumeBar::onlyThisRequested, this, [this] { volumesAsChannels(false); });
}

void ScanPage::openPhantom() {
    openScans({{std::string(base::kHeadPhantom), {}, 0}});
}

void ScanPage::openScans(const std::vector<stack::ScanSource>& channels) {
    const bool same = sourcesOf(document_.experiment()) == channels;
    const bool inputWasRead = problem_.isEmpty();
    const std::uint64_t before = document_.revision();
    document_.edit(channels.size() > 1 ? tr("open scans as channels") : tr("open scan"),
                   [&](stack::Experiment& e) {
                       stack::ScanInput input = stack::asScanInput(e);
                       input.scans = channels;
                       input.cohort.clear();
                       e.input = input;
                   });
    const std::uint64_t now = document_.revision();
    opened_ = now != before && inputWasRead ? std::optional(now) : std::nullopt;
    endPreview();
    if (same && !problem_.isEmpty()) {
        load();  // a file that failed may have been repaired
    }
}

void ScanPage::refuse(const QString& message) {
    refused_ = message;
    panel_->setError(message);
    emit stateChanged();
}

void ScanPage::goBack() {
    refused_.clear();
    if (problem_.isEmpty() || !lastGood_) {
        return;
    }
    document_.edit(tr("back to the scan"), [&](stack::Experiment& e) {
        if (auto* input = std::get_if<stack::ScanInput>(&e.input)) {
            input->scans = lastGood_->scans;
            input->cohort = lastGood_->cohort;
            input->channels = lastGood_->channels;
        }
    });
}

ScanPage::Wanted ScanPage::wantedOf(const stack::Experiment& experiment) {
    const stack::ScanInput* cohort = cohortOf(experiment);
    if (!cohort) {
        return {sourcesOf(experiment), {}, 0, false};
    }
    return {{}, cohort->cohort, cohort->channels, needsLabels(experiment)};
}

void ScanPage::follow() {
    const Wanted wanted = wantedOf(document_.experiment());
    if (wanted == wanted_) {
        showPatch();  // an unrelated edit must not retry a bad file
        fillWarnings();
        return;
    }
    const bool sameCohort = !wanted.cohort.empty() && wanted.cohort == wanted_.cohort;
    wanted_ = wanted;
    if (std::exchange(preview_, {})) {
        previewLoader_.load({});
    }
    if (!sameCohort) {
        case_ = -1;
    }
    if (!reader_.has(document_.experiment())) {
        reader_.drop();
    }
    load();
}

void ScanPage::load() {
    problem_.clear();
    refused_.clear();
    ++namings_;
    naming_ = false;
    if (!wanted_.cohort.empty()) {
        findCases();
    } else if (cases_.clear(); wanted_.empty()) {
        loader_.load({});
        panel_->clear();
        labels_->follow({}, {}, {});
        fillBars();
    } else {
        panel_->setScanName(nameOf(wanted_.sources[0]));
        loader_.load(wanted_.sources);
    }
    emit stateChanged();
}

void ScanPage::findCases() {
    naming_ = true;
    panel_->setLoading(tr("Reading the cohort"), -1);
    worker_.run([experiment = document_.experiment()] { return casesOf(experiment); }, this,
                [this, naming = namings_](base::Result<std::vector<scan::Case>> cases) {
                    if (naming != namings_) {
                        return;
                    }
                    naming_ = false;
                    if (!cases) {
                        return fail(QString::fromStdString(cases.error().message));
                    }
                    cases_ = std::move(*cases);
                    loadCase(std::clamp(case_, 0, static_cast<int>(cases_.size()) - 1));
                });
}

void ScanPage::loadCase(int place) {
    if (place < 0 || place >= static_cast<int>(cases_.size())) {
        return;
    }
    case_ = place;
    problem_.clear();
    const scan::Case& theCase = cases_[static_cast<std::size_t>(place)];
    panel_->setScanName(QString::fromStdString(theCase.name));
    loader_.load(sourcesOf(theCase, wanted_.labels));
    emit caseShown(QString::fromStdString(theCase.name));
    emit stateChanged();
}

void ScanPage::showCase(const QString& folder, const scan::Case& theCase) {
    const auto at = std::find(cases_.begin(), cases_.end(), theCase);
    if (wanted_.cohort == folder.toStdString() && at != cases_.end()) {
        preview_.reset();
        loadCase(static_cast<int>(at - cases_.begin()));
        return;
    }
    preview_ = Preview{folder, theCase};
    panel_->setScanName(nameOnShow());
    previewLoader_.load(sourcesOf(theCase, !theCase.labels.empty()));
    emit stateChanged();
}

void ScanPage::endPreview() {
    if (!preview_) {
        return;
    }
    preview_.reset();
    previewLoader_.load({});
    if (wanted_.empty()) {
        panel_->clear();
    } else if (!loader_.volumes().empty()) {
        showLoaded();
    } else if (!problem_.isEmpty()) {
        panel_->setError(problem_);
    }
    emit stateChanged();
}

void ScanPage::fail(const QString& message) {
    const auto opened = std::exchange(opened_, {});
    if (opened && document_.revision() == *opened) {
        emit openFailed();
        document_.undoStack().undo();
        return refuse(message);
    }
    problem_ = message;
    panel_->setError(message);
    fillBars();
    emit stateChanged();
}

const std::vector<volume::Volume>& ScanPage::shownVolumes() const {
    return preview_ ? previewLoader_.volumes() : loader_.volumes();
}

const std::vector<stack::ScanSource>& ScanPage::shownSources() const {
    return preview_ ? previewLoader_.sources() : loader_.sources();
}

bool ScanPage::loading() const {
    return naming_ || loader_.loading() || previewLoader_.loading() || reader_.reading();
}

QString ScanPage::loadingText() const {
    return reader_.reading() ? reader_.what() : tr("waiting for the scan");
}

void ScanPage::prepareRun() {
    if (cohortOf(document_.experiment()) && !reader_.has(document_.experiment())) {
        problem_.clear();
        reader_.read(document_.experiment());
    }
}

std::vector<volume::Volume> ScanPage::volumesForRun() const {
    if (!cohortOf(document_.experiment())) {
        return loader_.volumes();
    }
    return reader_.has(document_.experiment()) ? reader_.volumes() : std::vector<volume::Volume>();
}

bool ScanPage::ready() const {
    if (cohortOf(document_.experiment())) {
        return reader_.has(document_.experiment());
    }
    const auto files = sourcesOf(document_.experiment());
    return files.empty() || (!loader_.loading() && loader_.sources() == files && !loader_.volumes().empty());
}

}  // namespace highwater::desktop

#include "moc_scan_page.cpp"
