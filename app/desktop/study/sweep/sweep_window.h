#pragma once

#include <QTimer>
#include <memory>

#include "app/desktop/study/factorial/factorial_window.h"
#include "app/desktop/study/sweep/sweep_convert.h"
#include "app/desktop/study/sweep/sweep_forecast.h"
#include "app/desktop/study/sweep/sweep_sources.h"

namespace highwater::desktop {

class SweepPanel;

/// The window "Sweep": many experiments from one. A sweep is made of the edited experiment or opened; its
/// cells are shown at once with what is predicted of them, and fill with what is measured while it runs.
/// What has been measured is opened from a file or from the store.
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

    /// Opens a sweep or the result of one. It is read on a worker thread; problem() says why it cannot be.
    void openFile(const QString& path);
    void openStudy(const QString& id);
    void compose();  ///< back to a sweep of the edited experiment, without axes
    /// Writes what is shown; the ending decides: .csv and .json the cells, .png, .svg and .pdf the view on
    /// show. Returns an empty string, or why it failed.
    QString saveTo(const QString& file) const;
    /// Writes the sweep itself (highwater.sweep/1).
    QString saveSweep(const QString& file) const;
    const SweepState& state() const { return state_; }
    SweepPanel& panel() { return *panel_; }

signals:
    /// What is composed for the edited experiment was changed.
    void composed(const highwater::desktop::SweepChoice& choice);
    /// A cell was chosen: its run is to be selected; `open`: it is to be brought to the front too.
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
    /// Where the sweep on show is from.
    enum class Source { Composed, File, Study };
    struct Outcome;
    void connectPanel();
    void connectForecast();
    bool cuda() const;
    SweepForecast::Target target() const;
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
    void chooseSweepFile();
    LossOf losses() const;
    ExperimentDocument& document_;
    Store& store_;
    Around around_;
    SweepPanel* panel_;
    Source source_ = Source::Composed;
    QString sourceName_;  ///< a file's name, a study's title
    study::Sweep base_;   ///< what the axes are written over
    QString invalid_;     ///< why the sweep as it is written is none
    SweepState state_;
    bool measuring_ = false;  ///< the cells on show are those of the study that runs
    bool opening_ = false, quiet_ = false;
    QTimer later_, rowsLater_, choiceLater_;
    SweepForecast forecast_;
    widgets::Background reader_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
