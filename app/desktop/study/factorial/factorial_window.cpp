#include "app/desktop/study/factorial/factorial_window.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>
#include <QSplitter>
#include <nlohmann/json.hpp>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/run/report_file.h"
#include "app/desktop/study/factorial/factorial_panel.h"
#include "app/desktop/study/factorial/factorial_results.h"
#include "app/desktop/study/factorial/factorial_run.h"
#include "app/desktop/study/factorial/factorial_values.h"
#include "app/desktop/study/factorial/toggle_list.h"
#include "app/desktop/study/sweep/sweep_convert.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/json_reader.h"
#include "core/report/sweep_csv.h"
#include "core/report/sweep_report.h"
#include "widgets/controls/last_folder.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/controls/undo_keys.h"

namespace highwater::desktop {

namespace {

constexpr int kEstimateAfterMs = 150;
constexpr auto kFactorialSplitter = "factorial/splitter";

}  // namespace

struct FactorialWindow::Outcome {
    study::Sweep sweep;
    std::vector<study::Cell> cells;
    base::Result<std::vector<study::Measured>> measured = base::Error{};
    std::optional<study::SweepResult>
        result;  ///< evaluated off the window's thread, because the bootstrap takes a while
    std::optional<study::SweepResult> before;  ///< what the window showed
};

FactorialWindow::FactorialWindow(ExperimentDocument& document, StudyWorker& worker, Around around)
    : StudyWindow("factorial", worker),
      document_(document),
      around_(std::move(around)),
      panel_(new FactorialPanel) {
    setWindowTitle(tr("Factorial"));
    setContent(panel_);
    panel_->splitter().restoreState(QSettings().value(kFactorialSplitter).toByteArray());
    later_.setSingleShot(true);
    later_.setInterval(kEstimateAfterMs);
    connect(&later_, &QTimer::timeout, this, &FactorialWindow::offer);
    connect(&document_, &ExperimentDocument::changed, this, &FactorialWindow::offerSoon);
    connectPanel();
    offer();
}

void FactorialWindow::connectPanel() {
    FactorialSetup& setup = panel_->setup();
    connect(&setup, &FactorialSetup::choiceChanged, this, [this] {
        refused_.clear();
        estimateAnew();
    });
    connect(&setup.fields(), &AxesPanel::offersWanted, this, [this] {
        panel_->setup().fields().setOffers(sweepOffers(document_.experiment(), cuda(), false));
    });
    connect(&setup, &FactorialSetup::runRequested, this, [this] {
        if (const QString problem = run(); !problem.isEmpty()) {
            fail(problem);
        }
    });
    connect(panel_, &FactorialPanel::cancelRequested, this, [this] { cancel(); });
    connect(&panel_->results(), &FactorialResults::useRequested, this, &FactorialWindow::use);
    connect(&panel_->results(), &FactorialResults::exportRequested, this, &FactorialWindow::chooseFile);
    connect(&panel_->results(), &FactorialResults::reportRequested, this, &FactorialWindow::chooseReport);
    addShortcut(QKeySequence("F5"), [this] { panel_->setup().run(); });
    addShortcut(QKeySequence("Ctrl+Return"), [this] { use(panel_->results().current()); });
    addShortcut(QKeySequence("Ctrl+E"), [this] { chooseFile(); });
    widgets::addUndoShortcuts(this, document_.undoStack());
}

bool FactorialWindow::cuda() const {
    return around_.device() != "cpu";
}

/// The levers of the current experiment.
void FactorialWindow::offer() {
    later_.stop();
    FactorialSetup& setup = panel_->setup();
    const auto& info = document_.info();
    setup.setProblem(info ? QString() : plainError(info.error()));
    if (info) {
        setup.setToggles(toggleRows(document_.experiment(), cuda()));
    }
    estimateAnew();
}

bool FactorialWindow::stopOffering() {
    const bool busy = loading();
    later_.stop();
    estimates_.cancel();
    return busy;
}

void FactorialWindow::estimateAnew() {
    estimates_.cancel();
    const FactorialChoice choice = panel_->setup().choice();
    const study::Sweep sweep = sweepOf(document_.experiment(), choice);
    int wrong = -1;
    const QString problem = choice.empty() ? QString() : sweepProblem(sweep, wrong);
    panel_->setup().setAxesProblem(problem, wrong - static_cast<int>(choice.toggles.size()));
    const bool estimated = document_.info() && !choice.empty() && problem.isEmpty() &&
                           choice.combinations() <= kMostCombinations;
    panel_->setup().setEstimate(estimated ? tr("Estimating the time…") : QString());
    if (!estimated) {
        return;
    }
    estimates_.run(
        [sweep, choice, target = around_.runTarget(),
         gpu = cuda()](const widgets::LatestJob::Cancel& cancel) {
            return estimate(sweep, choice, target, gpu, *cancel);
        },
        [this](const FactorialEstimate& made) {
            panel_->setup().setEstimate(estimateText(made), made.whyNot);
        });
}

void FactorialWindow::choose(const QStringList& ids) {
    FactorialChoice choice = panel_->setup().choice();
    choice.toggles = ids;
    panel_->setup().setChoice(choice);
    refused_.clear();
    for (const QString& id : ids) {
        if (const QString why = whyRefused(document_.experiment(), id, cuda()); !why.isEmpty()) {
            refused_ = why;
        }
    }
}

void FactorialWindow::vary(const SweepAxisEdit& axis) {
    if (running()) {
        return fail(tr("A factorial is in progress here. Cancel it first."));
    }
    clearProblem();
    panel_->setup().fields().axes().addOrEdit(axis);
}

QString FactorialWindow::run() {
    if (!blocked().isEmpty()) {
        return blocked();
    }
    if (const auto& info = document_.info(); !info) {
        return plainError(info.error());
    }
    offer();  // for the current experiment and device
    const FactorialChoice choice = panel_->setup().choice();
    if (!refused_.isEmpty()) {
        return refused_;
    }
    if (choice.empty()) {
        return tr("Choose at least one lever that applies to this experiment.");
    }
    Outcome outcome;
    outcome.sweep = sweepOf(document_.experiment(), choice);
    auto cells = study::expand(outcome.sweep, cuda());
    if (!cells) {
        return plainError(cells.error());
    }
    outcome.cells = std::move(*cells);
    for (study::Cell& cell : outcome.cells) {
        cell.subject.budget = around_.budget();
    }
    study::TrialOptions options;
    options.repeatsLeast = choice.repeats;
    options.repeatsMost = choice.mostRepeats;
    options.interleave = outcome.sweep.interleave;
    StudyRun how;
    how.device = around_.device().toStdString();
    how.host = around_.host().toStdString();
    how.steps = choice.steps;
    how.study = runs::newStudy("factorial of " + outcome.sweep.base.name);
    outcome.before = result_;
    auto shared = std::make_shared<Outcome>(std::move(outcome));
    const auto work = [this, guard = QPointer<QObject>(this), shared, options, how,
                       volumes = around_.volumes()](StudyWorker::Job& job) mutable {
        how.volumes = scansFor(shared->sweep.base, std::move(volumes), job.cancelled());
        const CellWatch watch = [&](std::size_t cell, const base::Result<study::RunOutcome>* ended) {
            if (ended) {
                job.post(guard, [this, cell, run = *ended, tolerance = options.tolerance] {
                    takeRun(cell, run, tolerance);
                });
            }
        };
        shared->measured = measureCells(job, shared->cells, how, options, watch);
        if (shared->measured) {
            shared->result = study::evaluate(shared->sweep, shared->cells, *shared->measured);
        }
    };
    if (!start(work, [this, shared](bool cancelled) { finish(*shared, cancelled); })) {
        return tr("Another study is running. Cancel it first.");
    }
    std::vector<study::Measured> none(shared->cells.size());
    result_ = study::SweepResult{shared->sweep, shared->cells, std::move(none), {}, {}, {}};
    showMeasuring();
    return {};
}

void FactorialWindow::takeRun(std::size_t cell, const base::Result<study::RunOutcome>& ended,
                              double tolerance) {
    study::Measured& m = result_->measured[cell];
    const bool first = m.name.empty();
    m.name = result_->cells[cell].subject.name;
    if (ended) {
        study::addRun(m, *ended, first, tolerance);
    } else {
        m.status = wire::RunStatus::Failed;
        m.why = ended.error().message;
    }
    showMeasuring();
}

/// The front and the effects need all runs.
void FactorialWindow::showMeasuring() {
    FactorialRows rows = toRows(*result_);
    rows.notes = QStringList{tr("Measuring. The effects are shown when all combinations are done.")};
    panel_->setResult(rows);
}

void FactorialWindow::finish(const Outcome& outcome, bool cancelled) {
    if (!outcome.result) {
        const QString problem = QString::fromStdString(outcome.measured.error().message);
        result_ = outcome.before;
        panel_->setResult(result_ ? toRows(*result_) : FactorialRows());
        if (!result_) {
            panel_->setMessage(problem, true);
        }
        fail(tr("The factorial could not be measured: %1").arg(problem));
        return;
    }
    result_ = outcome.result;
    panel_->setResult(toRows(*result_));
    if (cancelled) {
        notices().show(widgets::NoticeBar::Kind::Info, tr("Stopped: showing what was measured so far."));
    }
}

void FactorialWindow::use(int row) {
    if (!result_ || row < 0 || row >= static_cast<int>(result_->cells.size())) {
        return;
    }
    const study::Cell& cell = result_->cells[static_cast<std::size_t>(row)];
    if (!cell.problem.empty()) {
        return fail(QString::fromStdString(cell.problem));
    }
    const QString name = panel_->results().rows().combinations[static_cast<std::size_t>(row)].name;
    document_.edit(tr("Use combination: %1").arg(name),
                   [&](stack::Experiment& experiment) { experiment = cell.subject.experiment; });
    notices().show(widgets::NoticeBar::Kind::Info, tr("%1 opened. Ctrl+Z to undo.").arg(name));
}

QString FactorialWindow::saveTo(const QString& file) const {
    if (!result_) {
        return tr("There is nothing to save yet. Run the factorial first.");
    }
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending != "csv" && ending != "json") {
        return tr("%1: its name must end in .csv or .json").arg(file);
    }
    const std::string text =
        ending == "csv" ? report::sweepCsv(*result_) : base::jsonText(study::toJson(*result_), 2) + '\n';
    const auto saved = base::writeFileAtomically(file.toStdString(), text);
    return saved ? QString() : QString::fromStdString(saved.error().message);
}

