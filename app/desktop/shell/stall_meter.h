#pragma once

#include <QObject>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace highwater::desktop {

/// Measures how long the window's thread keeps an event waiting. A separate thread posts an event every 5 ms
/// and measures the time until it is handled. Time during which the process waits for a processor counts too,
/// because the user waits as well.
class StallMeter : public QObject {
    Q_OBJECT
public:
    explicit StallMeter(QObject* parent = nullptr);
    ~StallMeter() override;

    /// Restarts the count: the startup time is reported separately (first_paint_ms).
    void reset();
    /// To be called after the window's first paint; later calls have no effect.
    void painted();
    /// The measurements as JSON: {"first_paint_ms": since the process started, "n", "median_ms", "p99_ms",
    /// "max_ms", "over_50_ms", "stalls_ms": the ten longest}
    std::string report() const;

protected:
    bool event(QEvent* event) override;

private:
    std::vector<double> waits_;  // ms
    double firstPaintMs_ = 0;
    std::atomic<bool> stop_{false};
    std::atomic<bool> pending_{false};
    std::thread thread_;
};

}  // namespace highwater::desktop
