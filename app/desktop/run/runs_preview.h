#pragma once

#include <QObject>
#include <QTimer>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "core/base/latest_few.h"
#include "widgets/plot/loss_scene.h"

namespace highwater::desktop {

/// What the plots show of the runs that are selected in the table: the first of them as a whole, and the
/// losses of all. It waits until the selection rests, and reads on the store's thread; what is no longer
/// wanted when it has been read is dropped.
class RunsPreview : public QObject {
    Q_OBJECT
public:
    explicit RunsPreview(Store& store, QObject* parent = nullptr);

    static constexpr std::size_t kMostCurves = 12;

    /// Shows the selected run again, where another one has taken its place since.
    void again();
    /// The selected runs, the baseline first.
    void select(const std::vector<std::string>& ids);
    /// To be called when the store's rows have changed: runs may have gone on, or got other names.
    void follow();

signals:
    /// Another run than before is the first of the selected ones.
    void shown(const runs::RunRecord& run);
    /// The losses of the selected runs, if there are several; else none.
    void losses(const std::vector<highwater::widgets::LossCurve>& curves);

private:
    void read();
    void readRun();
    void readLosses();
    void tellLosses();
    const runs::RunSummary* row(const std::string& id) const;
    Store& store_;
    std::vector<std::string> selected_;
    std::string shown_;
    /// By run: of those that have ended; of others as they were.
    base::LatestFew<std::string, std::optional<runs::Losses>> known_{4 * kMostCurves};
    QTimer rest_;
    int asked_ = 0;
};

}  // namespace highwater::desktop
