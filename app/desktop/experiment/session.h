#pragma once

#include <QByteArray>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/stack/experiment.h"

namespace highwater::desktop {

/// The experiment being edited, kept on disk while it is edited, so that neither leaving nor a crash loses
/// it. One window at a time owns the session; a second one keeps a file of its own.
class Session : public QObject {
    Q_OBJECT
public:
    /// FOLDER/session.json and its lock.
    explicit Session(const std::filesystem::path& folder, QObject* parent = nullptr);
    ~Session() override;

    struct State {
        stack::Experiment experiment;
        QString file;          ///< where it was opened from or saved to; empty: nowhere yet
        bool unsaved = false;  ///< it differs from that file
        bool crashed = false;  ///< the window that kept it did not leave in an orderly way
    };
    /// What the last window left; nothing where there is none, it cannot be read, or another window owns it.
    std::optional<State> restore();
    /// Writes within half a second, once however often it is called.
    void keep(const stack::Experiment& experiment, const QString& file, bool unsaved);
    void flush();
    /// Marks an orderly end.
    void close();

private:
    void write(bool open);
    std::filesystem::path path_;
    std::unique_ptr<QLockFile> lock_;
    std::optional<State> state_;
    QTimer later_;
};

}  // namespace highwater::desktop
