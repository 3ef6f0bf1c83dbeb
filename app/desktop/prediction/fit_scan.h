#pragma once

#include <QObject>
#include <vector>

#include "app/desktop/prediction/asker.h"
#include "core/ask/learner.h"
#include "core/plan/device_fit.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// What an experiment would need on every device, and what would help on one of them, found on a worker
/// thread, answer by answer. For that one cuDNN is asked, as it is for the gauge: both judge alike. A new
/// start cancels the one before.
class FitScan : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;
        std::vector<TargetItem> devices;
        TargetChoice chosen;  ///< the device that help is wanted for; its versions hold for all
    };
    /// A change of the whole experiment that needs less memory on the chosen device.
    struct Help {
        QString title;  ///< "Checkpoint every block"
        QString what;   ///< one sentence
        bool changesTask = false;
        stack::Experiment experiment;  ///< with the change
        plan::DeviceFit fit;           ///< its largestBatch is not looked for
    };

    explicit FitScan(ask::Learner::Work work = Asker::askUsersCudnn, QObject* parent = nullptr)
        : QObject(parent), work_(std::move(work)) {}

    void start(Request request);
    void cancel() { job_.cancel(); }
    bool running() const { return job_.busy(); }

signals:
    /// Of the device at this place of the request. `trouble` says why there is no answer; otherwise empty.
    void found(int device, const highwater::plan::DeviceFit& fit, const QString& trouble);
    /// So many of all parts of the work are done.
    void progressed(int done, int of);
    /// In the order of the memory that is needed. `why` says why cuDNN has not answered everything; otherwise
    /// empty.
    void helpFound(const std::vector<highwater::desktop::FitScan::Help>& help, const QString& why);
    void finished();

private:
    struct Found {
        std::vector<Help> help;
        QString why;
    };
    /// On the worker.
    Found work(const Request& request, const widgets::LatestJob::Cancel& cancel);
    ask::Learner::Work work_;
    widgets::LatestJob job_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
