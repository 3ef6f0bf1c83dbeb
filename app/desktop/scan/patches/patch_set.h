#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <functional>
#include <vector>

#include "app/desktop/scan/patches/patch_folder.h"
#include "core/volume/volume.h"
#include "core/wire/patches.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// The first samples of a run of an experiment, as the engine makes them: sixteen at a time, in the
/// background, as files in a folder of this process. A new request drops the earlier ones.
class PatchSet : public QObject {
    Q_OBJECT
public:
    using Make = std::function<base::Result<std::vector<wire::SentPatch>>(const wire::PatchRequest&)>;
    static constexpr int kAtATime = 16, kMost = 256;

    PatchSet(Make make, const std::filesystem::path& temporary, QObject* parent = nullptr);
    ~PatchSet() override;

    /// Requests the first samples; `volumes` are those of a run. changed() follows.
    void ask(stack::Experiment experiment, std::vector<volume::Volume> volumes);
    /// Requests the next samples. Does nothing while some are being made, or if there are kMost.
    void askMore();
    /// Cancels the work in progress. Even if there is none, the set reports that it was cancelled.
    void cancel();
    void drop();  ///< cancels and drops all patches

    bool busy() const { return job_.busy(); }
    int asked() const { return asked_; }  ///< how many are being made
    int done() const { return done_; }    ///< how many of those are done
    /// Why the latest patches could not be made, one line; empty if they were.
    const QString& trouble() const { return trouble_; }
    const std::vector<wire::SentPatch>& patches() const { return patches_; }
    bool mayAskMore() const { return !busy() && !patches_.empty() && patches_.size() < kMost; }

signals:
    void changed();

private:
    using Outcome = base::Result<std::vector<wire::SentPatch>>;
    void begin();
    void take(Outcome outcome);
    Make make_;
    PatchFolder folder_;
    stack::Experiment experiment_;
    std::vector<volume::Volume> volumes_;
    std::vector<wire::SentPatch> patches_;
    QString trouble_;
    int asked_ = 0, done_ = 0;
    QThreadPool pool_;
    widgets::LatestJob job_;
};

/// A patch with the voxels of one channel.
struct ReadPatch {
    wire::SentPatch patch;
    volume::Volume values;
    volume::Volume target;  ///< values 0 to 1 for an overlay; empty if there is no target, or only background
    QString trouble;        ///< why it cannot be shown; empty if it can
};
/// Reads one channel of a patch. `channel` is clamped to the channels that the patch has.
ReadPatch readPatch(const wire::SentPatch& patch, int& channel);

}  // namespace highwater::desktop
