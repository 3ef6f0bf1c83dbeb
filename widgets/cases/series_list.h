#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "widgets/cases/series_model.h"

class QSortFilterProxyModel;
class QTableView;

namespace highwater::widgets {

/// A list of volumes to choose from, with a picture of each. Reads nothing: it says which pictures can be
/// seen and are missing, and is given them.
class SeriesList : public QWidget {
    Q_OBJECT
public:
    explicit SeriesList(QWidget* parent = nullptr);

    void setRows(std::vector<SeriesRow> rows);  ///< the first that can be chosen is selected
    const std::vector<SeriesRow>& rows() const { return model_->rows(); }
    void update(const SeriesRow& row);

    QStringList selectedIds() const;  ///< as they stand on screen
    std::vector<SeriesRow> selectedRows() const;
    void select(const QStringList& ids);
    /// Rows on screen that can be chosen and have no picture, from the top.
    QStringList missingPictures() const;
    QTableView& view() const { return *view_; }

signals:
    void selectionChanged();
    /// Double click or Enter.
    void chosen(const QStringList& ids);
    /// Others can be seen now: see missingPictures.
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

}  // namespace highwater::widgets
