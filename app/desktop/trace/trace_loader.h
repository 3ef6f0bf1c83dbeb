#pragma once

#include <QObject>
#include <QThreadPool>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/desktop/trace/snapshot_values.h"
#include "core/base/result.h"
#include "core/memory/trace.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// Where a trace comes from: the folder of a run, or a memory snapshot written by PyTorch.
struct TraceSource {
    enum class Kind { Run, Snapshot };
    Kind kind = Kind::Run;
    std::filesystem::path path;
    QString title;  ///< "run 12", "snapshot.pickle"
};

/// A folder is treated as that of a run, a file as a snapshot.
TraceSource traceSource(const QString& path);

/// The size of a trace, determined without reading all of it.
struct TraceSize {
    std::int64_t events = 0;
    base::Bytes peak = 0;
    std::vector<memory::TraceStep> steps;
    bool complete = true;  ///< false: the run was killed while it wrote the trace
};

/// Reads traces on another thread, with progress. Only the latest request counts.
class TraceLoader : public QObject {
    Q_OBJECT
public:
    explicit TraceLoader(QObject* parent = nullptr);
    ~TraceLoader() override;

    /// Finds the size of a run's trace.
    void inspect(const TraceSource& source);
    /// Opens a device of a snapshot.
    void open(const TraceSource& source, const capture::SnapshotRequest& request);
    /// Loads the whole trace, or a range of its events; for a snapshot, the device that is shown first.
    void load(const TraceSource& source, std::optional<capture::Range> range = {});
    void cancel();
    bool busy() const { return job_.busy(); }

signals:
    void inspected(const highwater::desktop::TraceSize& size);
    void progress(double fraction);
    void opened(std::shared_ptr<const highwater::desktop::ShownSnapshot> snapshot);
    void loaded(std::shared_ptr<const highwater::memory::Trace> trace);
    void failed(const QString& message);

private:
    capture::Progress reportTo(const widgets::LatestJob::Cancel& cancel);
    QThreadPool pool_;
    widgets::LatestJob job_;
};

}  // namespace highwater::desktop
