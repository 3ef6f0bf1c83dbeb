#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/desktop/window/background.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// Reading every volume of a cohort, one handover file each.
struct CohortReading {
    std::vector<stack::ScanSource> sources;  ///< as sourcesForRun gives them
    std::size_t perCase = 1;                 ///< of which so many make one case
    std::function<void(const std::string& what, double fraction)> progress;  ///< on the calling thread
    const std::atomic<bool>* cancel = nullptr;
    std::optional<base::Bytes> room;  ///< free in the temporary folder; nothing: as it is
};
/// In order. Looks at all headers first, so that nothing is written where the whole does not fit. Errors: a
/// file that cannot be read, channels of one case on different grids, too little room, "cancelled".
base::Result<std::vector<volume::Volume>> readCohort(const CohortReading& reading);

/// That in the background, for the runs of an experiment; kept until another is asked for.
class CohortReader : public QObject {
    Q_OBJECT
public:
    explicit CohortReader(QObject* parent = nullptr);
    ~CohortReader() override;

    /// Names the cases and reads them. Nothing where that is done, or being done, already.
    void read(const stack::Experiment& experiment);
    void cancel();
    void drop();  ///< gives the volumes and their files back
    bool reading() const { return reading_; }
    /// The volumes of that experiment's cohort are here.
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
    struct Outcome;
    static std::optional<Key> keyOf(const stack::Experiment& experiment);
    std::optional<Key> key_;
    std::vector<volume::Volume> volumes_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    QString what_;
    bool reading_ = false;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