void FactorialWindow::chooseFile() {
    if (!result_) {
        return;
    }
    QString chosen;
    const QString folder = widgets::lastFolder("files/sweepFolder");
    const QString csv = tr("Table (*.csv)"), json = tr("All measurements (*.json)");
    QString file = QFileDialog::getSaveFileName(this, tr("Save the factorial"), folder + "/factorial.csv",
                                                csv + ";;" + json, &chosen);
    if (file.isEmpty()) {
        return;
    }
    if (QFileInfo(file).suffix().isEmpty()) {
        file += chosen == json ? ".json" : ".csv";
    }
    QSettings().setValue("files/sweepFolder", QFileInfo(file).absolutePath());
    if (const QString problem = saveTo(file); !problem.isEmpty()) {
        fail(problem);
    } else {
        notices().show(widgets::NoticeBar::Kind::Done, tr("Saved %1.").arg(file));
    }
}

void FactorialWindow::chooseReport() {
    if (const QString file = result_ ? askReportFile(this) : QString(); !file.isEmpty()) {
        saveReport(file);
    }
}

void FactorialWindow::saveReport(const QString& file) {
    if (!result_) {
        return;
    }
    writeReport(
        file,
        [result = *result_](const std::filesystem::path& path, const report::Stop& stop) {
            const report::SweepInput input{result, base::isoNow()};
            return report::write(report::contentOf(input), path, stop);
        },
        reports_, this, sayIn(notices()));
}

void FactorialWindow::showState(const StudyState& state) {
    panel_->setState(state);
}

void FactorialWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue(kFactorialSplitter, panel_->splitter().saveState());
    StudyWindow::closeEvent(event);
}

}  // namespace highwater::desktop

#include "moc_factorial_window.cpp"
