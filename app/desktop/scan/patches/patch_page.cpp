#include "app/desktop/scan/patches/patch_page.h"

#include <QEvent>
#include <QSettings>
#include <algorithm>
#include <utility>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/scan/patches/patch_bar.h"
#include "app/desktop/scan/patches/patch_words.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"

namespace highwater::desktop {

namespace {

constexpr int kQuietMs = 600;  // without edits, before the engine is asked
constexpr const char* kSteps = "patches/steps";
constexpr const char* kTarget = "patches/target";

}  // namespace

stack::Experiment patchPart(const stack::Experiment& experiment) {
    stack::Experiment part;
    part.input = experiment.input;
    part.target = experiment.target;
    part.loss = experiment.loss;
    part.step.seed = experiment.step.seed;
    part.step.batchSize = experiment.step.batchSize;  // noise is generated per batch
    part.data.augment = experiment.data.augment;
    return part;
}

PatchPage::PatchPage(ExperimentDocument& document, widgets::ScanPanel& panel, Parts parts, QObject* parent)
    : QObject(parent),
      document_(document),
      panel_(panel),
      parts_(std::move(parts)),
      bar_(new PatchBar),
      view_(panel),
      set_(parts_.make, parts_.temporary),
      maps_(parts_.count) {
    panel_.addBar(bar_);
    panel_.installEventFilter(this);
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &PatchPage::begin);
    connect(&document_, &ExperimentDocument::changed, this, &PatchPage::follow);
    connect(&set_, &PatchSet::changed, this, &PatchPage::takeSet);
    connect(&maps_, &CoverageMaps::changed, this, &PatchPage::takeMap);
    connect(&live_, &LivePatch::changed, this, &PatchPage::refresh);
    connectBar();
    if (auto* const scene = panel_.findChild<widgets::ScanScene*>()) {  // a newly shown volume has no overlay
        connect(scene, &widgets::ScanScene::volumeChanged, this, &PatchPage::follow, Qt::QueuedConnection);
    }
    refresh();
}

PatchPage::~PatchPage() = default;

void PatchPage::connectBar() {
    connect(bar_, &PatchBar::modeChosen, this, &PatchPage::setMode);
    connect(bar_, &PatchBar::patchChosen, this, &PatchPage::choose);
    connect(bar_, &PatchBar::moreRequested, this, &PatchPage::askMore);
    connect(bar_, &PatchBar::channelChosen, this, [this](int channel) {
        channel_ = channel;
        choose(index_);
    });
    connect(bar_, &PatchBar::targetToggled, this, [this](bool on) {
        targetOn_ = on;
        refresh();
    });
    connect(bar_, &PatchBar::showInScanRequested, this, &PatchPage::showInScan);
    connect(bar_, &PatchBar::liveToggled, this, &PatchPage::setLive);
    connect(bar_, &PatchBar::freezeToggled, &live_, &LivePatch::setFrozen);
    connect(bar_, &PatchBar::stepsChosen, this, [this](int steps) {
        steps_ = steps;
        follow();
    });
    connect(bar_, &PatchBar::cancelRequested, this, &PatchPage::cancel);
    connect(bar_, &PatchBar::retryRequested, this, &PatchPage::retry);
}

void PatchPage::restoreState() {
    const QSettings settings;
    const int steps = settings.value(kSteps, steps_).toInt();
    if (std::ranges::find(kCoverageSteps, steps) != std::end(kCoverageSteps)) {
        steps_ = steps;
    }
    targetOn_ = settings.value(kTarget, targetOn_).toBool();
    refresh();
}

void PatchPage::keepState() const {
    QSettings settings;
    settings.setValue(kSteps, steps_);
    settings.setValue(kTarget, targetOn_);
}

bool PatchPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) {
        QMetaObject::invokeMethod(this, &PatchPage::follow, Qt::QueuedConnection);  // once it is visible
    }
    return QObject::eventFilter(watched, event);
}

QString PatchPage::whyOnlyScan() const {
    if (std::holds_alternative<stack::ScanInput>(document_.experiment().input)) {
        return {};
    }
    return tr(
        "The input is synthetic noise: there is no scan to show patches or coverage of. Open a scan first.");
}

void PatchPage::setMode(PatchMode mode) {
    if (const QString why = whyOnlyScan(); mode != PatchMode::Scan && !why.isEmpty()) {
        emit notice(widgets::NoticeBar::Kind::Warning, why);
        mode = PatchMode::Scan;
    }
    if (mode == mode_) {
        refresh();
        emit modeChanged();  // so that whoever requested another mode shows this one again
        return;
    }
    rest();
    if (mode_ == PatchMode::Patches && set_.busy()) {
        set_.drop();
        wanted_.reset();
    }
    if (mode_ == PatchMode::Coverage) {
        maps_.cancel();
        wantedCoverage_.reset();
    }
    mode_ = mode;
    goal_ = -1;
    follow();
    emit modeChanged();
}

