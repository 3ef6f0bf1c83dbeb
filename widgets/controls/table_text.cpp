#include "widgets/controls/table_text.h"

#include <QHeaderView>
#include <QRegularExpression>
#include <QTableView>
#include <QTreeView>
#include <algorithm>

#include "core/base/markdown.h"
#include "core/base/printable.h"

namespace highwater::widgets {

namespace {

/// Reads the cells that a view shows.
class ShownCells {
public:
    ShownCells(const QAbstractItemView& view, TablePart part)
        : view_(view),
          table_(qobject_cast<const QTableView*>(&view)),
          tree_(qobject_cast<const QTreeView*>(&view)),
          model_(*view.model()) {
        const QHeaderView* header = table_ ? table_->horizontalHeader() : tree_ ? tree_->header() : nullptr;
        for (int place = 0; place < model_.columnCount(view.rootIndex()); ++place) {
            const int column = header ? header->logicalIndex(place) : place;
            if (!header || !header->isSectionHidden(column)) {
                columns_ << column;
            }
        }
        headed_ = header && !header->isHidden();
        const QItemSelectionModel* selection = view.selectionModel();
        selectedOnly_ = part == TablePart::Selected && selection && selection->hasSelection();
    }

    std::vector<QStringList> read() {
        if (headed_) {
            QStringList heads;
            for (const int column : columns_) {
                heads << model_.headerData(column, Qt::Horizontal).toString().trimmed();
            }
            rows_.push_back(std::move(heads));
        }
        addRows(view_.rootIndex(), {});
        dropEmptyColumns();
        return std::move(rows_);
    }

private:
    void addRows(const QModelIndex& parent, const QString& parents) {
        for (int place = 0; place < model_.rowCount(parent); ++place) {
            const int row = table_ ? table_->verticalHeader()->logicalIndex(place) : place;
            if (isHidden(row, parent)) {
                continue;
            }
            QStringList cells;
            bool selected = false;
            for (const int column : columns_) {
                const QModelIndex index = model_.index(row, column, parent);
                cells << index.data().toString().trimmed();
                selected = selected || (selectedOnly_ && view_.selectionModel()->isSelected(index));
            }
            const QString name = columns_.isEmpty() ? QString() : parents + cells.front();
            if (!cells.isEmpty()) {
                cells.front() = name;
            }
            if (selected || !selectedOnly_) {
                rows_.push_back(std::move(cells));
            }
            if (tree_) {
                addRows(model_.index(row, 0, parent), name.isEmpty() ? name : name + QStringLiteral(" / "));
            }
        }
    }

    bool isHidden(int row, const QModelIndex& parent) const {
        return table_ ? table_->isRowHidden(row) : tree_ && tree_->isRowHidden(row, parent);
    }

    void dropEmptyColumns() {
        for (qsizetype column = columns_.size(); column-- > 0;) {
            const auto isEmpty = [column](const QStringList& row) { return row[column].isEmpty(); };
            if (!rows_.empty() && std::ranges::all_of(rows_, isEmpty)) {
                std::ranges::for_each(rows_, [column](QStringList& row) { row.removeAt(column); });
            }
        }
    }

    const QAbstractItemView& view_;
    const QTableView* table_;
    const QTreeView* tree_;
    const QAbstractItemModel& model_;
    QList<int> columns_;  ///< in the order on screen
    bool headed_ = false, selectedOnly_ = false;
    std::vector<QStringList> rows_;
};

}  // namespace

std::vector<QStringList> tableRows(const QAbstractItemView& view, TablePart part) {
    return view.model() ? ShownCells(view, part).read() : std::vector<QStringList>();
}

QString tabbed(const std::vector<QStringList>& rows) {
    QString text;
    for (QStringList row : rows) {
        row.replaceInStrings(QRegularExpression("[\t\n\r]"), " ");
        text += row.join('\t') + '\n';
    }
    return text;
}

QString markdownTable(const std::vector<QStringList>& rows) {
    QString text;
    for (const QStringList& row : rows) {
        for (const QString& cell : row) {
            text += "| " + QString::fromStdString(base::markdownText(cell.toStdString())) + ' ';
        }
        text += "|\n";
        if (&row == &rows.front()) {
            text += QStringLiteral("| --- ").repeated(row.size()) + "|\n";
        }
    }
    return text;
}

QByteArray csvTable(const std::vector<QStringList>& rows) {
    QByteArray text;
    for (const QStringList& row : rows) {
        for (qsizetype column = 0; column < row.size(); ++column) {
            text += column > 0 ? "," : "";
            text += QByteArray::fromStdString(base::csvField(row[column].toStdString()));
        }
        text += "\r\n";
    }
    return text;
}

}  // namespace highwater::widgets
