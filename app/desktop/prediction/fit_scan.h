#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/prediction/predictor.h"
#include "core/plan/device_fit.h"

namespace highwater::desktop {

/// What an experiment would need on every device, and what would help on one of them, found on a worker
/// thread, answer by answer. A new start cancels the one before.
class FitScan : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;
        std::vector<widgets::TargetItem> devices;
        widgets::TargetChoice chosen;  ///< the device that help is wanted for; its versions hold for all
    };
    /// A change of the whole experiment that needs less memory on the chosen device.
    struct Help {
        QString title;  ///< "Checkpoint every block"
        QString what;   ///< one sentence
        bool changesTask = false;
        stack::Experiment experiment;  ///< with the change
        plan::DeviceFit fit;           ///< its largestBatch is not looked for
    };

    explicit FitScan(QObject* parent = nullptr) : QObject(parent) {}
    ~FitScan() override { cancel(); }

    void start(Request request);
    void cancel();
    bool running() const { return running_; }

signals:
    /// Of the device at this place of the request. `trouble` says why there is no answer; otherwise empty.
    void found(int device, const highwater::plan::DeviceFit& fit, const QString& trouble);
    /// In the order of the memory that is needed.
    void helpFound(const std::vector<highwater::desktop::FitScan::Help>& help);
    void finished();

private:
    struct Job;
    static void work(const std::shared_ptr<Job>& job, FitScan* self);
    std::shared_ptr<Job> job_;
    bool running_ = false;
    Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
