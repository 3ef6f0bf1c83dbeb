#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "app/desktop/scan/cases/series_model.h"

class QSortFilterProxyModel;
class QTableView;

namespace highwater::desktop {

/// A list of volumes to choose from, with a picture of each. It reads no files: missingPictures() names the
/// rows that need a picture, and update() supplies it.
class SeriesList : public QWidget {
    Q_OBJECT
public:
    explicit SeriesList(QWidget* parent = nullptr);

    void setRows(std::vector<SeriesRow> rows);  ///< selects the first row that can be chosen
    const std::vector<SeriesRow>& rows() const { return model_->rows(); }
    void update(const SeriesRow& row);

    QStringList selectedIds() const;  ///< in the order on screen
    std::vector<SeriesRow> selectedRows() const;
    void select(const QStringList& ids);
    /// Ids of the rows in view that can be chosen and have no picture yet, from the top.
    QStringList missingPictures() const;
    QTableView& view() const { return *view_; }

signals:
    void selectionChanged();
    /// Double-click or Enter.
    void chosen(const QStringList& ids);
    /// Other rows are in view now, so missingPictures() may return others.
    void scrolled();

private:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void fitColumns();
    SeriesModel* model_;
    QSortFilterProxyModel* sorted_;
    QTableView* view_;
    QTimer later_;
};

}  // namespace highwater::desktop
