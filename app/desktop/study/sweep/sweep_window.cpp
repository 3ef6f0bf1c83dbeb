#include "app/desktop/study/sweep/sweep_window.h"

#include <QSettings>
#include <QSplitter>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/target/predictor.h"
#include "app/desktop/study/factorial/factorial_run.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_parallel.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kChoiceAfterMs = 150, kRowsEveryMs = 100;
constexpr auto kSweepSplitter = "sweep/splitter", kSweepViewsSplitter = "sweep/views";

}  // namespace

SweepWindow::SweepWindow(ExperimentDocument& document, Store& store, StudyWorker& worker, Around around)
    : StudyWindow("sweep", worker),
      document_(document),
      store_(store),
      around_(std::move(around)),
      panel_(new SweepPanel) {
    setWindowTitle(tr("Sweep"));
    setContent(panel_);
    setAcceptDrops(true);
    panel_->splitter().restoreState(QSettings().value(kSweepSplitter).toByteArray());
    panel_->views().splitter().restoreState(QSettings().value(kSweepViewsSplitter).toByteArray());
    for (QTimer* timer : {&later_, &choiceLater_, &rowsLater_}) {
        timer->setSingleShot(true);
        timer->setInterval(timer == &rowsLater_ ? kRowsEveryMs : kChoiceAfterMs);
    }
    connect(&later_, &QTimer::timeout, this, &SweepWindow::offer);
    connect(&choiceLater_, &QTimer::timeout, this, &SweepWindow::takeChoice);
    connect(&rowsLater_, &QTimer::timeout, this, &SweepWindow::showRows);
    connect(&document_, &ExperimentDocument::changed, this, &SweepWindow::offerSoon);
    connectPanel();
    connectForecast();
    offer();
}

SweepWindow::~SweepWindow() = default;

void SweepWindow::connectPanel() {
    SweepSetup& setup = panel_->setup();
    connect(&setup, &SweepSetup::choiceChanged, this, [this] {
        if (!quiet_) {
            choiceLater_.start();
            if (source_ == Source::Composed) {
                emit composed(panel_->setup().choice());
            }
        }
    });
    connect(&setup, &SweepSetup::runRequested, this, [this] {
        if (const QString problem = run(); !problem.isEmpty()) {
            fail(problem);
        }
    });
    connect(panel_, &SweepPanel::cancelRequested, this, [this] { cancel(); });
    connect(&setup.panel(), &AxesPanel::offersWanted, this,
            [this] { panel_->setup().panel().setOffers(sweepOffers(base_.base, cuda())); });
    connect(&setup, &SweepSetup::openRequested, this, &SweepWindow::chooseOpen);
    connect(&setup, &SweepSetup::saveRequested, this, &SweepWindow::chooseSweepFile);
    connect(&setup, &SweepSetup::composeRequested, this, &SweepWindow::compose);
    connect(&setup, &SweepSetup::studyRequested, this, &SweepWindow::openStudy);
    connect(&setup, &SweepSetup::studiesWanted, this,
            [this] { panel_->setup().setStudies(studiesOf(store_.rows()), store_.unknown()); });
    SweepViews& views = panel_->views();
    connect(&views, &SweepViews::exportRequested, this, &SweepWindow::chooseExport);
    connect(&views, &SweepViews::reportRequested, this, &SweepWindow::chooseReport);
    connect(&views, &SweepViews::openRequested, this, [this](int cell) { goTo(cell, true); });
    connect(&views.link(), &SweepLink::currentChanged, this, [this](int cell) { goTo(cell, false); });
    addShortcut(QKeySequence("F5"), [this] { panel_->setup().run(); });
    addShortcut(QKeySequence("Ctrl+E"), [this] { chooseExport(); });
    addShortcut(QKeySequence::Open, [this] { chooseOpen(); });
}

void SweepWindow::connectForecast() {
    connect(&forecast_, &SweepForecast::expanded, this,
            [this](const std::vector<study::Cell>& cells, const QString& problem) {
                state_.cells = cells;
                state_.forecasts.clear();
                state_.measured.clear();
                showRows();
                showCount(problem, -1);
            });
    connect(&forecast_, &SweepForecast::predicted, this,
            [this](std::size_t, const std::vector<CellForecast>& forecasts) { takeForecasts(forecasts); });
    connect(&forecast_, &SweepForecast::finished, this, [this] {
        showRows();
        showEstimate();
    });
}

