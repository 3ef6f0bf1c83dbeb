#include "app/desktop/experiment/settings/fold_section.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

FoldSection::FoldSection(const QString& title, QWidget* parent) : QWidget(parent) {
    head_ = new QToolButton(this);
    head_->setText(title);
    head_->setObjectName("Fold " + title);
    head_->setProperty("fold", true);
    head_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    head_->setFocusPolicy(Qt::StrongFocus);
    head_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    count_ = new QLabel(this);
    count_->setFont(widgets::smallFont(font()));
    auto* strip = new QHBoxLayout;
    strip->setContentsMargins(4, 2, 10, 2);
    strip->addWidget(head_, 1);
    strip->addWidget(count_);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addLayout(strip);
    connect(head_, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    setCount(0, false);
    showState();
}

void FoldSection::setBody(QWidget* body) {
    body_ = body;
    layout()->addWidget(body);
    showState();
}

QString FoldSection::title() const {
    return head_->text();
}

void FoldSection::setOpen(bool open) {
    open_ = open;
    showState();
}

void FoldSection::setForced(bool forced) {
    forced_ = forced;
    showState();
}

void FoldSection::setCount(int count, bool wrong) {
    const QString set = tr("%1 changed").arg(count);
    count_->setText(wrong ? QStringLiteral("!") : set);
    count_->setVisible(wrong || count > 0);
    count_->setProperty(wrong ? "muted" : "bad", false);
    widgets::setLook(*count_, wrong ? "bad" : "muted", true);
    count_->setToolTip(wrong        ? tr("A setting here prevents a run")
                       : count == 1 ? tr("1 value here differs from the default")
                                    : tr("%1 values here differ from the default").arg(count));
    head_->setAccessibleDescription(count > 0 ? set : QString());
}

void FoldSection::showState() {
    const bool open = open_ || forced_;
    head_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    if (body_) {
        body_->setVisible(open);
    }
}

void FoldSection::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(0, height() - 1, width(), 1, widgets::theme().border);
}

}  // namespace highwater::desktop

#include "moc_fold_section.cpp"
