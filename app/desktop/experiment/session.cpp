#include "app/desktop/experiment/session.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/stack/json/json.h"

namespace highwater::desktop {

namespace fs = std::filesystem;

Session::Session(const fs::path& folder, QObject* parent) : QObject(parent) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    path_ = folder / "session.json";
    lock_ = std::make_unique<QLockFile>(QString::fromStdString((folder / "session.lock").string()));
    lock_->setStaleLockTime(0);  // only a dead process makes it stale
    if (!lock_->tryLock(0)) {
        lock_.reset();
        path_ = folder / ("session-" + std::to_string(QCoreApplication::applicationPid()) + ".json");
    }
    later_.setSingleShot(true);
    later_.setInterval(400);
    connect(&later_, &QTimer::timeout, this, [this] { write(true); });
    writer_.setMaxThreadCount(1);
}

Session::~Session() {
    writer_.waitForDone();
    if (lock_) {
        return;
    }
    std::error_code ignored;
    fs::remove(path_, ignored);  // a second window's session is not the one to come back to
}

std::optional<Session::State> Session::restore() {
    if (!lock_) {
        return {};
    }
    const auto json = base::readJson(path_);
    if (!json || !json->is_object() || !json->contains("experiment")) {
        return {};
    }
    auto experiment = stack::experimentFromJson((*json)["experiment"], "session");
    if (!experiment) {
        return {};
    }
    State state;
    state.experiment = std::move(*experiment);
    state.file = QString::fromStdString(json->value("file", ""));
    state.unsaved = json->value("unsaved", false);
    state.crashed = json->value("open", false);
    return state;
}

void Session::keep(const stack::Experiment& experiment, const QString& file, bool unsaved) {
    state_ = State{experiment, file, unsaved, false};
    if (!later_.isActive()) {
        later_.start();
    }
}

void Session::flush() {
    later_.stop();
    write(true);
    writer_.waitForDone();
}

void Session::close() {
    later_.stop();
    write(false);
    writer_.waitForDone();
}

void Session::write(bool open) {
    if (!state_) {
        return;
    }
    base::Json json;
    json["experiment"] = stack::toJson(state_->experiment);
    json["file"] = state_->file.toStdString();
    json["unsaved"] = state_->unsaved;
    json["open"] = open;
    // A session that cannot be written (full disk) must not stop the work; saving says so when it is asked
    // for.
    writer_.clear();  // what still waits to be written is older
    writer_.start([path = path_, text = json.dump(2)] { (void)base::writeFileAtomically(path, text).ok(); });
}

}  // namespace highwater::desktop

#include "moc_session.cpp"
