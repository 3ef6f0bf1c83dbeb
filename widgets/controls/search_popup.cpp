#include "widgets/controls/search_popup.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/panel.h"

namespace highwater::widgets {

namespace {

constexpr int kListed = 14, kNarrowest = 380, kRoom = 44;
constexpr int kAlwaysRole = Qt::UserRole + 1;

}  // namespace

class SearchPopup::WordsFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QStringList& words) {
        words_ = words;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        const QString text = index.data().toString();
        return index.data(kAlwaysRole).toBool() || std::ranges::all_of(words_, [&](const QString& word) {
                   return text.contains(word, Qt::CaseInsensitive);
               });
    }

private:
    QStringList words_;
};

SearchPopup::SearchPopup(const QString& placeholder, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      field_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new QStandardItemModel(this)),
      shown_(new WordsFilter(this)) {
    setFrameShape(QFrame::StyledPanel);
    field_->setPlaceholderText(placeholder);
    field_->setAccessibleName(placeholder);
    field_->setClearButtonEnabled(true);
    field_->installEventFilter(this);
    shown_->setSourceModel(model_);
    list_->setModel(shown_);
    list_->setAccessibleName(placeholder);
    list_->setUniformItemSizes(true);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    auto* column = makeLayout<QVBoxLayout>(this, 6, {8, 8, 8, 8});
    column->addWidget(field_);
    column->addWidget(list_);
    connect(field_, &QLineEdit::textChanged, this, &SearchPopup::filter);
    connect(list_, &QListView::clicked, this, &SearchPopup::take);
}

void SearchPopup::setEntries(const std::vector<Entry>& entries) {
    model_->clear();
    int widest = 0;
    for (const Entry& entry : entries) {
        auto* item = new QStandardItem(entry.text);
        item->setToolTip(entry.tip);
        item->setEnabled(entry.enabled);
        item->setData(entry.always, kAlwaysRole);
        model_->appendRow(item);
        widest = std::max(widest, list_->fontMetrics().horizontalAdvance(entry.text));
    }
    list_->setMinimumWidth(std::max(kNarrowest, widest + kRoom));
    list_->setFixedHeight(kListed * std::max(list_->sizeHintForRow(0), list_->fontMetrics().height()));
}

void SearchPopup::openBelow(const QWidget& button) {
    field_->clear();
    filter();
    const QRect screen = button.screen()->availableGeometry();
    setMaximumWidth(screen.width());
    adjustSize();
    QPoint at = button.mapToGlobal(QPoint(0, button.height()));
    at.setX(std::clamp(at.x(), screen.left(), std::max(screen.left(), screen.right() - width())));
    at.setY(std::clamp(at.y(), screen.top(), std::max(screen.top(), screen.bottom() - height())));
    move(at);
    show();
    field_->setFocus();
}

QString SearchPopup::typed() const {
    return field_->text().trimmed();
}

void SearchPopup::filter() {
    shown_->setWords(field_->text().split(' ', Qt::SkipEmptyParts));
    for (int row = 0; row < shown_->rowCount(); ++row) {
        if (shown_->index(row, 0).flags() & Qt::ItemIsEnabled) {
            list_->setCurrentIndex(shown_->index(row, 0));
            break;
        }
    }
}

void SearchPopup::take(const QModelIndex& index) {
    if (index.isValid() && (index.flags() & Qt::ItemIsEnabled)) {
        close();
        emit taken(shown_->mapToSource(index).row());
    }
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress) {
        return QFrame::eventFilter(watched, event);
    }
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            return static_cast<QObject*>(list_)->event(event);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            take(list_->currentIndex());
            return true;
        default:
            return false;
    }
}

}  // namespace highwater::widgets

#include "moc_search_popup.cpp"
