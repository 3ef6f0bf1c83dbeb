#pragma once

#include "app/desktop/scan/cases/case_values.h"
#include "widgets/theme/table_model.h"

namespace highwater::desktop {

/// What can be chosen from a folder, a row each; rows that cannot be chosen cannot be selected either.
class SeriesModel : public widgets::TableModel<SeriesRow> {
    Q_OBJECT
public:
    enum Column { Picture, Description, Modality, Number, Size, Spacing, Files, Note, kColumns };

    explicit SeriesModel(QObject* parent = nullptr);
    void setRows(std::vector<SeriesRow> rows) { resetRows(std::move(rows)); }
    /// More is known of a row; its id names it. Nothing where there is none.
    void update(const SeriesRow& row);
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    QString text(const SeriesRow& row, int column) const override;
    QVariant sortValue(const SeriesRow& row, int column) const override;
    QVariant look(const SeriesRow& row, int column, int role) const override;
};

}  // namespace highwater::desktop
