#include "app/desktop/run/run_controller.h"

#include <utility>

#include "core/base/process.h"
#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/hosts/remote_engine.h"
#include "core/wire/engine_process.h"
#include "core/wire/found_engine.h"

namespace highwater::desktop {

namespace {

constexpr int kDrainMs = 16;

using Reached = base::Result<std::pair<hosts::Host, hosts::Connection>>;

Reached reachHost(const std::string& name, const std::atomic<bool>& stop) {
    const auto host = HIGHWATER_TRY(hosts::findHost(hosts::hostsFile(), name));
    auto connection = hosts::Connection::openAndWait(host, &stop);
    return connection ? Reached(std::pair(host, std::move(*connection))) : Reached(connection.error());
}

wire::EngineRequest engineRequestOf(const RunController::Request& request) {
    wire::EngineRequest engine;
    engine.device = request.device;
    engine.steps = request.steps;
    engine.warmup = request.warmup;
    engine.budget = request.budget;
    for (const volume::Volume& v : request.volumes) {
        engine.volumeFds.push_back(v.fd());
    }
    return engine;
}

}  // namespace

RunController::RunController(Store& store, QObject* parent) : QObject(parent), store_(store) {
    frame_.setSingleShot(true);
    connect(&frame_, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController() {
    if (reaching_) {
        *reaching_ = true;
    }
}

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
    stopWanted_ = false;
    setState(State::Creating);
    if (!request.host.empty()) {
        connectTo(std::move(request));
        return;
    }
    const stack::Experiment experiment = request.experiment;  // the lambda moves the request
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

/// On the store's thread, so that it is on disk that this program follows the run before the engine starts.
void RunController::launch(const std::filesystem::path& folder, Request request) {
    runId_ = folder.filename().string();
    using Started = base::Result<wire::EngineProcess>;
    store_.worker().run(
        [folder, request = std::move(request)] {
            wire::EngineRequest engine = engineRequestOf(request);
            engine.runFolder = folder;
            if (!request.python) {
                return wire::EngineProcess::start(engine);
            }
            const auto trainer = python::findTrainer(*request.python);
            return trainer ? python::start(*trainer, request.experiment, engine) : Started(trainer.error());
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

void RunController::takeOver(const runs::ActiveRun& run, Cannot cannot) {
    if (running()) {
        return;
    }
    if (!run.host.empty()) {
        reach(run, cannot);
        return;
    }
    takeOver(run.id, cannot, [this, cannot](const runs::TakenRun& taken) { follow(taken, cannot); });
}

/// A host that has answered, and the run to start there.
struct RunController::There {
    hosts::Host host;
    hosts::Connection connection;
    hosts::Start start;
    Request request;
};

/// Nothing is recorded unless the host answers.
void RunController::connectTo(Request request) {
    using Ready = base::Result<std::shared_ptr<There>>;
    if (reaching_) {
        *reaching_ = true;  // a run that was to be taken over has to wait
    }
    reaching_ = std::make_shared<std::atomic<bool>>(false);
    setActivity(tr("connecting to %1").arg(QString::fromStdString(request.host)));
    reacher_.run(
        [request = std::move(request), stop = reaching_]() mutable -> Ready {
            auto start =
                hosts::startOf(request.experiment, engineRequestOf(request), hosts::kTimeLimit, stop.get());
            auto reached = HIGHWATER_TRY(start ? reachHost(request.host, *stop) : Reached(start.error()));
            return std::make_shared<There>(There{std::move(reached.first), std::move(reached.second),
                                                 std::move(*start), std::move(request)});
        },
        this,
        [this, stop = reaching_](Ready ready) {
            reaching_.reset();
            setActivity({});
            if (ready && !*stop) {
                launchThere(*ready);
                return;
            }
            setState(State::Idle);
            emit failedToStart(*stop ? tr("it was stopped before it began")
                                     : QString::fromStdString(ready.error().message));
        });
}

void RunController::launchThere(const std::shared_ptr<There>& there) {
    store_.create(there->request.experiment, there->request.device,
                  [this, there](base::Result<std::filesystem::path> folder) {
                      if (!folder) {
                          setState(State::Idle);
                          emit failedToStart(QString::fromStdString(folder.error().message));
                          return;
                      }
                      runId_ = folder->filename().string();
                      using Started = base::Result<std::unique_ptr<hosts::RemoteEngine>>;
                      store_.worker().run(
                          [there, folder = *folder] {
                              return hosts::RemoteEngine::start(there->host, std::move(there->connection),
                                                                folder, there->start,
                                                                engineRequestOf(there->request).volumeFds);
                          },
                          this,
                          [this](Started engine) {
                              if (engine) {
                                  follow(std::move(*engine));
                                  return;
                              }
                              const std::string why = engine.error().message;
                              settle(4, why, [this, why](const auto&) {
                                  emit failedToStart(QString::fromStdString(why));
                              });
                          });
                  });
}

void RunController::setActivity(const QString& activity) {
    if (activity != activity_) {
        activity_ = activity;
        emit activityChanged(activity_);
    }
}

void RunController::reach(const runs::ActiveRun& run, const Cannot& cannot) {
    if (reaching_) {
        return;
    }
    reaching_ = std::make_shared<std::atomic<bool>>(false);
    reacher_.run([name = run.host, stop = reaching_] { return reachHost(name, *stop); }, this,
                 [this, id = run.id, cannot, stop = reaching_](Reached opened) {
                     if (reaching_ == stop) {
                         reaching_.reset();
                     }
                     if (*stop || running()) {
                         return;  // a run was started meanwhile
                     }
                     if (!opened) {
                         cannot(opened.error().message);
                         return;
                     }
                     const auto there = std::make_shared<Reached>(std::move(opened));
                     takeOver(id, cannot, [this, there](const runs::TakenRun& taken) {
                         runId_ = taken.folder.filename().string();
                         emit takenOver(taken);
                         auto& [host, connection] = **there;
                         follow(hosts::RemoteEngine::follow(host, std::move(connection), taken.folder));
                     });
                 });
}

void RunController::takeOver(const std::string& id, const Cannot& cannot,
                             std::function<void(const runs::TakenRun&)> follow) {
    stopWanted_ = false;
    setState(State::Creating);
    store_.takeOver(
        id, [this, cannot, follow = std::move(follow)](base::Result<std::optional<runs::TakenRun>> run) {
            if (run && *run) {
                follow(**run);
                return;
            }
            setState(State::Idle);
            if (!run) {
                cannot(run.error().message);
            }
        });
}

void RunController::follow(const runs::TakenRun& run, const Cannot& cannot) {
    runId_ = run.folder.filename().string();
    using Found = base::Result<std::unique_ptr<wire::FoundEngine>>;
    store_.worker().run(
        [folder = run.folder, engine = run.engine] { return wire::FoundEngine::open(folder, engine); }, this,
        [this, run, cannot](Found engine) {
            if (engine) {
                emit takenOver(run);
                follow(std::move(*engine));
            } else if (base::lifeOf(run.engine) == base::Life::Gone) {
                settle(-1, "", [](const auto&) {});  // it ended while it was being taken over
            } else {
                setState(State::Idle);
                cannot(engine.error().message);
            }
        });
}

void RunController::follow(std::unique_ptr<wire::RunningEngine> engine) {
    const int fd = engine->fd();
    behind_ = engine->behind();
    engine_ = std::move(engine);
    killed_ = false;
    if (fd >= 0) {
        readable_ = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
        connect(readable_.get(), &QSocketNotifier::activated, this, [this] {
            readable_->setEnabled(false);  // until the next frame has drained it
            frame_.start(kDrainMs);
        });
    } else {
        frame_.start(0);
    }
    setState(State::Running);
    if (stopWanted_) {
        cancel();
    }
    store_.refresh();
}

RunController::Turn RunController::turnOf(wire::RunningEngine& engine) {
    Turn turn;
    turn.events = engine.read();
    turn.activity = engine.activity();
    turn.finished = engine.finished();
    turn.behind = engine.behind();
    turn.fd = engine.fd();
    if (turn.finished) {
        turn.exitCode = engine.exitCode();
        turn.errorText = engine.errorText();
    }
    return turn;
}

void RunController::drain() {
    if (!engine_) {
        return;
    }
    reader_.run([engine = engine_] { return turnOf(*engine); }, this,
                [this, of = std::weak_ptr(engine_)](Turn turn) {
                    if (const auto engine = of.lock(); engine && engine == engine_) {
                        take(std::move(turn));
                    }
                });
}

void RunController::take(Turn turn) {
    if (!turn.events.empty()) {
        emit events(turn.events);
    }
    behind_ = turn.behind;
    setActivity(QString::fromStdString(turn.activity));
    if (!turn.finished) {
        if (turn.fd >= 0) {
            readable_->setEnabled(true);
        } else {
            readable_.reset();
            frame_.start(behind_ ? 0 : kDrainMs);
        }
        return;
    }
    readable_.reset();
    engine_.reset();
    // A run that the user killed was stopped; it did not fail.
    settle(killed_ ? wire::kInterrupted : turn.exitCode, turn.errorText,
           [this, code = turn.exitCode, said = turn.errorText](base::Result<runs::RunSummary> summary) {
               if (summary) {
                   emit settled(*summary);
                   if (summary->status == wire::RunStatus::Done && code > 0) {
                       emit recordedLate(*summary,
                                         QString::fromStdString(base::lastLine(said, "highwater-engine")));
                   }
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

void RunController::giveUp(const std::string& id, const Cannot& cannot) {
    const bool own = engine_ && id == runId_;
    const auto record = [this, id, own, cannot] {
        store_.giveUp(id, [this, own, cannot](base::Result<runs::RunSummary> summary) {
            if (own) {
                setState(State::Idle);
            }
            if (!summary) {
                cannot(summary.error().message);
            } else if (own) {
                emit settled(*summary);
            }
            store_.refresh();
        });
    };
    if (!own) {
        record();
        return;
    }
    frame_.stop();
    readable_.reset();
    setActivity({});
    setState(State::Settling);
    // Data that is being read from it reaches its folder before it is settled.
    reader_.run(
        [engine = std::exchange(engine_, nullptr)]() mutable {
            engine.reset();
            return true;
        },
        this, [record](bool) { record(); });
}

void RunController::cancel() {
    if (!engine_) {
        if (state_ == State::Creating && !std::exchange(stopWanted_, true)) {
            if (reaching_) {
                *reaching_ = true;
            }
            emit stateChanged();
        }
        return;
    }
    killed_ = state_ == State::Cancelling;
    reader_.run(
        [engine = engine_, kill = killed_] {
            kill ? engine->kill() : engine->cancel();
            return true;
        },
        this, [](bool) {});
    setState(State::Cancelling);
}

}  // namespace highwater::desktop

#include "moc_run_controller.cpp"
