#include "app/desktop/run/run_controller.h"

#include "core/wire/engine_process.h"
#include "core/wire/found_engine.h"

namespace highwater::desktop {

namespace {
constexpr int kDrainMs = 16;
}

RunController::RunController(Store& store, QObject* parent) : QObject(parent), store_(store) {
    frame_.setSingleShot(true);
    connect(&frame_, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController() = default;

void RunController::setState(State state) {
    if (state_ == state) {
        return;
    }
    state_ = state;
    emit stateChanged();
}

void RunController::start(Request request) {
    if (running()) {
        return;
    }
    setState(State::Creating);
    const stack::Experiment experiment = request.experiment;  // the lambda takes the request away
    const std::string device = request.device;
    store_.create(experiment, device,
                  [this, request = std::move(request)](base::Result<std::filesystem::path> folder) mutable {
                      if (folder) {
                          launch(*folder, std::move(request));
                          return;
                      }
                      setState(State::Idle);
                      emit failedToStart(QString::fromStdString(folder.error().message));
                  });
}

/// On the store's thread: that this program follows the run is on disk before the engine begins.
void RunController::launch(const std::filesystem::path& folder, Request request) {
    runId_ = folder.filename().string();
    using Started = base::Result<wire::EngineProcess>;
    store_.worker().run(
        [folder, request = std::move(request)] {
            wire::EngineRequest engine;
            engine.runFolder = folder;
            engine.device = request.device;
            engine.steps = request.steps;
            engine.warmup = request.warmup;
            engine.budget = request.budget;
            for (const volume::Volume& v : request.volumes) {
                engine.volumeFds.push_back(v.fd());
            }
            return wire::EngineProcess::start(engine);
        },
        this,
        [this](Started started) {
            if (started) {
                follow(std::make_unique<wire::EngineProcess>(std::move(*started)));
                return;
            }
            const std::string why = started.error().message;
            settle(4, why, [this, why](const auto&) { emit failedToStart(QString::fromStdString(why)); });
        });
}

void RunController::takeOver(const std::string& id, std::function<void(const std::string& problem)> cannot) {
    if (running()) {
        return;
    }
    setState(State::Creating);
    store_.takeOver(id, [this, cannot = std::move(cannot)](base::Result<std::optional<runs::TakenRun>> run) {
        if (run && *run) {
            follow(**run, cannot);
            return;
        }
        setState(State::Idle);
        if (!run) {
            cannot(run.error().message);
        }
    });
}

void RunController::follow(const runs::TakenRun& run,
                           const std::function<void(const std::string& problem)>& cannot) {
    runId_ = run.folder.filename().string();
    auto engine = wire::FoundEngine::open(run.folder, run.engine);
    if (engine) {
        emit takenOver(run);
        follow(std::move(*engine));
    } else if (base::lifeOf(run.engine) == base::Life::Gone) {
        settle(-1, "", [](const auto&) {});  // it ended while it was taken over
    } else {
        setState(State::Idle);
        cannot(engine.error().message);
    }
}

void RunController::follow(std::unique_ptr<wire::RunningEngine> engine) {
    engine_ = std::move(engine);
    killed_ = false;
    if (engine_->fd() >= 0) {
        readable_ = std::make_unique<QSocketNotifier>(engine_->fd(), QSocketNotifier::Read);
        connect(readable_.get(), &QSocketNotifier::activated, this, [this] {
            readable_->setEnabled(false);  // until the frame's turn has drained it
            frame_.start(kDrainMs);
        });
    } else {
        frame_.start(0);
    }
    setState(State::Running);
    store_.refresh();
}

void RunController::drain() {
    if (!engine_) {
        return;
    }
    if (const auto arrived = engine_->read(); !arrived.empty()) {
        emit events(arrived);
    }
    if (!engine_->finished()) {
        if (engine_->fd() >= 0) {
            readable_->setEnabled(true);
        } else {
            frame_.start(engine_->behind() ? 0 : kDrainMs);
        }
        return;
    }
    readable_.reset();
    const auto ended = std::move(engine_);
    // What the user ends at once was stopped, and did not fail.
    settle(killed_ ? wire::kInterrupted : ended->exitCode(), ended->errorText(),
           [this](base::Result<runs::RunSummary> summary) {
               if (summary) {
                   emit settled(*summary);
               } else {
                   emit failedToStart(QString::fromStdString(summary.error().message));
               }
           });
}

void RunController::settle(int exitCode, const std::string& errorText,
                           std::function<void(base::Result<runs::RunSummary>)> then) {
    setState(State::Settling);
    store_.settle(runId_, exitCode, errorText,
                  [this, then = std::move(then)](base::Result<runs::RunSummary> summary) {
                      setState(State::Idle);
                      then(std::move(summary));
                      store_.refresh();
                  });
}

void RunController::cancel() {
    if (!engine_) {
        return;
    }
    killed_ = state_ == State::Cancelling;
    killed_ ? engine_->kill() : engine_->cancel();
    setState(State::Cancelling);
}

}  // namespace highwater::desktop

#include "moc_run_controller.cpp"