void PatchPage::showPatch(int number) {
    setMode(PatchMode::Patches);
    if (mode_ != PatchMode::Patches) {
        return;
    }
    goal_ = number - 1;
    takeSet();
}

bool PatchPage::busy() const {
    return mode_ != PatchMode::Scan &&
           (later_.isActive() || set_.busy() || maps_.busy() || !reading().isEmpty());
}

QString PatchPage::problem() const {
    if (mode_ == PatchMode::Scan || busy()) {
        return {};
    }
    if (!whyNone_.isEmpty()) {
        return whyNone_;
    }
    if (mode_ == PatchMode::Coverage) {
        return maps_.trouble();
    }
    return chosen_ && set_.trouble().isEmpty() ? chosen_->trouble : set_.trouble();
}

ShownCase PatchPage::shownCase() const {
    return parts_.shown ? parts_.shown() : ShownCase{parts_.volumes()};
}

/// Drops data computed on a scan that is no longer shown, because it keeps that scan in memory.
void PatchPage::letGo() {
    const std::vector<volume::Volume> shown = shownCase().volumes;
    maps_.keepOnly(shown);
    if (wantedCoverage_ && !wantedCoverage_->isOf(shown)) {
        rest();
        wantedCoverage_.reset();
    }
}

/// Cancels a pending request.
void PatchPage::rest() {
    if (!later_.isActive()) {
        return;
    }
    later_.stop();
    (mode_ == PatchMode::Coverage ? wantedCoverage_.reset() : wanted_.reset());
}

void PatchPage::follow() {
    letGo();
    if (mode_ != PatchMode::Scan && !whyOnlyScan().isEmpty()) {
        setMode(PatchMode::Scan);
        return;
    }
    const bool seen = panel_.isVisible() && !panel_.window()->isMinimized();
    live_.setFollowing(seen && mode_ == PatchMode::Patches && followsRun_);
    whyNone_.clear();
    if (!seen || mode_ == PatchMode::Scan) {
        rest();
    } else if (mode_ == PatchMode::Coverage) {
        followCoverage();
    } else {
        followPatches();
    }
    refresh();
}

void PatchPage::followPatches() {
    if (followsRun_) {
        rest();
        return;
    }
    Wanted now{patchPart(document_.experiment()), {}};
    for (const volume::Volume& volume : parts_.volumes()) {
        now.volumes.push_back(volume.data());
    }
    if (wanted_ == now) {
        return;
    }
    const auto& info = document_.info();
    if (!info) {
        whyNone_ = plainError(info.error());
    }
    if (!info || now.volumes.empty()) {
        rest();
        if (set_.busy() || !set_.patches().empty()) {
            set_.drop();
        }
        chosen_.reset();
        wanted_.reset();
        if (info) {
            prepare(now.part);
        }
        return;
    }
    prepared_.reset();
    later_.start(wanted_ ? kQuietMs : 0);
    wanted_ = std::move(now);
}

/// Starts reading once per experiment, so that files that cannot be read are not retried forever.
void PatchPage::prepare(const stack::Experiment& part) {
    if (parts_.prepare && prepared_ != part) {
        prepared_ = part;
        parts_.prepare();
    }
    if (reading().isEmpty() && parts_.trouble) {
        whyNone_ = parts_.trouble();
    }
}

void PatchPage::followCoverage() {
    const auto request = coverageRequest(document_.experiment(), shownCase(), steps_);
    if (!request) {
        whyNone_ = shownCase().volumes.empty() ? QString() : QString::fromStdString(request.error().message);
        rest();
        wantedCoverage_.reset();
        heat_ = {};
        return;
    }
    if (wantedCoverage_ && wantedCoverage_->same(*request)) {
        return;
    }
    if (!wantedCoverage_ || wantedCoverage_->guide.data() != request->guide.data()) {
        heat_ = {};
    }
    later_.start(wantedCoverage_ ? kQuietMs : 0);
    wantedCoverage_ = *request;
}

void PatchPage::begin() {
    if (mode_ == PatchMode::Coverage) {
        maps_.ask(*wantedCoverage_);
        return;
    }
    if (goal_ < 0) {
        goal_ = std::min(index_, PatchSet::kAtATime - 1);
    }
    set_.ask(document_.experiment(), parts_.volumes());
}

