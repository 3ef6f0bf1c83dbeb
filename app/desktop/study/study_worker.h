#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>

#include "app/desktop/run/store.h"
#include "app/desktop/window/background.h"
#include "core/study/local_runner.h"
#include "core/study/trial.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// Makes what runs subjects; called on the worker's thread.
using MakeRunner =
    std::function<base::Result<study::Runner>(const study::LocalRun& how, const std::atomic<bool>& cancel)>;
/// Engines on this machine, recorded in that store.
MakeRunner localRunners(std::filesystem::path store);

/// One study at a time, on a thread of its own: the window's thread never waits for it. Runs appear in the
/// table of runs as they begin.
class StudyWorker : public QObject {
    Q_OBJECT
public:
    explicit StudyWorker(Store& store, QObject* parent = nullptr);
    ~StudyWorker() override;  ///< cancels, and waits for the engine to stop

    /// What a study may use, on the worker's thread.
    class Job {
    public:
        const std::atomic<bool>& cancelled() const { return cancel_; }
        base::Result<study::Runner> runner(const study::LocalRun& how) const { return make_(how, cancel_); }
        /// What begins now, and how much is done, 0 to 1.
        void say(const QString& what, double fraction);
        /// Calls `act` on the window's thread, unless `guard` is gone by then.
        void post(QPointer<QObject> guard, std::function<void()> act);

    private:
        friend class StudyWorker;
        QPointer<StudyWorker> worker_;
        MakeRunner make_;
        std::atomic<bool> cancel_{false};
    };

    /// `work` on the worker's thread, then `done` on the window's, with whether it was cancelled. False, and
    /// nothing, while one is at work.
    bool start(std::function<void(Job&)> work, std::function<void(bool cancelled)> done);
    void cancel();
    bool running() const { return job_ != nullptr; }
    bool cancelling() const { return job_ && job_->cancel_; }
    const QString& what() const { return what_; }
    double fraction() const { return fraction_; }

    /// Tests run nothing.
    void setRunners(MakeRunner make) { make_ = std::move(make); }

signals:
    void stateChanged();
    void progressed();

private:
    void take(const QString& what, double fraction);
    Store& store_;
    MakeRunner make_;
    std::shared_ptr<Job> job_;
    QString what_;
    double fraction_ = 0;
    Background thread_;  ///< last: it ends before what its work uses
};

/// The descriptors of the scans that experiments need: those of `known` are there, others are read when a run
/// needs them, once. For LocalRun::volumes.
std::function<base::Result<std::vector<int>>(const stack::Experiment&)> scansFor(
    const stack::Experiment& experiment, std::vector<volume::Volume> known, const std::atomic<bool>& cancel);

}  // namespace highwater::desktop
