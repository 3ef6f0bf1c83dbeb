#include "app/desktop/study/sweep/sweep_panel.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>

#include "app/desktop/study/study_strip.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

SweepPanel::SweepPanel(QWidget* parent) : QWidget(parent) {
    strip_ = new StudyStrip(this);
    setup_ = new SweepSetup(this);
    setup_->setMinimumWidth(230);
    views_ = new SweepViews(this);
    message_ = new QLabel(this);
    message_->setObjectName("Message");
    message_->setAlignment(Qt::AlignCenter);
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    message_->setMargin(24);
    right_ = new QStackedWidget(this);
    right_->addWidget(message_);
    right_->addWidget(views_);
    splitter_ = new QSplitter(Qt::Horizontal, this);
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(setup_);
    splitter_->addWidget(right_);
    splitter_->setStretchFactor(1, 1);
    splitter_->setSizes({270, 1010});
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(strip_);
    layout->addWidget(splitter_, 1);
    connect(strip_, &StudyStrip::cancelRequested, this, &SweepPanel::cancelRequested);
    setMessage({});
}

void SweepPanel::setState(const StudyState& state) {
    strip_->setState(state);
    setup_->setState(state);
}

void SweepPanel::setRows(SweepRows rows) {
    const bool empty = rows.cells.empty();
    views_->setRows(std::move(rows));
    if (!empty) {
        right_->setCurrentWidget(views_);
    }
}

void SweepPanel::setMessage(const QString& message, bool bad) {
    message_->setText(!message.isEmpty() ? message
                                         : tr("Add axes to make a sweep of the current experiment, or open a "
                                              "sweep, the result of one, or a study of the store."));
    message_->setProperty("bad", bad);
    message_->style()->unpolish(message_);
    message_->style()->polish(message_);
    right_->setCurrentWidget(message_);
}

QString SweepPanel::message() const {
    return right_->currentWidget() == message_ ? message_->text() : QString();
}

}  // namespace highwater::desktop

#include "moc_sweep_panel.cpp"
