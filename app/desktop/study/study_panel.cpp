#include "app/desktop/study/study_panel.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/desktop/study/study_strip.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

void StudyPanel::build(QWidget* setup, QWidget* results, const QList<int>& widths) {
    strip_ = new StudyStrip(this);
    message_ = widgets::textLabel(this);
    message_->setObjectName("Message");
    message_->setAlignment(Qt::AlignCenter);
    message_->setMargin(24);
    right_ = new QStackedWidget(this);
    right_->addWidget(message_);
    right_->addWidget(results);
    splitter_ = widgets::makeSplitter(Qt::Horizontal, {setup, right_}, widths);
    splitter_->setStretchFactor(1, 1);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(strip_);
    layout->addWidget(splitter_, 1);
    connect(strip_, &StudyStrip::cancelRequested, this, &StudyPanel::cancelRequested);
    setMessage({});
}

void StudyPanel::showProgress(const StudyState& state) {
    strip_->setState(state);
}

void StudyPanel::showResults() {
    right_->setCurrentIndex(1);
}

bool StudyPanel::showsProblem() const {
    return right_->currentWidget() == message_ && message_->property("bad").toBool();
}

void StudyPanel::setMessage(const QString& message, bool bad) {
    message_->setText(message.isEmpty() ? howToBegin() : message);
    widgets::setLook(*message_, "bad", bad);
    right_->setCurrentWidget(message_);
}

QString StudyPanel::message() const {
    return right_->currentWidget() == message_ ? message_->text() : QString();
}

}  // namespace highwater::desktop

#include "moc_study_panel.cpp"
