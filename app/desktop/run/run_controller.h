#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "core/wire/engine_process.h"

namespace highwater::desktop {

/// Starts the engine for one run at a time and passes on its events, at most once per frame. If this object
/// is destroyed, the run goes on.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(Store& store, QObject* parent = nullptr);
    ~RunController() override;

    struct Request {
        stack::Experiment experiment;         ///< a copy: later edits do not affect the run
        std::vector<volume::Volume> volumes;  ///< channels, then labels
        std::string device = "cpu";
        int steps = 20, warmup = 3;
        std::optional<base::Bytes> budget;
    };
    /// Does nothing while a run is on.
    void start(Request request);
    void cancel();  ///< the first call asks the run to stop, the second one kills it
    bool running() const { return state_ != State::Idle; }
    bool cancelling() const { return state_ == State::Cancelling; }
    const std::string& runId() const { return runId_; }

signals:
    void stateChanged();
    void events(const std::vector<wire::Event>& events);
    void settled(const runs::RunSummary& summary);
    void failedToStart(const QString& message);

private:
    enum class State { Idle, Creating, Running, Cancelling, Settling };
    void setState(State state);
    void launch(const std::filesystem::path& folder, Request request);
    void drain();
    Store& store_;
    State state_ = State::Idle;
    std::string runId_;
    std::optional<wire::EngineProcess> process_;
    std::unique_ptr<QSocketNotifier> readable_;
    QTimer frame_;
};

}  // namespace highwater::desktop