bool SweepWindow::cuda() const {
    return around_.device() != "cpu";
}

SweepForecast::Target SweepWindow::target() const {
    const TargetChoice choice = around_.target();
    return {choice, choice.id != "cpu"};
}

QString SweepWindow::runsOn() const {
    const QString device = around_.device(), host = around_.host();
    return tr("%1, %2").arg(host.isEmpty() ? tr("this machine") : host, device == "cpu" ? tr("CPU") : device);
}

bool SweepWindow::hasMeasured() const {
    return std::any_of(state_.measured.begin(), state_.measured.end(),
                       [](const study::Measured& m) { return !m.name.empty(); });
}

/// Updates for the current experiment and device. Measurements stay as they are.
void SweepWindow::offer() {
    later_.stop();
    panel_->setup().setWhere(runsOn());
    if (measuring_ || source_ == Source::Study) {
        return;
    }
    if (source_ == Source::Composed && !hasMeasured()) {
        base_ = {};
        base_.name = "sweep of " + document_.experiment().name;
        base_.base = document_.experiment();
    }
    showSource();
    if (!hasMeasured()) {
        state_.sweep = {};  // rebuilt, because the base may have changed
        takeChoice();
    }
}

/// A sweep of the current experiment is expanded and predicted again once the window is shown again.
/// Measurements, and the cells of a file, do not change with edits and are predicted to the end.
bool SweepWindow::stopOffering() {
    const bool edited = source_ == Source::Composed && !hasMeasured() && !measuring_;
    const bool busy = later_.isActive() || (edited && (choiceLater_.isActive() || forecast_.busy()));
    if (busy) {
        later_.stop();
    }
    if (busy && edited) {
        choiceLater_.stop();
        forecast_.stop();
    }
    return busy;
}

void SweepWindow::showSource() {
    const QString title = source_ != Source::Composed ? sourceName_
                          : hasMeasured()
                              ? tr("%1 (as run)").arg(widgets::fromUtf8(base_.base.name))
                              : tr("Base: %1 (current experiment)").arg(widgets::fromUtf8(base_.base.name));
    panel_->setup().setSource(title, source_ != Source::Study, source_ == Source::Composed && !hasMeasured());
}

/// Applies the sweep edited on the left.
void SweepWindow::takeChoice() {
    choiceLater_.stop();
    if (source_ == Source::Study || measuring_) {
        return;
    }
    const SweepChoice choice = panel_->setup().choice();
    invalid_.clear();
    if (choice.axes.empty()) {
        forecast_.stop();
        state_ = {};
        panel_->setRows({});
        panel_->setMessage({});
        return showCount(tr("Add at least one axis."), -1);
    }
    if (const auto info = stack::inferShapes(base_.base); !info && source_ == Source::Composed) {
        return showCount(plainError(info.error()), -1);
    }
    int wrong = -1;
    auto sweep = sweepOf(base_, choice, wrong);
    if (!sweep) {
        return showCount(plainError(sweep.error()), wrong);
    }
    const bool same =
        sweep->axes == state_.sweep.axes && sweep->mode == state_.sweep.mode && !state_.cells.empty();
    if (same) {  // the number of repeats does not change the cells
        state_.sweep = std::move(*sweep);
        return showCount({}, -1);
    }
    state_ = {};
    state_.sweep = *sweep;
    showSource();
    panel_->setup().setCount(tr("Preparing the cells…"), {}, -1);
    panel_->setup().setEstimate({});
    estimatedFor_ = around_.targetTitle();
    forecast_.start(std::move(*sweep), target());
}

void SweepWindow::takeForecasts(const std::vector<CellForecast>& forecasts) {
    state_.forecasts.insert(state_.forecasts.end(), forecasts.begin(), forecasts.end());
    if (!rowsLater_.isActive()) {
        rowsLater_.start();
    }
    showEstimate();
}

