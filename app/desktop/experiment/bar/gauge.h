#pragma once

#include <QString>
#include <QWidget>
#include <array>
#include <numeric>
#include <optional>

#include "core/base/units.h"
#include "core/predict/fit/prediction.h"

namespace highwater::desktop {

/// The predicted peak. low <= expected <= high; all three are equal if the prediction is certain.
struct GaugeForecast {
    base::Bytes low = 0, expected = 0, high = 0;
    base::Bytes capacity = 0;  ///< memory that the device has for the run; 0 if unknown
    predict::Fits fits = predict::Fits::Uncertain;
    double odds = 0;        ///< probability of running out of memory, 0 to 1
    QString device;         ///< "NVIDIA H100 80 GB", "this CPU"
    QString details;        ///< lines for the tooltip: what was estimated, where memory runs out
    QString trouble = {};   ///< why there is no prediction; empty if there is one
    bool reserved = false;  ///< memory reserved by the allocator, as on a GPU; otherwise tensor memory
    bool atLeast = false;   ///< not every operator is known: the figures are lower bounds
    bool exact = false;     ///< no part of it is an estimate
    bool operator==(const GaugeForecast&) const = default;
};

/// How a GPU's memory is used. The parts sum to what nvidia-smi shows.
struct GaugeDevice {
    std::array<base::Bytes, 6> parts{};  ///< tensors, then the theme's device parts in their order
    base::Bytes capacity = 0;
    QString details;  ///< lines for the tooltip
    base::Bytes used() const { return std::accumulate(parts.begin(), parts.end(), base::Bytes{0}); }
    bool operator==(const GaugeDevice&) const = default;
};

/// What has been measured of the peak of the current or the last run.
struct GaugeState {
    base::Bytes peak = 0;                    ///< the highest total measured so far; 0: nothing measured yet
    std::optional<base::Bytes> budget = {};  ///< the run's budget
    bool running = false;
    bool outOfMemory = false;                ///< the run ended because it needed more memory
    bool stopping = false;                   ///< it was asked to stop and has not stopped yet
    QString note = {};                       ///< another short remark: "cancelled", "waiting for the scan"
    std::optional<GaugeDevice> device = {};  ///< only for a GPU run
    QString run = {};                        ///< which run it is: "run #2"
    QString apart = {};                      ///< how the run differs from the current experiment, if it does
    bool operator==(const GaugeState&) const = default;
};

/// The gauge at the right of the control bar. It shows the predicted peak against the device's memory or the
/// budget, and the measured peak. The full length of the bar is the smaller of the two limits; the
/// uncertainty band of the predicted peak is drawn over it. Without a limit, the bar shows the progress of a
/// run.
class Gauge : public QWidget {
    Q_OBJECT
public:
    explicit Gauge(QWidget* parent = nullptr);
    void setState(const GaugeState& state);
    const GaugeState& state() const { return state_; }
    /// std::nullopt if no prediction is wanted, or none is available yet.
    void setForecast(const std::optional<GaugeForecast>& forecast);
    const std::optional<GaugeForecast>& forecast() const { return forecast_; }
    /// The budget to compare a prediction with. A run has its own budget, or none.
    void setBudget(const std::optional<base::Bytes>& budget);
    /// Completed steps and all steps, including warm-up; 0 of 0 if no run is in progress.
    void setProgress(int step, int of, int warmup = 0);
    /// text() is the whole text, as painted and as read by screen readers. verdict() is the part at its right
    /// end.
    QString text() const;
    /// The text that is painted if there is no room for text().
    QString shortText() const;
    QString verdict() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void clicked();

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Tone { Plain, Good, Warning, Bad, Busy };
    QString measuredText(bool withPredicted) const;
    void paintEvent(QPaintEvent* event) override;
    void paintBar(QPainter& painter, const QRectF& track) const;
    void paintDevice(QPainter& painter, const QRectF& track) const;
    bool forecasts() const { return forecast_ && forecast_->trouble.isEmpty(); }
    std::optional<base::Bytes> budget() const {
        return state_.peak > 0 || state_.budget ? state_.budget : budget_;
    }
    base::Bytes limit() const;
    predict::Fits forecastFits() const;
    QString forecastVerdict() const;
    Tone tone() const;
    void describe();
    GaugeState state_;
    std::optional<GaugeForecast> forecast_;
    std::optional<base::Bytes> budget_;
    int step_ = 0, of_ = 0, warmup_ = 0;
};

}  // namespace highwater::desktop
