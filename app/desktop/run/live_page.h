#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "app/desktop/prediction/gpu_values.h"
#include "app/desktop/run/run_controller.h"
#include "app/desktop/window/notice_bar.h"
#include "core/runs/run_store.h"
#include "widgets/controls/gauge.h"
#include "widgets/controls/target_field.h"
#include "widgets/plot/plot_values.h"
#include "widgets/stack/document.h"

namespace highwater::widgets {
class ControlBar;
class LivePlots;
}  // namespace highwater::widgets

namespace highwater::desktop {

class ScanPage;

/// The controls above and the plots in the middle: starts and stops runs, and shows what they measure.
class LivePage : public QObject {
    Q_OBJECT
public:
    LivePage(widgets::ExperimentDocument& document, Store& store, ScanPage& scan, QObject* parent = nullptr);

    widgets::ControlBar* controls() const { return controls_; }
    widgets::LivePlots* plots() const { return plots_; }

    /// Empty when the run has been started, otherwise why it cannot be. While the scan is still being read
    /// the run waits for it.
    QString start();
    void stop();
    /// Why no run can be started now; empty: one can.
    void setBlocked(const QString& whyNot);
    bool blocked() const { return !blocked_.isEmpty(); }
    /// True also while a run waits for its scan.
    bool running() const { return waiting_ || controller_.running(); }
    const std::string& runId() const { return controller_.runId(); }
    /// The last run that ended in this window.
    const std::optional<runs::RunSummary>& last() const { return last_; }
    /// A stored run in the plots.
    void show(const runs::RunRecord& run);

    /// The run in the plots: what it is of, and what it measured once it has ended.
    struct Shown {
        stack::Experiment experiment;
        QString title;  ///< "run #12", "the run"
        std::optional<wire::RunResult> measured;
        widgets::TargetChoice target = {};  ///< what predicts the device that it ran on
    };
    const std::optional<Shown>& shown() const { return shown_; }
    /// Whether gauge and plots are the run's rather than the prediction's of what is edited.
    bool runOnShow() const;

signals:
    void stateChanged();
    void shownChanged();                                        ///< another run
    void measuredChanged();                                     ///< the run on show has ended
    void viewChanged();                                         ///< the run's turn, or the prediction's
    void patchSaved(const highwater::wire::PatchSaved& patch);  ///< by the run under way
    void notice(highwater::desktop::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});

private:
    void take(const std::vector<wire::Event>& events);
    void take(const wire::Event& event, std::vector<widgets::MemoryPoint>& samples,
              std::vector<widgets::StepBar>& bars);
    void finished(const wire::RunResult& result);
    void settled(const runs::RunSummary& summary);
    void startWaiting();
    void showState();
    void showGauge();
    void showDevice();
    void useBatch(qint64 batch);
    void sayFailure(const runs::RunSummary& summary);
    void setGauge(const widgets::GaugeState& state);
    void follow();
    void showForecast(bool on);
    widgets::ExperimentDocument& document_;
    ScanPage& scan_;
    RunController controller_;
    widgets::ControlBar* controls_;
    widgets::LivePlots* plots_;
    std::vector<wire::LayerCost> layers_;
    std::optional<base::Bytes> budget_;
    base::Bytes highest_ = 0;
    bool waiting_ = false;
    QString blocked_;
    int step_ = -1;
    int stepsOfRun_ = 0;
    std::optional<wire::DeviceMemory> device_;  ///< GPU runs: now, or what its end is shown by
    std::optional<wire::Failed> failure_;       ///< of the run that has just ended
    ReservedTrack reserved_;
    bool hostSlower_ = false;  ///< in the last step
    bool ended_ = false;       ///< its result is on show
    QElapsedTimer deviceShown_;
    std::optional<runs::RunSummary> last_;
    std::optional<Shown> shown_;
    bool forecastWanted_ = false;  ///< what is edited is another experiment than the run's
    stack::Experiment starting_;   ///< of the run that has been started
    widgets::GaugeState gauge_;    ///< of the run on show
};

}  // namespace highwater::desktop
