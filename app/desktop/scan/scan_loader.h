#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// Loads the scan files of an experiment. The scan process reads them, so the window stays responsive. Only
/// the latest request counts: an earlier one is cancelled.
class ScanLoader : public QObject {
    Q_OBJECT
public:
    explicit ScanLoader(QObject* parent = nullptr);
    ~ScanLoader() override;

    /// Loads one source for each channel, then the label map if there is one; all must be on one grid.
    /// Sources that are loaded already are not read again.
    void load(const std::vector<stack::ScanSource>& sources);
    void cancel();
    bool loading() const { return loading_; }

    const std::vector<stack::ScanSource>& sources() const { return sources_; }
    /// The volumes of sources(), in order; empty until loaded.
    const std::vector<volume::Volume>& volumes() const { return volumes_; }

signals:
    void progress(const QString& stage, double fraction);  ///< fraction < 0 if unknown
    void loaded();
    void failed(const QString& message);

private:
    struct Outcome;
    widgets::Background worker_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    std::vector<stack::ScanSource> sources_;
    std::vector<volume::Volume> volumes_;
    bool loading_ = false;
};

}  // namespace highwater::desktop
