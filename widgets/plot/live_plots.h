#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <span>

#include "widgets/plot/device_strip.h"
#include "widgets/plot/forecast.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_values.h"
#include "widgets/plot/steps_scene.h"

class QSplitter;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace highwater::widgets {

class LossPlot;
class Pages;
class PlotPanel;

/// A stored run, in the form in which a live run is shown.
struct StoredRun {
    RunShape shape;
    std::vector<StepBar> steps;
    int timelineStep = -1;  ///< step of the timeline; -1 if there is no timeline
    std::vector<MemoryPoint> timeline;
    std::vector<PhaseSpan> spans;
    std::optional<PeakInfo> peak;
    std::vector<MemoryPoint> begun;  ///< of the last step, if it was started but not completed
    int begunStep = -1;
    std::optional<Refusal> refusal;
    base::Interval stepMs;
    double throughput = 0;
    QString state;
    std::optional<DeviceStatus> device = {};  ///< only for a GPU run
};

/// The plots in the middle of the window, for a live or a stored run: memory in the last step, peaks over
/// steps, and time by phase or, in the same place, losses.
///
/// Adding values is cheap (microseconds): they are stored, and the plots are redrawn at most 60 times a
/// second, only where something changed, and only while visible. Step indices count from 0, warm-up included.
/// A step that is added again replaces the earlier one. All functions must be called on the window's thread.
class LivePlots : public QWidget {
    Q_OBJECT
public:
    explicit LivePlots(QWidget* parent = nullptr);

    void startRun(RunShape run);
    void startRun(int warmup, int steps, std::vector<QString> layerNames, std::optional<base::Bytes> budget,
                  base::Bytes capacity);
    /// Ledgers of the step that is running. `ms` may be on any clock; the step's first sample counts as its
    /// start. They are drawn until the first timeline arrives. After that, only the latest one is drawn, as a
    /// mark of the moment that the running step has reached.
    void addLiveSamples(std::span<const MemoryPoint> samples, int step);
    /// The timeline of a whole step; `ms` counts from the step's start. Points and spans that are out of
    /// order are sorted.
    void setStepTimeline(int step, std::vector<MemoryPoint> points, std::vector<PhaseSpan> spans,
                         const PeakInfo& peak);
    void addSteps(std::span<const StepBar> steps);
    void setSummary(const base::Interval& stepMs, double throughput);
    /// The GPU of the current run, for the strip above the plots. std::nullopt hides the strip, as when a run
    /// starts.
    void setDevice(const std::optional<DeviceStatus>& status);
    /// The run ran out of memory or exceeded its budget. Marked in the step that was running.
    void markRefused(const Refusal& refusal);
    /// The run has ended. `state` is in plain words ("done", "cancelled", "out of memory", "failed").
    void finish(const QString& state);
    void showRun(StoredRun run);
    /// Shows the text for the state before any run. A forecast stays.
    void clear();

    /// The prediction for the current experiment. It is shown alone if there is no run, or if showForecast()
    /// asks for it. std::nullopt: no prediction; `trouble` says why, if that is known.
    void setForecast(std::optional<Forecast> forecast, const QString& trouble = {});
    /// The prediction for the current run, drawn over the measured values. It is dropped when another run
    /// starts or is shown.
    void setRunForecast(std::optional<Forecast> forecast);
    /// A description of the current run, "run #2: batch 2, 48³", for the headers of all panels that show it.
    /// `apart` says how it differs from what is edited and predicted: "differs from the current experiment";
    /// empty if it does not.
    void setRunMark(const QString& mark, const QString& apart);
    /// Chooses whether the memory panel shows the forecast or the run, if there are both. When the next run
    /// starts, that run is shown.
    void showForecast(bool on);
    bool forecastOnShow() const { return forecast_ && (empty() || preferForecast_); }

    /// Redraws the plots now instead of with the next frame.
    void flush();
    /// All three panels (or the text shown instead) as one picture.
    QPixmap picture(double scale = 2.0);
    bool savePng(const QString& path, double scale = 2.0);

    PlotPanel& memoryPanel() { return *memory_; }
    PlotPanel& peakPanel() { return *peaks_; }
    PlotPanel& timePanel() { return *times_; }
    LossPlot& loss() { return *loss_; }
    /// Whether the losses are shown in place of the times.
    bool lossOnShow() const;
    void showLoss(bool on);
    const DeviceStrip& deviceStrip() const { return *device_; }
    QSplitter& splitter() { return *splitter_; }  ///< for keeping its state between launches
    bool empty() const { return !running_ && !ended_; }
    int frames() const { return frames_; }  ///< how often the plots were redrawn
    std::size_t stepCount() const { return steps_.size(); }
    /// "2 min 5 s left" for a run in progress; empty until its first step is completed.
    QString left() const;

signals:
    /// The user clicked into the part of the step that belongs to this layer.
    void layerClicked(int layer);
    /// The user asked for the forecast (`on`) or for the run. The owner answers with showForecast().
    void forecastWanted(bool on);
    /// The user asked for the batch size that would have fitted.
    void batchWanted(qint64 batch);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum Part { Memory = 1, Steps = 2 };
    static constexpr int kLeastMemory = 168, kLeastSteps = 64;  ///< heights of charts, in pixels
    using View = std::optional<StepRange>;

    void buildPages();
    void buildPanels();
    void connectMemory();
    void connectSteps(PlotPanel* panel);
    void schedule(int parts);
    void renderDue();
    void renderMemory();
    void renderSteps();
    void showMark(PlotPanel& panel, bool ofRun) const;
    QString predictedTime() const;
    void renderLoss();
    void describe();
    void alignLeft();
    MemoryTrack shownTrack() const;
    void setMemoryView(double from, double to);
    void setStepsView(double from, double to);
    void clickAt(double ms);
    void updatePages();
    void updateSwitch();
    void updateDevice();
    void fitParts();

    QStackedLayout* pages_;
    QLabel* hint_;  ///< shown while there is neither a run nor a forecast
    QSplitter* splitter_;
    PlotPanel* memory_ = nullptr;
    PlotPanel* peaks_ = nullptr;
    PlotPanel* times_ = nullptr;
    LossPlot* loss_ = nullptr;
    Pages* lower_ = nullptr;  ///< times or losses
    DeviceStrip* device_ = nullptr;
    bool hasDevice_ = false;

    RunShape run_;
    MemoryTrack track_;  ///< the last whole step
    MemoryTrack live_;   ///< the running step, from samples
    double liveStart_ = 0;
    std::vector<StepBar> steps_;
    std::optional<Refusal> refusal_;
    base::Interval stepMs_;
    double throughput_ = 0;
    QString state_, mark_;
    QString apart_;
    bool running_ = false, ended_ = false;

    std::optional<Forecast> forecast_, runForecast_;
    bool preferForecast_ = false;
    QToolButton* switch_ = nullptr;  ///< between forecast and run, in the memory panel's header

    RunShape shownRun_;
    MemoryTrack shown_;  ///< what the memory panel shows
    std::vector<StepGroup> groups_, peakGroups_;
    std::vector<StepBar> peakSteps_;  ///< steps_, and the step in which memory ran out
    View memoryView_, stepsView_;
    QTimer frame_;
    QElapsedTimer sinceFrame_;
    QTimer rest_;  ///< until the text of the predicted time is updated
    int due_ = 0;
    int frames_ = 0;
};

}  // namespace highwater::widgets
