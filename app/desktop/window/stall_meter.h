#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace highwater::desktop {

/// Measures how long the window's thread keeps an event waiting: a thread of its own posts one every 5 ms and
/// looks at the clock when it is handled. The process's own waiting for a processor counts too, as it does
/// for the user.
class StallMeter : public QObject {
    Q_OBJECT
public:
    explicit StallMeter(QObject* parent = nullptr);
    ~StallMeter() override;

    /// Counts from now on: start-up has a measure of its own.
    void reset();
    /// Call when the window has been painted for the first time; later calls change nothing.
    void painted();
    /// {"first_paint_ms": since the process started, "n", "median_ms", "p99_ms", "max_ms", "over_50_ms",
    /// "stalls_ms": the ten longest}
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
