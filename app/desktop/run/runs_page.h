#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "app/desktop/run/store.h"
#include "app/desktop/window/notice_bar.h"

namespace highwater::widgets {
class RunsTable;
}

namespace highwater::desktop {

/// The table of runs at the bottom of the window, and the actions on runs: show, compare, report, open again,
/// delete.
class RunsPage : public QObject {
    Q_OBJECT
public:
    explicit RunsPage(Store& store, QObject* parent = nullptr);

    widgets::RunsTable* table() const { return table_; }
    std::vector<std::string> selectedIds() const;

    /// Writes the report of these runs on a worker thread; the ending of the file decides the format. `then`
    /// gets an error, or an empty string.
    void saveReport(const std::vector<std::string>& ids, const QString& file,
                    std::function<void(QString)> then);
    void compare(const std::vector<std::string>& ids);
    void chooseReport(const std::vector<std::string>& ids);

signals:
    void showRequested(const runs::RunRecord& run);
    void openAgainRequested(const runs::RunRecord& run);
    /// CompareWith may be empty.
    void memoryRequested(const std::string& id, const std::string& compareWith);
    void notice(highwater::desktop::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});

private:
    void fill();
    void chooseBaseline(const QStringList& selected);
    void confirmDelete(const std::vector<std::string>& ids);
    void withRecords(const std::vector<std::string>& ids,
                     std::function<void(std::vector<runs::RunRecord>)> then);
    Store& store_;
    widgets::RunsTable* table_;
    std::string baseline_;  // the run that the others are compared with; empty if there is none
};

}  // namespace highwater::desktop
