#pragma once

#include <QString>
#include <QWidget>
#include <array>
#include <numeric>
#include <optional>

#include "core/base/units.h"

namespace highwater::widgets {

/// What is predicted of the peak. low <= expected <= high; all three are equal where nothing is a guess.
struct GaugeForecast {
    enum class Fits { Yes, No, Uncertain };
    base::Bytes low = 0, expected = 0, high = 0;
    base::Bytes capacity = 0;  ///< what the device has for the run; 0: unknown
    Fits fits = Fits::Uncertain;
    double odds = 0;       ///< 0 to 1: of running out
    QString device;        ///< "NVIDIA H100 80 GB", "this CPU"
    QString details;       ///< lines for the tooltip: guesses, where it runs out
    QString trouble = {};  ///< set: there is no prediction, and this is why
    bool operator==(const GaugeForecast&) const = default;
};

/// What a GPU's memory holds: the parts sum to what nvidia-smi shows.
struct GaugeDevice {
    std::array<base::Bytes, 6> parts{};  ///< tensors, then the theme's device parts in their order
    base::Bytes capacity = 0;
    QString details;  ///< lines for the tooltip
    base::Bytes used() const { return std::accumulate(parts.begin(), parts.end(), base::Bytes{0}); }
    bool operator==(const GaugeDevice&) const = default;
};

/// What is known of the peak of the current or last run.
struct GaugeState {
    base::Bytes peak = 0;                    ///< the highest total measured so far; 0: nothing measured yet
    std::optional<base::Bytes> budget = {};  ///< the run's budget
    bool running = false;
    bool outOfMemory = false;  ///< the run was stopped because it needed more
    bool stopping = false;     ///< asked to stop, not stopped yet
    QString note = {};         ///< what else there is to say: "cancelled", "waiting for the scan"
    std::optional<GaugeDevice> device = {};  ///< of a GPU run
    bool operator==(const GaugeState&) const = default;
};

/// The gauge at the right of the control bar: the predicted peak against the device's memory or the budget,
/// and what was measured beside it. The bar's whole is the smaller of the two limits; the band that is
/// believed to hold the peak is drawn over it. Without any limit the bar shows the progress of a run.
class Gauge : public QWidget {
    Q_OBJECT
public:
    explicit Gauge(QWidget* parent = nullptr);
    void setState(const GaugeState& state);
    const GaugeState& state() const { return state_; }
    /// Nothing: no prediction is wanted or known yet.
    void setForecast(const std::optional<GaugeForecast>& forecast);
    const std::optional<GaugeForecast>& forecast() const { return forecast_; }
    /// The budget that a prediction is held against, before a run has one.
    void setBudget(const std::optional<base::Bytes>& budget);
    /// Steps done, of how many; 0 of 0 for none.
    void setProgress(int step, int of);
    /// The whole text, as painted and as read out; what stands at its right end.
    QString text() const;
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
    void paintEvent(QPaintEvent* event) override;
    void paintBar(QPainter& painter, const QRectF& track) const;
    void paintDevice(QPainter& painter, const QRectF& track) const;
    bool forecasts() const { return forecast_ && forecast_->trouble.isEmpty(); }
    std::optional<base::Bytes> budget() const { return state_.budget ? state_.budget : budget_; }
    base::Bytes limit() const;
    GaugeForecast::Fits forecastFits() const;
    QString forecastVerdict() const;
    Tone tone() const;
    void describe();
    GaugeState state_;
    std::optional<GaugeForecast> forecast_;
    std::optional<base::Bytes> budget_;
    int step_ = 0, of_ = 0;
};

}  // namespace highwater::widgets
