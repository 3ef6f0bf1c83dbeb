#pragma once

#include <QObject>
#include <vector>

#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/study/factorial/factorial_estimate.h"
#include "core/study/sweep.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// Makes the cells of a sweep and predicts them one after the other on a separate thread. A new request
/// replaces the previous one.
class SweepForecast : public QObject {
    Q_OBJECT
public:
    explicit SweepForecast(QObject* parent = nullptr) : QObject(parent) {}

    struct Target {
        TargetChoice choice;
        bool cuda = false;
    };
    void start(study::Sweep sweep, const Target& target);
    /// Predicts existing cells, except those that are `known`.
    void start(std::vector<study::Cell> cells, std::vector<bool> known, const Target& target);
    void stop() { job_.cancel(); }
    bool busy() const { return job_.busy(); }

signals:
    /// All cells of the sweep, or, in one line, why there are none.
    void expanded(const std::vector<highwater::study::Cell>& cells, const QString& problem);
    /// The predictions for the cells from `first` on.
    void predicted(std::size_t first, const std::vector<highwater::desktop::CellForecast>& forecasts);
    void finished();

private:
    using Cancel = widgets::LatestJob::Cancel;
    void predict(const Cancel& cancel, const std::vector<study::Cell>& cells, const std::vector<bool>& known,
                 const Target& target);
    widgets::LatestJob job_;
};

}  // namespace highwater::desktop
