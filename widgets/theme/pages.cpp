#include "widgets/theme/pages.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

Pages::Pages(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      mark_(new Mark(this)),
      note_(new ElidedLabel(this)),
      stack_(new QStackedWidget(this)) {
    tabs_->setProperty("strip", true);
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setUsesScrollButtons(false);  // the note beside the tabs shrinks instead
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* strip = new QWidget(this);
    strip->setFixedHeight(Panel::kHeaderHeight);
    auto* row = makeLayout<QHBoxLayout>(strip, 8, {2, 0, 10, 0});
    row->addWidget(tabs_, 0, Qt::AlignBottom);
    row->addWidget(mark_, 0, Qt::AlignVCenter);
    row->addWidget(note_, 1);
    auto* layout = makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(strip);
    layout->addWidget(stack_, 1);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int page) {
        stack_->setCurrentIndex(page);
        showNote();
        emit currentChanged(page);
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void Pages::addPage(const QString& title, const QString& tip, QWidget* page, Panel* head) {
    heads_.push_back(head);
    stack_->addWidget(page);
    head->setHeaderVisible(false);
    connect(head, &Panel::noteChanged, this, &Pages::showNote);
    connect(head, &Panel::markChanged, this, &Pages::showNote);
    tabs_->setTabToolTip(tabs_->addTab(title), tip);
    showNote();
}

int Pages::current() const {
    return tabs_->currentIndex();
}

void Pages::setCurrent(int page) {
    tabs_->setCurrentIndex(page);
}

void Pages::setTitle(int page, const QString& title) {
    tabs_->setTabText(page, title);
}

void Pages::setPageVisible(int page, bool visible) {
    if (!visible && current() == page) {
        setCurrent(0);
    }
    tabs_->setTabVisible(page, visible);
    tabs_->updateGeometry();
}

void Pages::showNote() {
    const int page = current();
    if (page >= 0 && page < static_cast<int>(heads_.size())) {
        const Panel& head = *heads_[static_cast<std::size_t>(page)];
        note_->setText(head.note(), head.shorterNotes());
        mark_->set(head.mark(), head.markWarns());
    }
}

void Pages::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRect strip(0, 0, width(), Panel::kHeaderHeight);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(strip, theme().header);
    painter.fillRect(0, Panel::kHeaderHeight - 1, width(), 1, theme().border);
}

}  // namespace highwater::widgets

#include "moc_pages.cpp"
