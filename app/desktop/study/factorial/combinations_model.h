#pragma once

#include "app/desktop/study/study_values.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

/// The combinations of a factorial; changes are relative to the first one, in which every lever is off and
/// every field has its first value.
class CombinationsModel : public widgets::TableModel<CombinationRow> {
    Q_OBJECT
public:
    enum Column { Name, Front, Memory, MemoryChange, Time, TimeChange, Status, kColumns };

    explicit CombinationsModel(QObject* parent = nullptr);
    void setRows(std::vector<CombinationRow> rows) { resetRows(std::move(rows)); }

private:
    const CombinationRow* base() const;
    QString text(const CombinationRow& row, int column) const override;
    QVariant sortValue(const CombinationRow& row, int column) const override;
    QVariant look(const CombinationRow& row, int column, int role) const override;
};

/// "204.1 (203.4 to 205.0)" milliseconds.
QString timeText(const base::Interval& ms);

}  // namespace highwater::desktop
