#include "widgets/timeline/state_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/theme/panel.h"

namespace highwater::widgets {

namespace {

QLabel* label(QWidget* parent) {
    auto* l = textLabel(parent);
    l->setAlignment(Qt::AlignCenter);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    l->setMinimumWidth(60);
    return l;
}

}  // namespace

StatePage::StatePage(QWidget* parent) : QWidget(parent), title_(label(this)), detail_(label(this)) {
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.25);
    large.setWeight(QFont::DemiBold);
    title_->setFont(large);
    detail_->setProperty("muted", true);
    bar_ = new QProgressBar(this);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(8);
    bar_->setMaximumWidth(340);
    row_ = new QHBoxLayout;
    row_->setSpacing(8);
    row_->addStretch(1);
    row_->addStretch(1);
    auto* layout = makeLayout<QVBoxLayout>(this, 10, {24, 16, 24, 16});
    layout->addStretch(1);
    layout->addWidget(title_);
    layout->addWidget(detail_);
    auto* centered = new QHBoxLayout;
    centered->addStretch(1);
    centered->addWidget(bar_, 4);
    centered->addStretch(1);
    layout->addLayout(centered);
    layout->addLayout(row_);
    layout->addStretch(1);
}

void StatePage::setTexts(const QString& title, const QString& detail, bool bad) {
    title_->setText(title);
    detail_->setText(detail);
    detail_->setVisible(!detail.isEmpty());
    if (title_->property("bad").toBool() == bad) {
        return;
    }
    widgets::setLook(*title_, "bad", bad);
}

void StatePage::setActions(const std::vector<Action>& actions) {
    // The sender of the current signal may be one of them.
    for (QPushButton* button : std::exchange(buttons_, {})) {
        button->setParent(nullptr);
        button->deleteLater();
    }
    for (const Action& action : actions) {
        auto* button = new QPushButton(action.text, this);
        connect(button, &QPushButton::clicked, this, [act = action.act] { act(); });
        row_->insertWidget(row_->count() - 1, button);
        button->show();
        buttons_ << button;
    }
    if (!buttons_.isEmpty() && isVisible()) {
        buttons_.front()->setFocus();
    }
}

void StatePage::showProgress(const QString& title, const QString& detail, double fraction,
                             const Action& cancel) {
    const bool begins = bar_->isHidden() || buttons_.size() != 1 || title_->text() != title;
    setTexts(title, detail, false);
    bar_->setRange(0, fraction < 0 ? 0 : 1000);
    if (fraction >= 0) {
        bar_->setValue(static_cast<int>(std::lround(fraction * 1000)));
    }
    bar_->show();
    if (begins) {
        setActions({cancel});
    }
}

void StatePage::showMessage(const QString& title, const QString& detail, const std::vector<Action>& actions,
                            bool bad) {
    setTexts(title, detail, bad);
    bar_->hide();
    setActions(actions);
}

QString StatePage::title() const {
    return title_->text();
}

QString StatePage::detail() const {
    return detail_->text();
}

}  // namespace highwater::widgets

#include "moc_state_page.cpp"
