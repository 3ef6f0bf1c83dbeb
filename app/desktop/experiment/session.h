#pragma once

#include <QByteArray>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/stack/experiment.h"

namespace highwater::desktop {

/// Keeps the experiment that is being edited on disk, so that it is not lost when the window is closed or
/// crashes. Only one window at a time owns the session; a second one uses a file of its own.
class Session : public QObject {
    Q_OBJECT
public:
    /// Uses FOLDER/session.json and a lock file.
    explicit Session(const std::filesystem::path& folder, QObject* parent = nullptr);
    ~Session() override;

    struct State {
        stack::Experiment experiment;
        QString file;          ///< the file it was opened from or saved to; empty if there is none yet
        bool unsaved = false;  ///< it differs from that file
        bool crashed = false;  ///< the window that wrote it did not exit in an orderly way
    };
    /// Returns what the last window left. Returns std::nullopt if there is nothing, it cannot be read, or
    /// another window owns the session.
    std::optional<State> restore();
    /// Writes the session within half a second, on a thread of its own: the folder may be slow. Several calls
    /// in that time cause one write.
    void keep(const stack::Experiment& experiment, const QString& file, bool unsaved);
    /// Returns once it is written.
    void flush();
    /// Marks the session as ended in an orderly way; returns once that is written.
    void close();

private:
    void write(bool open);
    std::filesystem::path path_;
    std::unique_ptr<QLockFile> lock_;
    std::optional<State> state_;
    QTimer later_;
    QThreadPool writer_;  ///< one thread
};

}  // namespace highwater::desktop
