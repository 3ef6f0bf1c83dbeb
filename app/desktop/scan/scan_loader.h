#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/window/background.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// The scan files of an experiment, read by the scan process while the window goes on. Only the newest
/// request counts: an older one is cancelled.
class ScanLoader : public QObject {
    Q_OBJECT
public:
    explicit ScanLoader(QObject* parent = nullptr);
    ~ScanLoader() override;

    /// One a channel, then the label map where there is one; all on one grid. What is loaded already is not
    /// read again.
    void load(const std::vector<stack::ScanSource>& sources);
    void cancel();
    bool loading() const { return loading_; }

    const std::vector<stack::ScanSource>& sources() const { return sources_; }
    /// The volumes of sources(), in order; empty until loaded.
    const std::vector<volume::Volume>& volumes() const { return volumes_; }

signals:
    void progress(const QString& stage, double fraction);  ///< fraction < 0: unknown
    void loaded();
    void failed(const QString& message);

private:
    struct Outcome;
    Background worker_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    std::vector<stack::ScanSource> sources_;
    std::vector<volume::Volume> volumes_;
    bool loading_ = false;
};

}  // namespace highwater::desktop
