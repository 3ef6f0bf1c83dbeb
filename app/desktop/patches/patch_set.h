#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <vector>

#include "app/desktop/patches/patch_folder.h"
#include "core/volume/volume.h"
#include "core/wire/patches.h"
#include "widgets/timeline/latest_job.h"

namespace highwater::desktop {

/// The first samples of a run of an experiment, as the engine makes them: sixteen at a time, in the
/// background, in files of a folder of our own. Asking anew drops those before.
class PatchSet : public QObject {
    Q_OBJECT
public:
    using Make = std::function<base::Result<std::vector<wire::SentPatch>>(const wire::PatchRequest&)>;
    static constexpr int kAtATime = 16, kMost = 256;

    PatchSet(Make make, const std::filesystem::path& temporary, QObject* parent = nullptr);
    ~PatchSet() override;

    /// `volumes` as a run gets them. changed() follows.
    void ask(stack::Experiment experiment, std::vector<volume::Volume> volumes);
    void askMore();  ///< those that come next; nothing while some are being made, or after kMost
    /// Ends what is being made; without any, says that it was cancelled all the same.
    void cancel();
    void drop();  ///< cancels, and forgets all

    bool busy() const { return job_.busy(); }
    int asked() const { return asked_; }  ///< how many are being made
    int done() const { return done_; }    ///< of those
    /// Why the latest could not be made: one line; empty where they were.
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
    volume::Volume target;  ///< 0 to 1 for an overlay; empty where there is none, or only background
    QString trouble;        ///< why it cannot be shown; empty: it can
};
/// `channel` is clamped to those that it has.
ReadPatch readPatch(const wire::SentPatch& patch, int& channel);

}  // namespace highwater::desktop
