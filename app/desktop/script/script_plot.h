#pragma once

#include <optional>

#include "core/wire/events.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {

/// The memory of a script: while it runs, what it has allocated since it began to use the GPU; afterwards the
/// step with the highest peak, by category.
class ScriptPlot : public widgets::PlotPanel {
    Q_OBJECT
public:
    explicit ScriptPlot(QWidget* cardHost, QWidget* parent = nullptr);

    /// `hint` is shown until there are values.
    void clear(const QString& hint);
    void take(const wire::Event& event);
    /// To be called once the script has ended and its steps have been taken. `hint` is shown if it has left
    /// no values.
    void finish(const QString& hint);
    const widgets::MemoryTrack& track() const { return track_; }

private:
    void addSample(const wire::LedgerSample& sample);
    void addStep(const wire::StepDone& step);
    void draw();
    QString noteOfNow() const;

    widgets::RunShape shape_;
    widgets::MemoryTrack track_;
    std::optional<wire::StepDone> highest_;
    std::optional<wire::Failed> refused_;
    double began_ = 0;  ///< time of the first sample
    base::Bytes most_ = 0;
    int step_ = 0;  ///< that is running
    QString hint_;
    std::optional<std::pair<double, double>> view_;  ///< that the user has zoomed into
};

}  // namespace highwater::desktop
