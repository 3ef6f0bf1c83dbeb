#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>

#include "app/desktop/run/store.h"
#include "core/study/local_runner.h"
#include "core/study/trial.h"
#include "core/volume/volume.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// How the runs of a study are executed.
struct StudyRun : study::LocalRun {
    std::string host = {};  ///< from `hosts list`, the host of the device; empty: this machine
    /// Called with other activity on a host: RemoteEngine::activity(). May be empty.
    std::function<void(const std::string&)> activity = {};
};
/// Creates the runner of subjects. Called on the worker's thread.
using MakeRunner =
    std::function<base::Result<study::Runner>(const StudyRun& how, const std::atomic<bool>& cancel)>;
/// Runs engines on this machine or on a host, and records the runs in that store. Error: the host cannot be
/// reached.
MakeRunner engineRunners(std::filesystem::path store);

/// Runs one study at a time on its own thread, so that the window's thread never waits for it. Runs appear in
/// the table of runs when they start.
class StudyWorker : public QObject {
    Q_OBJECT
public:
    explicit StudyWorker(Store& store, QObject* parent = nullptr);
    ~StudyWorker() override;  ///< cancels the study and waits for its engine to stop

    /// What a study's work can use on the worker's thread.
    class Job {
    public:
        const std::atomic<bool>& cancelled() const { return cancel_; }
        /// Connects to the host, if there is one, immediately. The host's activity is appended to the text of
        /// say(). The runner must not outlive this job.
        base::Result<study::Runner> runner(StudyRun how);
        /// Reports what is starting, and the fraction done, 0 to 1.
        void say(const QString& what, double fraction);
        /// Calls `act` on the window's thread, unless `guard` has been deleted by then.
        void post(QPointer<QObject> guard, std::function<void()> act);

    private:
        friend class StudyWorker;
        void tell(const QString& what, double fraction);
        QPointer<StudyWorker> worker_;
        MakeRunner make_;
        QString begun_, activity_;  ///< the last texts, on the worker's thread
        std::atomic<bool> cancel_{false};
    };

    /// Runs `work` on the worker's thread, then `done` on the window's thread, with whether it was cancelled.
    /// Returns false and does nothing if a study is in progress.
    bool start(std::function<void(Job&)> work, std::function<void(bool cancelled)> done);
    void cancel();
    bool running() const { return job_ != nullptr; }
    bool cancelling() const { return job_ && job_->cancel_; }
    const QString& what() const { return what_; }
    double fraction() const { return fraction_; }

    /// Replaces the runners, for tests that execute nothing.
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
    widgets::Background thread_;  ///< declared last: it ends before the members that its work uses
};

/// Returns a function that gives the file descriptors of the scans that an experiment needs, for
/// LocalRun::volumes. Volumes in `known` are used directly; others are read once, when a run needs them.
std::function<base::Result<std::vector<int>>(const stack::Experiment&)> scansFor(
    const stack::Experiment& experiment, std::vector<volume::Volume> known, const std::atomic<bool>& cancel);

}  // namespace highwater::desktop
