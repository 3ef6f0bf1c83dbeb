#pragma once

#include <QObject>
#include <QPointer>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "app/desktop/trace/trace_window.h"

namespace highwater::desktop {

/// Manages the windows that show traces. They are opened from runs, from snapshots, and from the command
/// line. If a trace is open already, its window is brought to the front.
class TraceWindows : public QObject {
    Q_OBJECT
public:
    TraceWindows(Store& store, QWidget* parent);
    ~TraceWindows() override;

    void openRun(const std::string& id, const std::string& compareWith = {});
    /// Opens the selected runs, given in the order of selection: for two runs, the second one compared with
    /// the first (the baseline, as everywhere); otherwise the first one.
    void openRuns(const std::vector<std::string>& selected);
    void openSnapshot(const QString& file);
    /// Opens a snapshot's file, or a run by its folder, its id or its number ("12").
    void open(const QString& fileOrRun);
    void chooseSnapshot();
    /// Asks the user for a snapshot's file; empty if none is chosen.
    QString askForSnapshot();
    void closeAll();
    /// Highlights the layer in every open window that has it.
    void showLayer(const QString& name);

    bool loading() const;
    QString problem() const;
    /// The window that was opened last; nullptr if there is none.
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
    QString asked_;  // what to open once the list of runs has been read
    bool listed_ = false;
};

/// Returns whether a file has the name of a memory snapshot (.pickle, .pkl).
bool isSnapshotName(const QString& file);

}  // namespace highwater::desktop
