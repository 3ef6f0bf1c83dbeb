#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/background.h"
#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// The scan files of an experiment, read by the scan process while the window goes on. Only the newest
/// request counts: an older one is cancelled.
class ScanLoader : public QObject {
    Q_OBJECT
public:
    explicit ScanLoader(QObject* parent = nullptr);
    ~ScanLoader() override;

    /// Paths as one channel each, then the labels file where there is one. What is loaded already is not read
    /// again.
    void load(const std::vector<std::string>& paths, std::int64_t volume);
    /// Writes the head phantom to `path` unless it is there, then loads it.
    void loadPhantom(const std::string& path);
    void cancel();
    bool loading() const { return loading_; }

    const std::vector<std::string>& paths() const { return paths_; }
    /// The volumes of paths(), in order; empty until loaded.
    const std::vector<volume::Volume>& volumes() const { return volumes_; }

signals:
    void progress(const QString& stage, double fraction);  ///< fraction < 0: unknown
    void loaded();
    void failed(const QString& message);

private:
    struct Outcome;
    void begin(std::vector<std::string> paths, std::int64_t volume, bool phantom);
    Background worker_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    std::vector<std::string> paths_;
    std::int64_t volume_ = 0;
    std::vector<volume::Volume> volumes_;
    bool loading_ = false;
};

}  // namespace highwater::desktop
