#pragma once

#include <QObject>
#include <QPointer>
#include <vector>

#include "app/desktop/run/store.h"
#include "app/desktop/trace/trace_window.h"

namespace highwater::desktop {

/// The windows that show traces: opened from runs, from snapshots, and from the command line. What is open
/// already comes to the front.
class TraceWindows : public QObject {
    Q_OBJECT
public:
    TraceWindows(Store& store, QWidget* parent);
    ~TraceWindows() override;

    void openRun(const std::string& id, const std::string& compareWith = {});
    void openSnapshot(const QString& file);
    /// A snapshot's file, a run's folder, id or number ("12").
    void open(const QString& fileOrRun);
    void chooseSnapshot();
    void closeAll();
    /// Highlights the layer in every open window that has it.
    void showLayer(const QString& name);

    bool loading() const;
    QString problem() const;
    /// The newest open one; nothing if there is none.
    TraceWindow* newest() const;

signals:
    void layerClicked(int layer, const QString& name);

private:
    TraceWindow* show(const TraceSource& source);
    TraceSource sourceOf(const std::string& id) const;
    std::vector<TraceSource> runs() const;
    Store& store_;
    QWidget* parent_;
    std::vector<QPointer<TraceWindow>> windows_;
    QString asked_;  // waits for the list of runs
    bool listed_ = false;
};

/// Whether a file's name is that of a memory snapshot (.pickle, .pkl).
bool isSnapshotName(const QString& file);

}  // namespace highwater::desktop
