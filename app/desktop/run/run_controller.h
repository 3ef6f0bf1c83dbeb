#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "core/python/trainer.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "core/wire/running_engine.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// Where a host's name is expected: this machine's PyTorch in Python, on its devices or on a pretended GPU.
/// No host can be called so.
inline constexpr const char* kThroughPython = "(Python)";
inline constexpr const char* kPretended = "(pretended)";

/// Follows one run at a time: starts its engine, or takes over one that is already running, and forwards its
/// events, at most once per frame. If this object is destroyed, the run continues. An engine's files are read
/// on a separate thread, because their file system may stall.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(Store& store, QObject* parent = nullptr);
    ~RunController() override;

    struct Request {
        stack::Experiment experiment;         ///< a copy: later edits do not affect the run
        std::vector<volume::Volume> volumes;  ///< channels, then labels
        std::string device = "cpu";
        std::string host = {};  ///< where the device is; empty: this machine
        int steps = 20, warmup = 3;
        std::optional<base::Bytes> budget;
        /// The PyTorch of this machine that trains in place of the engine; none: the engine trains.
        std::optional<python::TrainerChoice> python = {};
    };
    /// Does nothing while a run is in progress.
    void start(Request request);
    /// Takes over a run, if no program follows it and its engine is still running; takenOver() and its
    /// events, from the first one, follow. Does nothing while a run is in progress. A run on a host is taken
    /// over once the host has answered; until then, and if it does not answer, nothing changes. `cannot` gets
    /// why it cannot be followed.
    using Cannot = std::function<void(const std::string& problem)>;
    void takeOver(const runs::ActiveRun& run, Cannot cannot);
    /// Records a run on a host as failed with the data that is here, even if it is the one being followed,
    /// whose connection is then closed. settled() follows in that case. `cannot` gets the reason if this
    /// fails.
    void giveUp(const std::string& id, const Cannot& cannot);
    /// The first call asks the run to stop, the second one kills it. If the run has not started yet, it is
    /// asked as soon as it has.
    void cancel();
    bool running() const { return state_ != State::Idle; }
    bool cancelling() const {
        return state_ == State::Cancelling || (state_ == State::Creating && stopWanted_);
    }
    /// True while the engine is being started or found, or while some of its events have not been forwarded.
    bool behind() const { return state_ == State::Creating || (engine_ && behind_); }
    const std::string& runId() const { return runId_; }

signals:
    void stateChanged();
    void takenOver(const runs::TakenRun& run);
    void events(const std::vector<wire::Event>& events);
    /// Other current activity, such as sending a scan to a host; empty if there is none.
    void activityChanged(const QString& activity);
    void settled(const runs::RunSummary& summary);
    /// After settled(): why the engine could not record the end of this run, which was recorded here instead.
    void recordedLate(const runs::RunSummary& summary, const QString& why);
    void failedToStart(const QString& message);

private:
    enum class State { Idle, Creating, Running, Cancelling, Settling };
    void setState(State state);
    void launch(const std::filesystem::path& folder, Request request);
    struct There;
    void connectTo(Request request);
    void launchThere(const std::shared_ptr<There>& there);
    void reach(const runs::ActiveRun& run, const Cannot& cannot);
    void takeOver(const std::string& id, const Cannot& cannot,
                  std::function<void(const runs::TakenRun&)> follow);
    void follow(const runs::TakenRun& run, const Cannot& cannot);
    void follow(std::unique_ptr<wire::RunningEngine> engine);
    /// The result of one turn of reading an engine.
    struct Turn {
        std::vector<wire::Event> events;
        std::string activity;
        int fd = -1;
        bool behind = false, finished = false;
        int exitCode = -1;
        std::string errorText;
    };
    static Turn turnOf(wire::RunningEngine& engine);
    void drain();
    void take(Turn turn);
    void setActivity(const QString& activity);
    /// Settles the run; afterwards the state is idle and `then` is called.
    void settle(int exitCode, const std::string& errorText,
                std::function<void(base::Result<runs::RunSummary>)> then);
    Store& store_;
    State state_ = State::Idle;
    std::string runId_;
    std::shared_ptr<wire::RunningEngine> engine_;  ///< used on reader_ only
    bool behind_ = false;                          ///< not all of its events were read
    bool stopWanted_ = false;                      ///< requested before there was an engine
    bool killed_ = false;                          ///< by the second call of cancel()
    std::unique_ptr<QSocketNotifier> readable_;
    QTimer frame_;
    QString activity_;
    std::shared_ptr<std::atomic<bool>> reaching_;  ///< of the connection being made; true cancels it
    widgets::Background reacher_;  ///< connects to hosts, which may take a quarter of a minute
    widgets::Background reader_;
};

}  // namespace highwater::desktop
