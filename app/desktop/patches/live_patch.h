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
#include "widgets/timeline/latest_job.h"

namespace highwater::desktop {

/// The patches that a run sends its network: the newest, read at most twice a second and only while somebody
/// follows.
class LivePatch : public QObject {
    Q_OBJECT
public:
    explicit LivePatch(QObject* parent = nullptr);
    ~LivePatch() override;

    struct Shown {
        volume::Volume volume;
        wire::PatchSaved patch;
    };

    /// A new run: what the one before sent is gone.
    void begin();
    /// A run wrote this file; its next patch will replace it.
    void sent(const std::filesystem::path& file, const wire::PatchSaved& patch);
    void setFollowing(bool on);
    /// The one on show stays until this ends; then the newest follows.
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
