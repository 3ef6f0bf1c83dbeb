#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <utility>
#include <vector>

namespace highwater::widgets {

/// The heading of a column; its cells have the same alignment.
struct Heading {
    QString title;
    QString tip = {};
    Qt::Alignment side = Qt::AlignLeft;

    int alignment() const { return static_cast<int>(side | Qt::AlignVCenter); }
};

/// A heading over figures, with room for the sort indicator.
inline Heading figures(const QString& title, const QString& tip, Qt::Alignment side = Qt::AlignRight) {
    return {title + "    ", tip, side};
}

/// Title, tooltip and alignment as headerData() returns them; invalid for a column that does not exist.
QVariant headingData(const std::vector<Heading>& headings, int column, Qt::Orientation orientation, int role);

/// A table with one Row of values per line, under headings.
template <typename Row>
class TableModel : public QAbstractTableModel {
public:
    static constexpr int kSortRole = Qt::UserRole + 1;  ///< the value that the column is sorted by

    const std::vector<Row>& rows() const { return rows_; }
    const Row& row(int place) const { return rows_.at(static_cast<std::size_t>(place)); }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(rows_.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(headings_.size());
    }
    QVariant headerData(int column, Qt::Orientation orientation, int role = Qt::DisplayRole) const override {
        return headingData(headings_, column, orientation, role);
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
        if (!index.isValid() || index.row() >= rowCount()) {
            return {};
        }
        const int column = index.column();
        switch (role) {
            case Qt::DisplayRole:
                return text(row(index.row()), column);
            case kSortRole:
                return sortValue(row(index.row()), column);
            case Qt::TextAlignmentRole:
                return headings_[static_cast<std::size_t>(column)].alignment();
            default:
                return look(row(index.row()), column, role);
        }
    }

protected:
    TableModel(std::vector<Heading> headings, QObject* parent)
        : QAbstractTableModel(parent), headings_(std::move(headings)) {}

    void resetRows(std::vector<Row> rows) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
    }
    /// Replaces an existing row.
    void replaceRow(int place, Row row) {
        rows_.at(static_cast<std::size_t>(place)) = std::move(row);
        emit dataChanged(index(place, 0), index(place, columnCount() - 1));
    }

    virtual QString text(const Row& row, int column) const = 0;
    virtual QVariant sortValue(const Row& row, int column) const { return text(row, column).toLower(); }
    /// Colors, tooltips and pictures of a row of this table.
    virtual QVariant look(const Row& row, int column, int role) const = 0;

    std::vector<Heading> headings_;
    std::vector<Row> rows_;
};

}  // namespace highwater::widgets
