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

/// Shows the runs selected in the table in the plots: the first of them completely, and the losses of all. It
/// waits until the selection settles, and reads on the store's thread; results that are no longer wanted are
/// dropped.
class RunsPreview : public QObject {
    Q_OBJECT
public:
    explicit RunsPreview(Store& store, QObject* parent = nullptr);

    static constexpr std::size_t kMostCurves = 12;

    /// Shows the selected run again, if another one has been shown since.
    void again();
    /// The selected runs, the baseline first.
    void select(const std::vector<std::string>& ids);
    /// To be called when the store's rows have changed: runs may have progressed, or been renamed.
    void follow();

signals:
    /// The first selected run has changed.
    void shown(const runs::RunRecord& run);
    /// The losses of the selected runs, if there are several; otherwise none.
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
    /// By run: those of finished runs; for others, as last read.
    base::LatestFew<std::string, std::optional<runs::Losses>> known_{4 * kMostCurves};
    QTimer rest_;
    int asked_ = 0;
};

}  // namespace highwater::desktop
