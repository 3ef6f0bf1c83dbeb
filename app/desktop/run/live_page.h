#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/experiment/bar/gauge.h"
#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/experiment/target/gpu_values.h"
#include "app/desktop/run/left_runs.h"
#include "app/desktop/run/run_controller.h"
#include "core/runs/run_store.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/plot/forecast.h"
#include "widgets/plot/plot_values.h"

namespace highwater::widgets {
class LivePlots;
}
namespace highwater::desktop {

class ControlBar;
class ScanPage;

/// The controls at the top and the plots in the middle. Starts and stops runs, and shows what they measure.
class LivePage : public QObject {
    Q_OBJECT
public:
    LivePage(ExperimentDocument& document, Store& store, ScanPage& scan, QObject* parent = nullptr);

    ControlBar* controls() const { return controls_; }
    widgets::LivePlots* plots() const { return plots_; }

    /// Starts a run. Returns why it cannot be started, or an empty string. If the scan is still being read,
    /// the run waits for it.
    QString start();
    /// Why no run can be started now; empty if one can be, or if only its scan is not ready.
    QString whyNot() const;
    QString throughPython() const;
    /// To be called when Run is pressed: starts a run, or says why not. While another program is measuring a
    /// run, it warns, and only the next press starts one.
    void press();
    void stop();
    /// The runs that other windows and programs have left.
    LeftRuns& left() { return left_; }
    const LeftRuns& left() const { return left_; }
    /// Asks whether to record a run on a host as failed with the data that is here, and does so.
    void giveUp(const std::string& id);
    /// Sets why no run can be started now; empty if one can be.
    void setBlocked(const QString& whyNot);
    bool blocked() const { return !blocked_.isEmpty(); }
    /// True also while a run waits for its scan, and for a run that was taken over.
    bool running() const { return waiting_ || controller_.running(); }
    const std::string& runId() const { return controller_.runId(); }
    /// The last run that ended in this window.
    const std::optional<runs::RunSummary>& last() const { return last_; }
    /// Sets a sentence that says that the current experiment is predicted not to fit this machine, and that
    /// no budget would stop it: press() warns first. Empty if it fits.
    void setTooLarge(const QString& why) { tooLarge_ = why; }
    /// Shows a stored run in the plots.
    void show(const runs::RunRecord& run);

    /// The run in the plots: its experiment and, once it has ended, its measurements.
    struct Shown {
        stack::Experiment experiment;
        QString title;  ///< "run #12", "the run"
        std::optional<wire::RunResult> measured;
        TargetChoice target = {};  ///< the target that corresponds to its device
        std::string id = {};       ///< once it is in the store
        bool script = false;       ///< a run of a script: the experiment has only its name
        bool watched = false;      ///< of a script on a real device
    };
    /// The pretended run of the watched script that is shown, on the same GPU, as a forecast; it is read from
    /// the store. `then` is not called if there is none.
    void askForTwin(std::function<void(widgets::Forecast)> then);
    /// Clears gauge and plots if they show one of these runs, which are being deleted.
    void forget(const std::vector<std::string>& ids);
    const std::optional<Shown>& shown() const { return shown_; }
    /// True if gauge and plots show the run rather than the prediction for the current experiment.
    bool runOnShow() const;

signals:
    void stateChanged();
    void refused(const QString& why);  ///< Run was pressed, but no run can be started
    void shownChanged();               ///< another run is shown
    void tookOver(int number);         ///< this window has taken over the run of a window that is gone
    void measuredChanged();            ///< the run that is shown has ended
    /// The remaining time of the run in progress, as in its plots; empty until its first step is completed.
    void leftChanged(const QString& id, const QString& left);
    void viewChanged();  ///< the plots switched between run and prediction
    void patchSaved(const highwater::wire::PatchSaved& patch);  ///< emitted by the run in progress
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});

private:
    void take(const std::vector<wire::Event>& events);
    void take(const wire::Event& event, std::vector<widgets::MemoryPoint>& samples,
              std::vector<widgets::StepBar>& bars);
    void finished(const wire::RunResult& result);
    void settled(const runs::RunSummary& summary);
    void startWaiting();
    void begin(const stack::Experiment& experiment, const QString& title);
    void takenOver(const runs::TakenRun& run);
    void startUnlessDisturbed(const std::optional<runs::ActiveRun>& other);
    void startOrSay();
    void showState();
    void showGauge();
    void showDevice();
    void useBatch(qint64 batch);
    void sayFailure(const runs::RunSummary& summary);
    void setGauge(const GaugeState& state);
    void follow();
    void showForecast(bool on);
    void showMark();
    QString apart() const;
    QString apartText() const;
    void judgeBudget();
    ExperimentDocument& document_;
    Store& store_;
    ScanPage& scan_;
    RunController controller_;
    LeftRuns left_;
    ControlBar* controls_;
    widgets::LivePlots* plots_;
    std::vector<wire::LayerCost> layers_;
    std::optional<base::Bytes> budget_;  ///< of the run that is shown
    std::optional<base::Bytes> budgetInField_;
    bool budgetAnew_ = false;  ///< it was changed since the shown run was started or selected, and differs
    base::Bytes highest_ = 0;
    bool waiting_ = false;
    bool asking_ = false;   ///< checking whether another program is measuring a run
    std::string warnedOf_;  ///< another program's run that the user was warned of; the next press starts
    QString tooLarge_, warnedOfSize_;
    QString blocked_;
    int step_ = -1;
    int stepsOfRun_ = 0, warmupOfRun_ = 0;
    /// GPU runs only: the device's memory now, or, for a finished run, the memory that is shown.
    std::optional<wire::DeviceMemory> device_;
    std::optional<wire::Failed> failure_;  ///< of the run that has just ended
    ReservedTrack reserved_;
    bool hostSlower_ = false;  ///< as of the last step
    bool ended_ = false;       ///< the result of the run is shown
    QElapsedTimer deviceShown_;
    std::optional<runs::RunSummary> last_;
    std::optional<Shown> shown_;
    bool forecastWanted_ = false;      ///< the current experiment is not the run's
    stack::Experiment starting_;       ///< the experiment of the run that was started or taken over
    stack::Experiment editedAtStart_;  ///< the current experiment at that time
    QString startingTitle_;            ///< "this run", "run #12"
    GaugeState gauge_;                 ///< the gauge's state for the run that is shown
};

}  // namespace highwater::desktop
