#include "app/desktop/run/run_controller.h"

namespace highwater::desktop {

namespace {
constexpr int kDrainMs = 16;
}

RunController::RunController(Store& store, QObject* parent) : QObject(parent), store_(store) {
    frame_.setSingleShot(true);
    frame_.setInterval(kDrainMs);
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

void RunController::launch(const std::filesystem::path& folder, Request request) {
    runId_ = folder.filename().string();
    wire::EngineRequest engine;
    engine.runFolder = folder;
    engine.device = request.device;
    engine.steps = request.steps;
    engine.warmup = request.warmup;
    engine.budget = request.budget;
    for (const volume::Volume& v : request.volumes) {
        engine.volumeFds.push_back(v.fd());
    }
    auto process = wire::EngineProcess::start(engine);
    if (!process) {
        const std::string why = process.error().message;
        setState(State::Settling);
        store_.settle(runId_, 4, why, [this, why](const auto&) {
            setState(State::Idle);
            emit failedToStart(QString::fromStdString(why));
            store_.refresh();
        });
        return;
    }
    process_ = std::move(*process);
    readable_ = std::make_unique<QSocketNotifier>(process_->fd(), QSocketNotifier::Read);
    connect(readable_.get(), &QSocketNotifier::activated, this, [this] {
        readable_->setEnabled(false);  // until the frame's turn has drained it
        frame_.start();
    });
    setState(State::Running);
    store_.refresh();
}

void RunController::drain() {
    if (!process_) {
        return;
    }
    if (const auto arrived = process_->read(); !arrived.empty()) {
        emit events(arrived);
    }
    if (!process_->finished()) {
        if (process_->fd() >= 0) {
            readable_->setEnabled(true);
        } else {
            frame_.start();  // the pipe is closed; the process is about to end
        }
        return;
    }
    readable_.reset();
    const int code = process_->exitCode();
    const std::string errors = process_->errorText();
    process_.reset();
    setState(State::Settling);
    store_.settle(runId_, code, errors, [this](base::Result<runs::RunSummary> summary) {
        setState(State::Idle);
        if (summary) {
            emit settled(*summary);
        } else {
            emit failedToStart(QString::fromStdString(summary.error().message));
        }
        store_.refresh();
    });
}

void RunController::cancel() {
    if (!process_) {
        return;
    }
    state_ == State::Cancelling ? process_->kill() : process_->cancel();
    setState(State::Cancelling);
}

}  // namespace highwater::desktop

#include "moc_run_controller.cpp"
