#pragma once

#include "core/base/units.h"
#include "widgets/theme/table_model.h"

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

/// Runs as a table of plain values, identified by their id.
class RunsModel : public TableModel<RunRow> {
    Q_OBJECT
public:
    enum Column { Number, Name, Device, Batch, Patch, Peak, Step, Status, Against, kColumns };

    explicit RunsModel(QObject* parent = nullptr);

    /// Sets all runs. Rows whose id stays are changed in place, so that selections survive.
    void setRows(std::vector<RunRow> rows);
    /// Adds or changes one run.
    void setRow(const RunRow& row);
    /// The title of the last column: "against #12". If empty, the title is "note".
    void setAgainstTitle(const QString& title);

private:
    QString text(const RunRow& row, int column) const override;
    QVariant sortValue(const RunRow& row, int column) const override;
    QVariant look(const RunRow& row, int column, int role) const override;
};

}  // namespace highwater::widgets
