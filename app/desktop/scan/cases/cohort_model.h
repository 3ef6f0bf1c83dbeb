#pragma once

#include "app/desktop/scan/cases/case_values.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

/// The cases of a cohort, one per row, filled in as they are read.
class CohortModel : public widgets::TableModel<CaseRow> {
    Q_OBJECT
public:
    enum Column { Name, Size, Spacing, Range, Channels, Labels, Note, kColumns };

    explicit CohortModel(QObject* parent = nullptr);
    void setRows(std::vector<CaseRow> rows);
    void setRow(int place, CaseRow row);
    /// The case shown in the views, or -1.
    void setShown(int place);

private:
    QString text(const CaseRow& row, int column) const override;
    QVariant sortValue(const CaseRow& row, int column) const override;
    QVariant look(const CaseRow& row, int column, int role) const override;
    int shown_ = -1;
};

}  // namespace highwater::desktop
