#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runs/losses.h"
#include "core/runs/run_store.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// The window's access to the run store. Each call is executed on a worker thread, in order, because syncing
/// SQLite and reading long event files takes time. Answers arrive on the window's thread.
class Store : public QObject {
    Q_OBJECT
public:
    explicit Store(std::filesystem::path folder, QObject* parent = nullptr);
    ~Store() override;

    const std::filesystem::path& folder() const { return folder_; }
    const std::vector<runs::RunSummary>& rows() const { return rows_; }

    /// The runs in progress on this machine, including this window's.
    const std::vector<runs::ActiveRun>& active() const { return active_; }
    /// True once rows() and active() have been read, or could not be read.
    bool listed() const { return listed_; }
    /// Why the rows are not known (yet), to be shown instead of them; empty once they are.
    const QString& unknown() const { return unknown_; }
    /// The program that holds the store's lock, for which this one waits; empty if it does not wait.
    const QString& heldBy() const { return heldBy_; }
    /// Whether the worker is waiting for that lock now, and would delay the end of this program.
    bool heldUp() const;
    /// Anything unusual about the store (runs::RunStore::note()); usually empty.
    const QString& note() const { return note_; }

    void refresh();  ///< rowsChanged follows
    void create(const stack::Experiment& experiment, const std::string& device,
                std::function<void(base::Result<std::filesystem::path>)> then);
    void settle(const std::string& id, int exitCode, const std::string& errorText,
                std::function<void(base::Result<runs::RunSummary>)> then);
    /// See RunStore::takeOver().
    void takeOver(const std::string& id,
                  std::function<void(base::Result<std::optional<runs::TakenRun>>)> then);
    /// See RunStore::giveUp().
    void giveUp(const std::string& id, std::function<void(base::Result<runs::RunSummary>)> then);
    /// The run that another program is measuring on this machine now.
    void measuredByOthers(std::function<void(std::optional<runs::ActiveRun>)> then);
    void load(const std::vector<std::string>& ids,
              std::function<void(base::Result<std::vector<runs::RunRecord>>)> then);
    /// The losses of these runs, in the same order; empty for runs without any.
    void losses(const std::vector<std::string>& ids, std::function<void(std::vector<runs::Losses>)> then);
    /// Changes the labels of these runs; rowsChanged follows once they are on disk. `then` gets why it ended
    /// early, or an empty string.
    void label(const std::vector<std::string>& ids, const runs::LabelChange& change,
               std::function<void(const std::string& problem)> then);
    void remove(const std::vector<std::string>& ids);
    /// For other work that must not be done on the window's thread.
    widgets::Background& worker() { return worker_; }

signals:
    void rowsChanged();
    void failed(const QString& message);
    void notListed(const QString& why);  ///< refresh() could not read the rows
    void unknownChanged();
    void heldByChanged();
    void noteChanged();

private:
    struct List {
        std::vector<runs::RunSummary> rows;
        std::vector<runs::ActiveRun> active;
        std::string note;
    };
    /// Both must be called on the worker thread. opened() returns the open store, or why it cannot be opened.
    base::Result<runs::RunStore>& opened();
    base::Result<List> list();
    std::filesystem::path folder_;
    std::shared_ptr<base::Result<runs::RunStore>> store_;  // used on the worker only
    std::vector<runs::RunSummary> rows_;
    std::vector<runs::ActiveRun> active_;
    /// Runs `work` on the worker, and measures how long the answer takes.
    template <class Work, class Then>
    void ask(Work work, Then then);
    void lookForHolder();
    void setUnknown(const QString& unknown);
    void setHeldBy(const QString& holder);
    void setNote(const QString& note);
    bool listed_ = false, known_ = false;
    QString unknown_, heldBy_, note_;
    std::atomic<bool> waits_{false};  // the worker waits for the store's lock
    int pending_ = 0;
    QTimer slow_;                     // an answer takes long
    QThread watching_;                // adding a watch blocks the thread if the file system stalls
    QFileSystemWatcher folderWatch_;  // on that thread: runs that other programs add or delete
    bool watched_ = false;
    QTimer changed_;
    QTimer others_;  // rereads the list while a run of another program is in progress
    widgets::Background worker_;
};

}  // namespace highwater::desktop
