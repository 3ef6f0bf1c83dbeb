#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"
#include "core/volume/sampler.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// The case in the views, and its index among the cases that a run samples from.
struct ShownCase {
    std::vector<volume::Volume> volumes;  ///< its channels, then its labels; empty until they are loaded
    std::int64_t theCase = 0, cases = 1;
};

/// The input of a coverage map.
struct CoverageRequest {
    volume::Volume guide;        ///< the label map, or else the first channel
    bool guideIsLabels = false;  ///< false: its foreground is everything above Otsu's threshold
    volume::Sampler sampler;     ///< the worker determines its foreground
    std::int64_t samples = 0;

    bool same(const CoverageRequest& other) const;
    bool isOf(const std::vector<volume::Volume>& volumes) const;  ///< whether the guide is one of them
};

/// The request for the samples that a run of `steps` steps draws from the displayed case. An error says in
/// one line why there can be none.
base::Result<CoverageRequest> coverageRequest(const stack::Experiment& experiment, const ShownCase& shown,
                                              int steps);

/// Computes coverage in the background, and keeps the latest few maps.
class CoverageMaps : public QObject {
    Q_OBJECT
public:
    using Count = std::function<base::Result<volume::Coverage>(const volume::Volume&, const volume::Sampler&,
                                                               std::int64_t, const std::atomic<bool>*)>;
    explicit CoverageMaps(Count count, QObject* parent = nullptr);
    ~CoverageMaps() override;

    /// Requests a map. It is available at once if it is cached; otherwise changed() follows. The previous map
    /// is no longer current.
    void ask(const CoverageRequest& request);
    void cancel();
    /// Drops the maps of all other volumes: a map keeps the volume that it was computed on in memory.
    void keepOnly(const std::vector<volume::Volume>& volumes);

    bool busy() const { return job_.busy(); }
    const QString& trouble() const { return trouble_; }
    /// The answer to the latest request; std::nullopt while it is being computed.
    const std::optional<volume::Coverage>& current() const { return current_; }

signals:
    void changed();

private:
    struct Known {
        CoverageRequest request;
        volume::Coverage coverage;
    };
    Count count_;
    std::deque<Known> known_;
    std::optional<volume::Coverage> current_;
    QString trouble_;
    QThreadPool pool_;
    widgets::LatestJob job_;
};

}  // namespace highwater::desktop