void PatchPage::cancel() {
    later_.stop();
    if (!reading().isEmpty() && parts_.cancelPreparing) {
        parts_.cancelPreparing();
    }
    mode_ == PatchMode::Coverage ? maps_.cancel() : set_.cancel();
}

void PatchPage::retry() {
    if (mode_ == PatchMode::Patches && !set_.patches().empty()) {
        askMore();
        return;
    }
    prepared_.reset();
    wanted_.reset();
    wantedCoverage_.reset();
    follow();
}

QString PatchPage::reading() const {
    const bool reads = mode_ == PatchMode::Patches && !followsRun_ && parts_.reading;
    return reads ? parts_.reading() : QString();
}

void PatchPage::askMore() {
    goal_ = static_cast<int>(set_.patches().size());
    set_.askMore();
}

void PatchPage::takeSet() {
    const int have = static_cast<int>(set_.patches().size());
    const bool failed = !set_.trouble().isEmpty();
    if (!set_.busy() && !later_.isActive()) {
        if (have == 0) {
            chosen_.reset();
        } else if (goal_ >= have && !failed && set_.mayAskMore()) {
            set_.askMore();
        } else if (goal_ >= 0) {
            choose(std::exchange(goal_, -1));
        }
    }
    refresh();
}

void PatchPage::takeMap() {
    letGo();
    if (const auto& map = maps_.current(); map && wantedCoverage_) {
        heat_ = heatOf(map->map, map->most);
        map_.most = map->most;
        map_.text = coverageText(*map, wantedCoverage_->guide.geometry().size);
    } else if (!maps_.busy()) {
        heat_ = {};
    }
    map_.drawn = maps_.current().has_value();
    refresh();
}

void PatchPage::choose(int index) {
    const auto& all = set_.patches();
    if (all.empty()) {
        return;
    }
    index_ = std::clamp(index, 0, static_cast<int>(all.size()) - 1);
    chosen_ = readPatch(all[static_cast<std::size_t>(index_)], channel_);
    refresh();
}

void PatchPage::setLive(bool on) {
    followsRun_ = on;
    live_.setFrozen(false);
    follow();
}

void PatchPage::setRunning(bool on) {
    if (on && !running_) {
        live_.begin();
    }
    running_ = on;
    refresh();
}

void PatchPage::runSent(const std::filesystem::path& file, const wire::PatchSaved& patch,
                        const stack::Experiment& ran) {
    ran_ = ran;
    live_.sent(file, patch);
}

std::optional<widgets::PatchBox> PatchPage::place() const {
    const auto* here = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const auto* there = followsRun_ ? std::get_if<stack::ScanInput>(&ran_.input) : here;
    const ShownCase shown = shownCase();
    const bool elsewhere = here == nullptr || there == nullptr || there->scans != here->scans ||
                           there->cohort != here->cohort || shown.volumes.empty();
    if (elsewhere) {
        return {};
    }
    const auto& live = live_.shown();
    if (followsRun_ && live && live->patch.start.size() == 3 && live->patch.theCase == shown.theCase) {
        return widgets::PatchBox{{live->patch.start[0], live->patch.start[1], live->patch.start[2]},
                                 live->volume.geometry().size};
    }
    if (!followsRun_ && chosen_ && chosen_->patch.theCase == shown.theCase) {
        return widgets::PatchBox{chosen_->patch.start, chosen_->patch.extent};
    }
    return {};
}

/// The cursor is moved there, too, so that every view cuts the box.
void PatchPage::showInScan() {
    const auto box = place();
    if (!box) {
        return;
    }
    setMode(PatchMode::Scan);
    panel_.setPatch(*box);
    if (auto* const scene = panel_.findChild<widgets::ScanScene*>()) {
        widgets::Index3 center = box->start;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            center[axis] += box->extent[axis] / 2;
        }
        scene->setCursor(center);
    }
}

void PatchPage::refresh() {
    bar_->setMode(mode_);
    bar_->setPatches(patchesState());
    bar_->setCoverage(coverageState());
    refreshView();
}

void PatchPage::refreshView() {
    const auto& live = live_.shown();
    if (mode_ == PatchMode::Patches && followsRun_ && live) {
        view_.showPatch(live->volume, tr("patch of step %1").arg(live->patch.step + 1), {});
    } else if (mode_ == PatchMode::Patches && !followsRun_ && chosen_ && !chosen_->values.empty()) {
        view_.showPatch(chosen_->values, tr("patch %1").arg(chosen_->patch.number + 1),
                        targetOn_ ? chosen_->target : volume::Volume());
    } else {
        view_.showScan(mode_ == PatchMode::Coverage ? heat_ : volume::Volume(), map_.most);
    }
}

}  // namespace highwater::desktop

#include "moc_patch_page.cpp"
