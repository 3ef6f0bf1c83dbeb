#pragma once

#include <QObject>
#include <atomic>
#include <memory>

#include "app/desktop/experiment/target/predictor.h"
#include "widgets/jobs/background.h"

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
    explicit GrowthScan(QObject* parent = nullptr);
    ~GrowthScan() override;

    void start(Request request);
    void cancel();
    bool running() const { return running_; }

signals:
    /// The curve as far as it is known. `done` is the part of the axis that has been examined, 0 to 1.
    void progressed(const highwater::predict::AxisCurve& curve, qint64 capacity, double done);
    /// `problem` is empty if the scan reached its end.
    void finished(const QString& problem);

private:
    struct Job;
    static void work(const std::shared_ptr<Job>& job, GrowthScan* self);
    std::shared_ptr<Job> job_;
    bool running_ = false;
    widgets::Background worker_;
};

/// Appends `part`, which may overlap the end of `curve`, to it.
void join(predict::AxisCurve& curve, predict::AxisCurve part);

}  // namespace highwater::desktop
