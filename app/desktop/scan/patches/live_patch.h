#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <optional>

#include "core/volume/volume.h"
#include "core/wire/events.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// The latest patch that a run passes to its network. It is read at most twice a second, and only while the
/// user follows the run.
class LivePatch : public QObject {
    Q_OBJECT
public:
    explicit LivePatch(QObject* parent = nullptr);
    ~LivePatch() override;

    struct Shown {
        volume::Volume volume;
        wire::PatchSaved patch;
    };

    /// A new run starts: the previous run's patches are dropped.
    void begin();
    /// The run wrote this file. Its next patch will replace the file.
    void sent(const std::filesystem::path& file, const wire::PatchSaved& patch);
    void setFollowing(bool on);
    /// Keeps the displayed patch until this is set to false; then the latest one is shown again.
    void setFrozen(bool on);
    bool frozen() const { return frozen_; }
    bool any() const { return newest_.has_value(); }
    const std::optional<Shown>& shown() const { return shown_; }
    const QString& trouble() const { return trouble_; }

signals:
    void changed();

private:
    struct Newest {
        std::filesystem::path file;
        wire::PatchSaved patch;
    };
    void look();
    std::optional<Newest> newest_;
    std::optional<Shown> shown_;
    bool following_ = false, frozen_ = false, unread_ = false;
    QString trouble_;
    QElapsedTimer sinceLook_;
    QTimer later_;
    QThreadPool pool_;
    widgets::LatestJob job_;
};

}  // namespace highwater::desktop
