#pragma once

#include "app/desktop/scan/cases/case_values.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

/// The volumes to choose from in a folder, one per row. Rows that cannot be chosen cannot be selected.
class SeriesModel : public widgets::TableModel<SeriesRow> {
    Q_OBJECT
public:
    enum Column { Picture, Description, Modality, Number, Size, Spacing, Files, Note, kColumns };

    explicit SeriesModel(QObject* parent = nullptr);
    void setRows(std::vector<SeriesRow> rows) { resetRows(std::move(rows)); }
    /// Updates the row with the same id; does nothing if there is none.
    void update(const SeriesRow& row);
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    QString text(const SeriesRow& row, int column) const override;
    QVariant sortValue(const SeriesRow& row, int column) const override;
    QVariant look(const SeriesRow& row, int column, int role) const override;
};

}  // namespace highwater::desktop
