#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "core/report/report.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/plot/loss_scene.h"

namespace highwater::desktop {

enum class RunColumn;
struct RunsFilter;
class RunsPreview;
class RunsTable;

/// The table of runs at the bottom of the window, and the actions on runs: preview, open, compare, report,
/// name, delete. The first of the selected runs is the baseline of all comparisons.
class RunsPage : public QObject {
    Q_OBJECT
public:
    explicit RunsPage(Store& store, QObject* parent = nullptr);

    RunsTable* table() const { return table_; }
    /// The first one is the baseline.
    std::vector<std::string> selectedIds() const;

    /// Writes the report of these runs on a worker thread; the suffix of the file decides the format. `then`
    /// gets an error, or an empty string. Setting `stop` to true cancels it.
    void saveReport(const std::vector<std::string>& ids, const QString& file,
                    std::function<void(QString)> then, std::shared_ptr<const std::atomic<bool>> stop = {});
    /// Sets the remaining time of the run in progress as shown in the plots, "2 min 5 s left", for the table.
    void setLeft(const QString& id, const QString& left);
    void compare(const std::vector<std::string>& ids);
    /// Asks for a file name and writes the report of these runs there; `format` is offered first.
    void chooseReport(const std::vector<std::string>& ids,
                      const report::Format& format = report::formats().front());

signals:
    /// A run was selected: it is to be shown, unless a run is in progress.
    void previewRequested(const runs::RunRecord& run);
    void openRequested(const runs::RunRecord& run);
    /// Requests that a run in progress on a host be recorded with the data that is here.
    void giveUpRequested(const std::string& id);
    void deleted(const std::vector<std::string>& ids);
    void selectionChanged();
    /// The losses of the selected runs, if there are several.
    void lossesSelected(const std::vector<highwater::widgets::LossCurve>& curves);
    /// For one run, or for two in the order in which they were selected.
    void memoryRequested(const std::vector<std::string>& ids);
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});

private:
    void connectTable();
    void fill();
    void showBaseline();
    void showColors(const std::vector<widgets::LossCurve>& curves);
    RunsFilter filterOf(const QString& line) const;
    void keepEdit(const QString& id, RunColumn column, const QString& text);
    void label(const std::vector<std::string>& ids, const runs::LabelChange& change);
    const runs::RunSummary* row(const QString& id) const;
    void confirmDelete(const std::vector<std::string>& ids);
    void withRecords(const std::vector<std::string>& ids,
                     std::function<void(std::vector<runs::RunRecord>)> then);
    Store& store_;
    RunsTable* table_;
    RunsPreview* preview_;
    QHash<QString, std::size_t> places_;  ///< of the store's rows, by id
    QString followed_, left_;             ///< the run in progress that the plots show, and its remaining time
    std::string baseline_;  ///< the run that the others are compared with; empty if there is none
};

}  // namespace highwater::desktop
