#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/study/factorial/factorial_estimate.h"
#include "core/study/sweep.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// Makes the cells of a sweep and predicts them one after the other on a separate thread. A new request
/// replaces the previous one.
class SweepForecast : public QObject {
    Q_OBJECT
public:
    explicit SweepForecast(QObject* parent = nullptr) : QObject(parent) {}
    ~SweepForecast() override { stop(); }

    struct Target {
        TargetChoice choice;
        bool cuda = false;
    };
    void start(study::Sweep sweep, const Target& target);
    /// Predicts existing cells, except those that are `known`.
    void start(std::vector<study::Cell> cells, std::vector<bool> known, const Target& target);
    void stop();
    bool busy() const { return cancel_ != nullptr; }

signals:
    /// All cells of the sweep, or, in one line, why there are none.
    void expanded(const std::vector<highwater::study::Cell>& cells, const QString& problem);
    /// The predictions for the cells from `first` on.
    void predicted(std::size_t first, const std::vector<highwater::desktop::CellForecast>& forecasts);
    void finished();

private:
    using Cancel = std::shared_ptr<std::atomic<bool>>;
    void predict(const Cancel& cancel, const std::vector<study::Cell>& cells, const std::vector<bool>& known,
                 const Target& target);
    template <class Act>
    void post(const Cancel& cancel, Act act);
    Cancel cancel_;               ///< of the work in progress; null if there is none
    widgets::Background thread_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
