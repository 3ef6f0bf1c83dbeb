#pragma once

#include <QObject>

#include "app/desktop/experiment/target/predictor.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// Predicts the peak along an axis on a worker thread, part by part, so that the curve can be seen growing. A
/// new start cancels the one before.
class GrowthScan : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;
        TargetChoice target;
        predict::AxisScan scan;
    };
    using QObject::QObject;

    void start(Request request);
    void cancel() { job_.cancel(); }
    bool running() const { return job_.busy(); }

signals:
    /// The curve as far as it is known. `done` is the part of the axis that has been examined, 0 to 1.
    void progressed(const highwater::predict::AxisCurve& curve, qint64 capacity, double done);
    /// `problem` is empty if the scan reached its end.
    void finished(const QString& problem);

private:
    /// On the worker. Returns why there is no curve, or an empty string.
    QString work(const Request& request, const widgets::LatestJob::Cancel& cancel);
    widgets::LatestJob job_;
};

/// Appends `part`, which may overlap the end of `curve`, to it.
void join(predict::AxisCurve& curve, predict::AxisCurve part);

}  // namespace highwater::desktop
