#pragma once

#include <QTimer>
#include <memory>

#include "app/desktop/study/factorial/factorial_window.h"
#include "app/desktop/study/sweep/sweep_convert.h"
#include "app/desktop/study/sweep/sweep_forecast.h"
#include "app/desktop/study/sweep/sweep_sources.h"

namespace highwater::desktop {

class SweepPanel;

/// The window "Sweep": many experiments from one. A sweep is made from the current experiment or opened; its
/// cells are shown at once with their predictions, and filled with measurements while it runs. Results are
/// opened from a file or from the store.
class SweepWindow : public StudyWindow {
    Q_OBJECT
public:
    using Around = FactorialWindow::Around;
    SweepWindow(ExperimentDocument& document, Store& store, StudyWorker& worker, Around around);
    ~SweepWindow() override;

    bool loading() const override { return opening_ || later_.isActive() || forecast_.busy(); }
    /// The view to show: "parallel", "scatter", "heat_map".
    void choose(const QStringList& ids) override;
    QString run() override;

    /// Opens a sweep or a sweep result. It is read on a worker thread; problem() says why it cannot be read.
    void openFile(const QString& path);
    void openStudy(const QString& id);
    /// Adds the axis to the sweep of the current experiment, or puts the cursor into it if it is there.
    void vary(const SweepAxisEdit& axis);
    void compose();  ///< back to a sweep of the current experiment, without axes
    /// Writes what is shown; the suffix decides: .csv and .json the cells, .png, .svg and .pdf the current
    /// view. Returns an empty string, or why it failed.
    QString saveTo(const QString& file) const;
    /// Writes a report of the measured cells; the suffix of the file decides the format.
    void saveReport(const QString& file);
    /// Writes the sweep itself (highwater.sweep/1).
    QString saveSweep(const QString& file) const;
    const SweepState& state() const { return state_; }
    SweepPanel& panel() { return *panel_; }

signals:
    /// The sweep composed for the current experiment was changed.
    void composed(const highwater::desktop::SweepChoice& choice);
    /// A cell was selected: requests that its run be selected and, if `open`, brought to the front.
    void runWanted(const QString& id, bool open);

protected:
    void showState(const StudyState& state) override;
    void offerLater() override { later_.start(); }
    bool stopOffering() override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    bool hasMeasured() const;
    /// The source of the current sweep.
    enum class Source { Composed, File, Study };
    struct Outcome;
    void connectPanel();
    void connectForecast();
    bool cuda() const;
    SweepForecast::Target target() const;
    /// Where the cells are measured: "this machine, CPU".
    QString runsOn() const;
    void offer();
    void takeChoice();
    void showSource();
    void takeFile(const QString& path, base::Result<SweepFile> read);
    void showResult(study::SweepResult result);
    void showRows();
    void showCount(const QString& problem, int axis);
    void showEstimate();
    void goTo(int cell, bool open);
    void work(const std::shared_ptr<Outcome>& outcome, StudyWorker::Job& job, const QPointer<QObject>& guard);
    void begin(const Outcome& outcome);
    void takeForecasts(const std::vector<CellForecast>& forecasts);
    void takeRun(std::size_t cell, const std::shared_ptr<const base::Result<study::RunOutcome>>& ended);
    void finish(const Outcome& outcome, bool cancelled);
    study::SweepResult resultNow() const;
    void chooseOpen();
    void chooseExport();
    void chooseReport();
    void chooseSweepFile();
    LossOf losses() const;
    ExperimentDocument& document_;
    Store& store_;
    Around around_;
    SweepPanel* panel_;
    Source source_ = Source::Composed;
    QString sourceName_;  ///< a file name or the title of a study
    study::Sweep base_;   ///< the experiment that the axes vary
    QString invalid_;     ///< why the edited sweep is invalid
    QString estimatedFor_;
    SweepState state_;
    bool measuring_ = false;  ///< the cells shown are those of the running study
    bool opening_ = false, quiet_ = false;
    QTimer later_, rowsLater_, choiceLater_;
    SweepForecast forecast_;
    widgets::Background reader_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
