#pragma once

#include <QString>
#include <QWidget>
#include <optional>

#include "core/base/units.h"

namespace highwater::widgets {

/// What is known of the peak of the current or last run.
struct GaugeState {
    base::Bytes peak = 0;               ///< the highest total measured so far; 0: nothing measured yet
    std::optional<base::Bytes> budget;  ///< the run's budget; without one the bar has no end mark
    bool running = false;
    bool outOfMemory = false;  ///< the run was stopped because it needed more
    bool stopping = false;     ///< asked to stop, not stopped yet
    QString note = {};         ///< what else there is to say: "cancelled", "waiting for the scan"
    bool operator==(const GaugeState&) const = default;
};

/// The gauge at the right of the control bar: the measured peak against the budget. Without a budget the bar
/// shows the progress of a run, and rests empty afterwards: there is no whole to be a part of.
class Gauge : public QWidget {
    Q_OBJECT
public:
    explicit Gauge(QWidget* parent = nullptr);
    void setState(const GaugeState& state);
    const GaugeState& state() const { return state_; }
    /// Steps done, of how many; 0 of 0 for none.
    void setProgress(int step, int of);
    /// The whole text, as painted and as read out.
    QString text() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    void paintEvent(QPaintEvent* event) override;
    QString verdict() const;
    GaugeState state_;
    int step_ = 0, of_ = 0;
};

}  // namespace highwater::widgets
