#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// A request to read all volumes of a cohort. Each volume is handed over in its own file.
struct CohortReading {
    std::vector<stack::ScanSource> sources;  ///< as sourcesForRun returns them
    std::size_t perCase = 1;                 ///< number of consecutive sources that make up one case
    std::function<void(const std::string& what, double fraction)> progress;  ///< called on the calling thread
    const std::atomic<bool>* cancel = nullptr;
    /// Free space in the temporary folder; std::nullopt: the actual free space is used.
    std::optional<base::Bytes> room;
};
/// Reads the volumes in order. All headers are checked first, so that nothing is written if there is not
/// enough space for everything. Errors: a file that cannot be read, channels of one case on different grids,
/// too little space, "cancelled".
base::Result<std::vector<volume::Volume>> readCohort(const CohortReading& reading);

/// Reads a cohort in the background for the runs of an experiment. The volumes are kept until another cohort
/// is read.
class CohortReader : public QObject {
    Q_OBJECT
public:
    explicit CohortReader(QObject* parent = nullptr) : QObject(parent) {}

    /// Finds the cases and reads them. Does nothing if this is done or in progress.
    void read(const stack::Experiment& experiment);
    void cancel();
    void drop();  ///< frees the volumes and their files
    bool reading() const { return job_.busy(); }
    /// Whether the volumes of that experiment's cohort have been read.
    bool has(const stack::Experiment& experiment) const;
    const std::vector<volume::Volume>& volumes() const { return volumes_; }
    const QString& what() const { return what_; }  ///< "reading case 7 of 40"

signals:
    void progressed();
    void done();
    void failed(const QString& message);

private:
    struct Key {
        std::string cohort;
        std::int64_t channels = 0;
        bool labels = false;
        bool operator==(const Key&) const = default;
    };
    static std::optional<Key> keyOf(const stack::Experiment& experiment);
    std::optional<Key> key_;
    std::vector<volume::Volume> volumes_;
    QString what_;
    widgets::LatestJob job_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
