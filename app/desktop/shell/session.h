#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/desktop/shell/session_folder.h"
#include "app/desktop/study/sweep/sweep_setup.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

struct SessionFound;

/// Stores the experiment of a window on disk, so that it is not lost when the window is closed or killed.
/// Each window has its own session (SessionFolder); the next launch takes over the session of a window that
/// is gone. A session with unsaved changes is never overwritten by another window.
class Session : public QObject {
    Q_OBJECT
public:
    /// If the folder is empty, as for a window driven by a script, nothing is read or stored.
    explicit Session(const std::filesystem::path& folder, QObject* parent = nullptr);
    ~Session() override;

    /// An experiment with unsaved changes, which Undo would restore.
    struct Left {
        QString what;  ///< the undo step that replaced it: "Open unet.json"
        QString file;  ///< empty if it has none
        stack::Experiment experiment;
    };
    struct State {
        stack::Experiment experiment;
        QString file;          ///< the file it was opened from or saved to; empty if there is none yet
        bool unsaved = false;  ///< it differs from that file
        bool crashed = false;  ///< the window that wrote it did not exit normally
        std::vector<std::shared_ptr<const Left>> left = {};  ///< oldest first
        std::optional<SweepChoice> sweep = {};  ///< the sweep being composed; it has at least one axis
        std::int64_t written = 0;               ///< microseconds since 1970
        bool hasUnsaved() const { return unsaved || !left.empty() || sweep.has_value(); }
    };
    /// Takes over the session of a window that is gone and returns it: one with unsaved changes if there is
    /// one, otherwise the one written last. Returns std::nullopt if there is none.
    std::optional<State> restore();
    /// Names of the unsaved experiments of windows that are gone and whose sessions no window has taken over.
    QStringList leftByOthers() const;
    /// Removes the experiments named by leftByOthers().
    void discardLeft();
    /// The sessions that restore() could not read and moved aside, a sentence or two each.
    const QStringList& unreadable() const { return unreadable_; }

    /// Writes the session on a separate thread, because the folder may be slow. If keep() is called several
    /// times during a write, only the last state is written.
    void keep(State state);
    /// Returns once the session is written.
    void flush();
    /// Marks the session as ended normally and releases it; returns once that is written. Error if the last
    /// changes could not be written: the session then stays open.
    base::Status close();
    bool keeps() const { return folder_ != nullptr; }
    /// Whether there are unsaved changes, including those that Undo would restore.
    bool hasUnsaved() const { return state_ && state_->hasUnsaved(); }
    /// Reads all sessions and discards them; returns once the folder has responded.
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
    std::unique_ptr<SessionFolder> folder_;  ///< null: nothing is stored
    int number_ = 0;                         ///< the number of this window's session; 0: none yet
    std::optional<State> state_;
    std::uint64_t revision_ = 0;  ///< revision of the state
    std::shared_ptr<Writing> writing_;
    QStringList unreadable_;
    QString problem_;
    bool closed_ = false;
    QThreadPool writer_;  ///< one thread
};

}  // namespace highwater::desktop