void SweepWindow::showRows() {
    rowsLater_.stop();
    panel_->setRows(sweepRows(state_, losses()));
    const auto measured = std::count_if(state_.measured.begin(), state_.measured.end(), [](const auto& m) {
        return !m.name.empty() && m.status == wire::RunStatus::Done;
    });
    panel_->views().setTableNote(tr("%1 measured; ≈ is estimated for %2").arg(measured).arg(estimatedFor_));
}

void SweepWindow::showCount(const QString& problem, int axis) {
    invalid_ = problem;
    const auto cannot = static_cast<std::size_t>(
        std::count_if(state_.cells.begin(), state_.cells.end(),
                      [](const study::Cell& cell) { return !cell.problem.empty(); }));
    QString count = cellsText(state_.cells.size());
    if (!state_.cells.empty() && cannot == state_.cells.size() && problem.isEmpty()) {
        invalid_ =
            tr("No cell can be run: %1").arg(plainError(widgets::fromUtf8(state_.cells.front().problem)));
    } else if (cannot > 0) {
        count += cannot == 1 ? tr(", 1 of them cannot be run") : tr(", %1 of them cannot be run").arg(cannot);
    }
    panel_->setup().setCount(count, invalid_, axis);
    showEstimate();
}

void SweepWindow::showEstimate() {
    const std::size_t known = state_.forecasts.size();
    if (state_.cells.empty() || !invalid_.isEmpty() || measuring_ || hasMeasured()) {
        return panel_->setup().setEstimate({});
    }
    if (known < state_.cells.size()) {
        return panel_->setup().setEstimate(
            tr("Estimating: %1 of %2").arg(known).arg(cellsText(state_.cells.size())));
    }
    if (!(around_.target() == around_.runTarget())) {
        return panel_->setup().setEstimate(
            tr("Estimates are for %1. Run measures on %2.").arg(estimatedFor_, runsOn()));
    }
    FactorialEstimate made = estimate(state_.cells, state_.forecasts, study::trialOptions(state_.sweep),
                                      panel_->setup().choice().steps);
    made.cannotRun = 0;  // the line above says it already
    panel_->setup().setEstimate(estimateText(made));
}

void SweepWindow::choose(const QStringList& ids) {
    using View = SweepViews::View;
    for (const QString& id : ids) {
        if (id == "parallel" || id == "scatter" || id == "heat_map") {
            panel_->views().setView(id == "parallel"  ? View::Parallel
                                    : id == "scatter" ? View::Scatter
                                                      : View::HeatMap);
        } else {
            fail(tr("There is no view \"%1\": parallel, scatter or heat_map.").arg(id));
        }
    }
}

struct SweepWindow::Outcome {
    study::Sweep sweep;
    bool cuda = false;
    TargetChoice target;
    std::optional<base::Bytes> budget;
    StudyRun how;
    std::vector<volume::Volume> volumes;
    std::vector<study::Cell> cells;
    std::vector<CellForecast> forecasts;
    base::Result<std::vector<study::Measured>> measured = base::Error{};
};

QString SweepWindow::run() {
    if (!blocked().isEmpty()) {
        return blocked();
    }
    if (choiceLater_.isActive()) {
        takeChoice();
    }
    if (source_ == Source::Study) {
        return panel_->setup().whyNot();
    }
    if (!invalid_.isEmpty()) {
        return invalid_;
    }
    auto outcome = std::make_shared<Outcome>();
    outcome->sweep = state_.sweep;
    outcome->cuda = cuda();
    outcome->target = around_.runTarget();
    outcome->budget = around_.budget();
    outcome->volumes = around_.volumes();
    outcome->how.device = around_.device().toStdString();
    outcome->how.host = around_.host().toStdString();
    outcome->how.steps = panel_->setup().choice().steps;
    outcome->how.study = runs::newStudy(outcome->sweep.name.empty() ? "sweep of " + outcome->sweep.base.name
                                                                    : outcome->sweep.name);
    forecast_.stop();  // it would take time from the runs
    const QPointer<QObject> guard(this);
    if (!start([this, outcome, guard](StudyWorker::Job& job) { work(outcome, job, guard); },
               [this, outcome](bool cancelled) { finish(*outcome, cancelled); })) {
        return tr("Another study is running. Cancel it first.");
    }
    measuring_ = true;
    return {};
}

