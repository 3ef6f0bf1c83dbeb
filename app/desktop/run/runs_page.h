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

/// The table of runs at the bottom, and what one does with them: show, compare, report, open again, delete.
class RunsPage : public QObject {
    Q_OBJECT
public:
    explicit RunsPage(Store& store, QObject* parent = nullptr);

    widgets::RunsTable* table() const { return table_; }
    std::vector<std::string> selectedIds() const;

    /// Writes the report of these runs (the kind by the file's ending) on a worker; `then` gets a problem, or
    /// nothing.
    void saveReport(const std::vector<std::string>& ids, const QString& file,
                    std::function<void(QString)> then);
    void compare(const std::vector<std::string>& ids);
    void chooseReport(const std::vector<std::string>& ids);

signals:
    void showRequested(const runs::RunRecord& run);
    void openAgainRequested(const runs::RunRecord& run);
    void memoryRequested(const std::string& id, const std::string& compareWith);  ///< the second may be empty
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
    std::string baseline_;  // the run that the others are held against; empty for none
};

}  // namespace highwater::desktop
