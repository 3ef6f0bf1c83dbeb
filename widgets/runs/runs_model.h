#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "core/base/units.h"

namespace highwater::widgets {

enum class RunState { Running, Done, Cancelled, OutOfMemory, Failed };

/// One run as the table shows it.
struct RunRow {
    int number = 0;  ///< counted from 1; the number by which users name a run
    QString id;      ///< the store's id
    QString name;    ///< name of the experiment
    QString device;
    std::int64_t batch = 0;
    QString patch;                   ///< "96³"
    base::Bytes peak = 0;            ///< 0: not measured
    base::Millis stepMs = 0;         ///< the median step; 0: not measured
    base::Millis stepPlusMinus = 0;  ///< half the width of the median's 95 % interval
    RunState state = RunState::Running;
    QString message;  ///< why it stopped, one line
    QString against;  ///< the difference to the baseline run: "−17.4 % memory, +15.2 % time"
    bool operator==(const RunRow&) const = default;
};

/// "running", "done", "cancelled", "out of memory", "failed".
QString stateText(RunState state);

/// A table model of runs, as plain values. A run is identified by its id.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Number, Name, Device, Batch, Patch, Peak, Step, Status, Against, kColumns };
    static constexpr int kSortRole = Qt::UserRole;  ///< the value that a column is sorted by

    using QAbstractTableModel::QAbstractTableModel;

    /// Sets all runs. Rows whose id stays are changed in place, so that selections survive.
    void setRows(std::vector<RunRow> rows);
    /// Adds or changes one run.
    void setRow(const RunRow& row);
    /// The title of the last column: "against #12". If empty, the title is "note".
    void setAgainstTitle(const QString& title);
    const RunRow& row(int index) const { return rows_.at(static_cast<std::size_t>(index)); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const RunRow& row, int column) const;
    std::vector<RunRow> rows_;
    QString againstTitle_;
};

}  // namespace highwater::widgets
