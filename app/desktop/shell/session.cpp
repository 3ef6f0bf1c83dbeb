#include "app/desktop/shell/session.h"

#include <QFileInfo>
#include <algorithm>
#include <chrono>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/desktop/shell/session_json.h"
#include "core/base/file.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace fs = std::filesystem;

struct SessionFound {
    int number = 0;
    base::Result<Session::State> state;
};

namespace {

std::int64_t microsecondsNow() {
    using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

/// Readable sessions first; among them, those with unsaved changes first, then the newest first.
std::vector<SessionFound> readSessions(const SessionFolder& folder) {
    std::vector<SessionFound> all;
    for (const int number : folder.numbers()) {
        all.push_back({number, readSession(folder.file(number))});
    }
    const auto rank = [](const SessionFound& found) {
        return found.state ? std::tuple(0, !found.state->hasUnsaved(), -found.state->written)
                           : std::tuple(1, false, std::int64_t{0});
    };
    std::ranges::stable_sort(all, {}, rank);
    return all;
}

/// Removes the temporary files of writers that were killed (base::writeFileAtomically).
void removeUnfinished(const fs::path& file) {
    const std::string begin = file.filename().string() + ".";
    std::vector<fs::path> unfinished;
    std::error_code ignored;
    for (fs::directory_iterator at(file.parent_path(), ignored), end; at != end; at.increment(ignored)) {
        if (at->path().filename().string().starts_with(begin)) {
            unfinished.push_back(at->path());
        }
    }
    for (const fs::path& each : unfinished) {
        fs::remove(each, ignored);
    }
}

QString nameOfLeft(const QString& file, const stack::Experiment& experiment) {
    const QString name = file.isEmpty() ? widgets::fromUtf8(experiment.name) : QFileInfo(file).fileName();
    return name.isEmpty() ? QObject::tr("untitled") : name;
}

}  // namespace

/// Shared by the writing thread and the window's thread.
struct Session::Writing {
    std::mutex mutex;
    std::uint64_t written = 0;  ///< revision of the state on disk
    std::string problem;        ///< why the last write failed
};

Session::Session(const fs::path& folder, QObject* parent)
    : QObject(parent), writing_(std::make_shared<Writing>()) {
    if (!folder.empty()) {
        folder_ = std::make_unique<SessionFolder>(folder);
    }
    writer_.setMaxThreadCount(1);
}

Session::~Session() {
    writer_.waitForDone();
}

std::optional<Session::State> Session::restore() {
    if (!folder_ || number_ > 0) {
        return {};
    }
    const std::vector<SessionFound> all = readSessions(*folder_);
    for (const SessionFound& found : all) {
        if (!found.state) {
            moveAside(found.number);
        }
    }
    for (const SessionFound& found : all) {
        if (!found.state || !folder_->own(found.number)) {
            continue;
        }
        const fs::path file = folder_->file(found.number);
        if (auto state = readSession(file)) {  // another program may have taken it over and changed it since
            removeUnfinished(file);
            number_ = found.number;
            return std::move(*state);
        }
        folder_->release();
    }
    return {};
}

void Session::moveAside(int number) {
    const fs::path file = folder_->file(number), aside = file.string() + "-unreadable";
    if (folder_->own(number)) {
        std::error_code error;
        if (const auto state = readSession(file); !state) {
            if (fs::rename(file, aside, error); !error) {
                unreadable_
                    << tr("The unsaved changes of a window could not be read: %1. They are kept in %2.")
                           .arg(widgets::fromUtf8(state.error().message), widgets::fromUtf8(aside.string()));
            }
        }
        folder_->release();
    }
}

/// Other windows' sessions with unsaved changes, if those windows are gone.
std::vector<SessionFound> Session::foundOfOthers() const {
    std::vector<SessionFound> all;
    if (folder_) {
        all = readSessions(*folder_);
        std::erase_if(all, [this](const SessionFound& found) {
            return !found.state || !found.state->hasUnsaved() || found.number == number_ ||
                   folder_->ownedByAnother(found.number);
        });
    }
    return all;
}

QStringList Session::leftByOthers() const {
    QStringList names;
    for (const SessionFound& found : foundOfOthers()) {
        const State& state = *found.state;
        const bool older = !state.unsaved && !state.left.empty();
        names << (older ? nameOfLeft(state.left.back()->file, state.left.back()->experiment)
                        : nameOfLeft(state.file, state.experiment));
    }
    return names;
}

void Session::discardLeft() {
    for (const SessionFound& found : foundOfOthers()) {
        const fs::path file = folder_->file(found.number);
        SessionFolder owner(file.parent_path());  // a second object, so that this window's lock is kept
        std::error_code ignored;
        if (owner.own(found.number)) {
            fs::remove(file, ignored);
        }
    }
}

/// Owns a session that nobody else owns and that contains nothing to lose.
void Session::ownNew() {
    for (number_ = 1;; ++number_) {
        if (!folder_->own(number_)) {
            continue;
        }
        const fs::path file = folder_->file(number_);
        std::error_code ignored;
        if (!fs::exists(file, ignored)) {
            return;
        }
        if (const auto state = readSession(file); state && !state->hasUnsaved()) {
            return removeUnfinished(file);
        }
    }
}

void Session::keep(State state) {
    if (!folder_ || closed_) {
        return;
    }
    state_ = std::move(state);
    ++revision_;
    write(true);
}

void Session::flush() {
    writer_.waitForDone();
}

base::Status Session::close() {
    if (!state_ || closed_) {
        return {};
    }
    write(false);
    writer_.waitForDone();
    const std::scoped_lock lock(writing_->mutex);
    if (writing_->written != revision_) {
        return base::Error{writing_->problem};
    }
    closed_ = true;
    folder_->release();
    return {};
}

void Session::write(bool open) {
    if (number_ == 0 || (!folder_->holds(number_) && !folder_->own(number_))) {
        ownNew();
    }
    state_->written = microsecondsNow();
    writer_.clear();  // pending writes are outdated
    writer_.start([this, writing = writing_, path = folder_->file(number_), state = *state_, open,
                   revision = revision_] {
        const std::string json = sessionText(state, open);
        const auto written = base::writeFileAtomically(path, json);
        {
            const std::scoped_lock lock(writing->mutex);
            writing->problem = written ? std::string() : written.error().message;
            writing->written = written ? revision : writing->written;
        }
        QMetaObject::invokeMethod(
            this, [this, problem = written ? QString() : widgets::fromUtf8(written.error().message)] {
                if (std::exchange(problem_, problem) != problem) {
                    emit problemChanged(problem);
                }
            });
    });
}

void Session::probe(const fs::path& folder) {
    (void)readSessions(SessionFolder(folder));
}

}  // namespace highwater::desktop

#include "moc_session.cpp"
