#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/shell/session_folder.h"
#include "app/desktop/study/sweep/sweep_setup.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

struct SessionFound;

/// Keeps the experiment that a window edits on disk, so that it is not lost when the window is closed or
/// killed. Each window has a session of its own (SessionFolder); the next start takes over that of a window
/// that is gone. A session with changes that are in no file is never overwritten by another window.
class Session : public QObject {
    Q_OBJECT
public:
    /// With an empty folder nothing is read or kept: a window that a script drives.
    explicit Session(const std::filesystem::path& folder, QObject* parent = nullptr);
    ~Session() override;

    /// An experiment with changes that are in no file, which Undo would bring back.
    struct Left {
        QString what;  ///< the undo step that replaced it: "Open unet.json"
        QString file;  ///< empty if it has none
        stack::Experiment experiment;
    };
    struct State {
        stack::Experiment experiment;
        QString file;          ///< the file it was opened from or saved to; empty if there is none yet
        bool unsaved = false;  ///< it differs from that file
        bool crashed = false;  ///< the window that wrote it did not exit in an orderly way
        std::vector<std::shared_ptr<const Left>> left = {};  ///< oldest first
        std::optional<SweepChoice> sweep = {};               ///< that was composed; it has an axis at least
        std::int64_t written = 0;                            ///< microseconds since 1970
        bool hasUnsaved() const { return unsaved || !left.empty() || sweep.has_value(); }
    };
    /// Takes over the session of a window that is gone and returns it: one with unsaved changes before one
    /// without, then the one that was written last. Returns std::nullopt if there is none.
    std::optional<State> restore();
    /// Names of the experiments that windows which are gone left unsaved, and that no window has taken over.
    QStringList leftByOthers() const;
    /// Removes what leftByOthers() names.
    void discardLeft();
    /// The sessions that restore() could not read and moved aside, a sentence or two each.
    const QStringList& unreadable() const { return unreadable_; }

    /// Writes the session on a thread of its own: the folder may be slow. Of the calls made during a write
    /// only the last is written.
    void keep(State state);
    /// Returns once the session is written.
    void flush();
    /// Marks the session as ended in an orderly way and gives it up; returns once that is written. Error if
    /// the last changes could not be written: the session then goes on.
    base::Status close();
    /// Reads all sessions and drops what was read, so that the folder has answered once.
    bool keeps() const { return folder_ != nullptr; }
    /// Whether changes are in no file, not even in those that Undo would bring back.
    bool hasUnsaved() const { return state_ && state_->hasUnsaved(); }
    static void probe(const std::filesystem::path& folder);

signals:
    /// The changes could not be written, and why; empty once they could.
    void problemChanged(const QString& problem);

private:
    struct Writing;
    void write(bool open);
    std::vector<SessionFound> foundOfOthers() const;
    void ownNew();
    void moveAside(int number);
    std::unique_ptr<SessionFolder> folder_;  ///< null: nothing is kept
    int number_ = 0;                         ///< of the session that is this window's; 0: none yet
    std::optional<State> state_;
    std::uint64_t revision_ = 0;  ///< of the state
    std::shared_ptr<Writing> writing_;
    QStringList unreadable_;
    QString problem_;
    bool closed_ = false;
    QThreadPool writer_;  ///< one thread
};

}  // namespace highwater::desktop
