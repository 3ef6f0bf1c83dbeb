#include "widgets/controls/flat_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <cmath>

#include "widgets/controls/table_actions.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr int kKindRole = Qt::UserRole, kNumberRole = Qt::UserRole + 1;

/// Sorted by its number, if it and the other have one.
class FlatItem : public QTableWidgetItem {
public:
    using QTableWidgetItem::QTableWidgetItem;
    bool operator<(const QTableWidgetItem& other) const override {
        const QVariant mine = data(kNumberRole), its = other.data(kNumberRole);
        return mine.isValid() && its.isValid() ? mine.toDouble() < its.toDouble()
                                               : QTableWidgetItem::operator<(other);
    }
};

/// Elides long heads in the middle. (QHeaderView's own elide mode has no effect under a style sheet.)
class FlatHeader : public QHeaderView {
public:
    explicit FlatHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
        setSectionsClickable(true);  // as in any QTableView
    }

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override {
        constexpr int kPadding = 18;
        QHeaderView::initStyleOptionForIndex(option, section);
        option->text =
            option->fontMetrics.elidedText(option->text, Qt::ElideMiddle, sectionSize(section) - kPadding);
    }
};

class FlatRow : public QStyledItemDelegate {
public:
    FlatRow(QList<int> words, QObject* parent) : QStyledItemDelegate(parent), words_(std::move(words)) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const widgets::Theme& t = widgets::theme();
        const auto kind = static_cast<RowKind>(index.data(kKindRole).toInt());
        const bool name = index.column() == 0;
        const bool words = words_.contains(index.column());
        const bool selected = option.state & QStyle::State_Selected;
        painter->fillRect(option.rect, kind == RowKind::Heading ? t.header
                                       : selected               ? t.selection
                                                                : t.window);
        painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.border);
        QFont font = option.font;
        font.setWeight(kind == RowKind::Heading ? QFont::DemiBold : QFont::Normal);
        painter->setFont(font);
        painter->setPen(kind == RowKind::Part || words || (name && kind == RowKind::Plain) ? t.mutedText
                                                                                           : t.text);
        const QRect text = option.rect.adjusted(kind == RowKind::Part && name ? 22 : 8, 0, -8, 0);
        painter->drawText(
            text, (name || words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
            QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(30, 0);
    }

private:
    QList<int> words_;
};

}  // namespace

QTableWidget* makeFlatTable(const QStringList& heads, const QList<int>& words) {
    auto* table = new QTableWidget(0, static_cast<int>(heads.size()));
    table->setItemDelegate(new FlatRow(words, table));
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setHorizontalHeaderLabels(heads);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 9);
    auto* header = new FlatHeader(table);
    table->setHorizontalHeader(header);
    header->setHighlightSections(false);
    for (int column = 0; column < table->columnCount(); ++column) {
        table->horizontalHeaderItem(column)->setToolTip(heads[column]);
    }
    header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : words) {
        table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    offerTable(*table);
    return table;
}

int addFlatRow(QTableWidget& table, RowKind kind, const QStringList& cells) {
    const int row = table.rowCount();
    table.insertRow(row);
    for (int c = 0; c < cells.size(); ++c) {
        auto* item = new FlatItem(cells[c]);
        item->setData(kKindRole, static_cast<int>(kind));
        item->setToolTip(cells[c]);
        table.setItem(row, c, item);
    }
    return row;
}

void setFlatRow(QTableWidget& table, int row, RowKind kind, const QStringList& cells) {
    for (int c = 0; c < cells.size(); ++c) {
        QTableWidgetItem* item = table.item(row, c);
        if (item->data(kKindRole).toInt() != static_cast<int>(kind)) {
            item->setData(kKindRole, static_cast<int>(kind));
        }
        if (item->text() == cells[c]) {
            continue;
        }
        item->setText(cells[c]);
        item->setToolTip(cells[c]);
    }
}

void setFlatNumbers(QTableWidget& table, int row, const QList<double>& numbers) {
    for (int c = 0; c < numbers.size(); ++c) {
        if (!std::isnan(numbers[c])) {
            table.item(row, c)->setData(kNumberRole, numbers[c]);
        }
    }
}

void setFlatRows(QTableWidget& table, const QList<QStringList>& rows) {
    table.setRowCount(0);
    for (const QStringList& row : rows) {
        addFlatRow(table, RowKind::Plain, row);
    }
}

}  // namespace highwater::widgets
