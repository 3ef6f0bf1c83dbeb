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
#include "widgets/timeline/latest_job.h"

namespace highwater::desktop {

/// The case in the views, and of how many a run draws its samples.
struct ShownCase {
    std::vector<volume::Volume> volumes;  ///< its channels, then its labels; empty while they are not there
    std::int64_t theCase = 0, cases = 1;
};

/// What a coverage is of.
struct CoverageRequest {
    volume::Volume guide;        ///< the label map, or the first channel
    bool guideIsLabels = false;  ///< else its foreground is over Otsu's threshold
    volume::Sampler sampler;     ///< its foreground is found by the worker
    std::int64_t samples = 0;

    bool same(const CoverageRequest& other) const;
};

/// How the samples of so many steps are drawn from the case on show. Errors say why they cannot be, in one
/// line.
base::Result<CoverageRequest> coverageRequest(const stack::Experiment& experiment, const ShownCase& shown,
                                              int steps);

/// Counts in the background; keeps the latest few.
class CoverageMaps : public QObject {
    Q_OBJECT
public:
    using Count = std::function<base::Result<volume::Coverage>(const volume::Volume&, const volume::Sampler&,
                                                               std::int64_t, const std::atomic<bool>*)>;
    explicit CoverageMaps(Count count, QObject* parent = nullptr);
    ~CoverageMaps() override;

    /// At once where it is known; else changed() follows. The one before is on show no more.
    void ask(const CoverageRequest& request);
    void cancel();

    bool busy() const { return job_.busy(); }
    const QString& trouble() const { return trouble_; }
    /// The answer to the latest request; none while it is being counted.
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