/// Makes, estimates and measures the cells. Runs on the worker's thread, where nothing of the window may be
/// accessed.
void SweepWindow::work(const std::shared_ptr<Outcome>& outcome, StudyWorker::Job& job,
                       const QPointer<QObject>& guard) {
    auto cells = study::expand(outcome->sweep, outcome->cuda);
    if (!cells) {
        outcome->measured = cells.error();
        return;
    }
    outcome->cells = std::move(*cells);
    for (study::Cell& cell : outcome->cells) {
        cell.subject.budget = outcome->budget;
        if (job.cancelled()) {
            return;
        }
        job.say(QObject::tr("estimating %1").arg(widgets::fromUtf8(cell.subject.name)), 0);
        outcome->forecasts.push_back(
            cell.problem.empty() ? forecastOf(cell.subject.experiment, outcome->target) : CellForecast());
    }
    job.post(guard, [this, outcome] { begin(*outcome); });
    outcome->how.volumes = scansFor(outcome->sweep.base, std::move(outcome->volumes), job.cancelled());
    outcome->measured = measureCells(
        job, outcome->cells, outcome->how, study::trialOptions(outcome->sweep),
        [&](std::size_t cell, const base::Result<study::RunOutcome>* ended) {
            const auto kept =
                ended ? std::make_shared<const base::Result<study::RunOutcome>>(*ended) : nullptr;
            job.post(guard, [this, cell, kept] { takeRun(cell, kept); });
        });
}

void SweepWindow::begin(const Outcome& outcome) {
    estimatedFor_ = runsOn();
    state_ = {outcome.sweep,
              outcome.cells,
              std::vector<study::Measured>(outcome.cells.size()),
              outcome.forecasts,
              {}};
    showRows();
    showCount({}, -1);
}

void SweepWindow::takeRun(std::size_t cell,
                          const std::shared_ptr<const base::Result<study::RunOutcome>>& ended) {
    if (!measuring_ || cell >= state_.measured.size()) {
        return;
    }
    if (!ended) {
        state_.running.insert(cell);
    } else {
        state_.running.erase(cell);
        study::Measured& m = state_.measured[cell];
        const bool first = m.name.empty();
        m.name = state_.cells[cell].subject.name;
        if (*ended) {
            study::addRun(m, **ended, first, study::trialOptions(state_.sweep).tolerance);
        } else {
            m.status = wire::RunStatus::Failed;
            m.why = ended->error().message;
        }
    }
    if (!rowsLater_.isActive()) {
        rowsLater_.start();
    }
}

void SweepWindow::finish(const Outcome& outcome, bool cancelled) {
    measuring_ = false;
    state_.running.clear();
    if (outcome.measured && state_.cells.size() == outcome.measured->size()) {
        state_.measured = *outcome.measured;
    }
    showRows();
    showCount({}, -1);
    showSource();
    if (!outcome.measured && !cancelled) {
        fail(tr("The sweep could not be measured: %1")
                 .arg(widgets::fromUtf8(outcome.measured.error().message)));
    } else if (cancelled) {
        notices().show(widgets::NoticeBar::Kind::Info, tr("Stopped: showing what was measured so far."));
    }
}

/// The selected cell's last run.
void SweepWindow::goTo(int cell, bool open) {
    const SweepCell* of = panel_->views().link().cell(cell);
    if (of == nullptr) {
        return;
    }
    const auto& rows = store_.rows();
    const auto there = [&](const QString& id) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const runs::RunSummary& row) { return widgets::fromUtf8(row.id) == id; });
    };
    if (!of->runs.isEmpty() && there(of->runs.back())) {
        emit runWanted(of->runs.back(), open);
    } else if (open) {
        notices().show(widgets::NoticeBar::Kind::Info,
                       !of->problem.isEmpty() ? of->problem
                       : of->runs.isEmpty()   ? tr("This cell has not been run.")
                                              : tr("Its run is not in this window's run store."));
    }
}

void SweepWindow::showState(const StudyState& state) {
    panel_->setState(state);
}

void SweepWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue(kSweepSplitter, panel_->splitter().saveState());
    QSettings().setValue(kSweepViewsSplitter, panel_->views().splitter().saveState());
    StudyWindow::closeEvent(event);
}

}  // namespace highwater::desktop

#include "moc_sweep_window.cpp"
