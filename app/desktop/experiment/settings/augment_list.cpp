#include "app/desktop/experiment/settings/augment_list.h"

#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "app/desktop/experiment/settings/augment_row.h"
#include "app/desktop/experiment/settings/augment_words.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/tab_order.h"

namespace highwater::desktop {

AugmentList::AugmentList(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(2);
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    for (int i = 0; i < augmentationNames().size(); ++i) {
        const auto kind = static_cast<stack::Augmentation::Kind>(i);
        QAction* action = menu->addAction(augmentationNames()[i]);
        action->setToolTip(augmentationTip(kind));
        connect(action, &QAction::triggered, this, [this, kind] { add(kind); });
    }
    add_ = widgets::linkButton(tr("+ add augmentation"), tr("Another random change of each patch"), this);
    add_->setObjectName("Add augmentation");
    add_->setPopupMode(QToolButton::InstantPopup);
    add_->setFocusPolicy(Qt::StrongFocus);
    add_->setMenu(menu);
    layout_->addWidget(add_, 0, Qt::AlignLeft);
    setFocusProxy(add_);
}

AugmentList::~AugmentList() = default;

void AugmentList::showList(const List& list) {
    list_ = list;
    if (rows_.size() != list.size()) {
        rebuild();
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        rows_[i]->showValue(list[i], i == 0, i + 1 == list.size());
    }
}

void AugmentList::rebuild() {
    if (body_) {
        body_->setParent(nullptr);
        body_->deleteLater();  // the sender of the current signal may be one of its buttons
    }
    rows_.clear();
    body_ = new QWidget(this);
    auto* column = widgets::makeLayout<QVBoxLayout>(body_, 4);
    for (std::size_t i = 0; i < list_.size(); ++i) {
        rows_.push_back(makeRow(i));
        column->addWidget(rows_.back());
    }
    body_->setVisible(!rows_.empty());
    layout_->insertWidget(0, body_);
    widgets::tabBefore(add_, *body_);
}

AugmentRow* AugmentList::makeRow(std::size_t index) {
    auto* row = new AugmentRow(static_cast<int>(index) + 1, body_);
    connect(row, &AugmentRow::changed, this,
            [this, index](const stack::Augmentation& to, const QString& what) { change(index, to, what); });
    connect(row, &AugmentRow::moveWanted, this, [this, index](int by) { move(index, by); });
    connect(row, &AugmentRow::removeWanted, this, [this, index] { remove(index); });
    return row;
}

void AugmentList::change(std::size_t index, const stack::Augmentation& to, const QString& what) {
    List list = list_;
    list[index] = to;
    emit edited(list, what.isEmpty() ? QString() : QString("augment/%1/%2").arg(index).arg(what));
}

void AugmentList::move(std::size_t index, int by) {
    const std::size_t other = index + static_cast<std::size_t>(by);
    QWidget* focus = focusWidget();
    const QString name = focus ? focus->objectName() : QString();
    List list = list_;
    std::swap(list[index], list[other]);
    emit edited(list, {});
    // The keyboard focus stays with the augmentation, not with its old position.
    const QString moved =
        QString(name).replace(QString("augment %1 ").arg(index + 1), QString("augment %1 ").arg(other + 1));
    if (auto* next = name.isEmpty() ? nullptr : findChild<QWidget*>(moved)) {
        next->setFocus();
    }
}

void AugmentList::remove(std::size_t index) {
    List list = list_;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    emit edited(list, {});
}

void AugmentList::add(stack::Augmentation::Kind kind) {
    List list = list_;
    list.push_back({kind, 0.5, 0});
    emit edited(list, {});
}

}  // namespace highwater::desktop

#include "moc_augment_list.cpp"
