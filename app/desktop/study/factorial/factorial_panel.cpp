#include "app/desktop/study/factorial/factorial_panel.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>
#include <utility>

#include "app/desktop/study/factorial/factorial_results.h"
#include "app/desktop/study/study_strip.h"

namespace highwater::desktop {

FactorialPanel::FactorialPanel(QWidget* parent) : QWidget(parent) {
    strip_ = new StudyStrip(this);
    setup_ = new FactorialSetup(this);
    setup_->setMinimumWidth(240);
    results_ = new FactorialResults(this);
    message_ = new QLabel(this);
    message_->setObjectName("Message");
    message_->setAlignment(Qt::AlignCenter);
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    message_->setMargin(24);
    right_ = new QStackedWidget(this);
    right_->addWidget(message_);
    right_->addWidget(results_);
    splitter_ = new QSplitter(Qt::Horizontal, this);
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(setup_);
    splitter_->addWidget(right_);
    splitter_->setStretchFactor(1, 1);
    splitter_->setSizes({330, 950});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(strip_);
    layout->addWidget(splitter_, 1);
    connect(strip_, &StudyStrip::cancelRequested, this, &FactorialPanel::cancelRequested);
    setMessage({});
}

void FactorialPanel::setState(const StudyState& state) {
    strip_->setState(state);
    setup_->setState(state);
    const bool changed = std::exchange(running_, state.running) != state.running;
    const bool problem = message_->property("bad").toBool();
    if (changed && right_->currentWidget() == message_ && (running_ || !problem)) {
        setMessage({});  // the previous message no longer applies
    }
}

void FactorialPanel::setResult(const FactorialRows& rows) {
    results_->setRows(rows);
    right_->setCurrentWidget(results_);
}

void FactorialPanel::setMessage(const QString& message, bool bad) {
    message_->setText(
        !message.isEmpty() ? message
        : running_
            ? tr("Measuring. The results are shown here when all combinations "
                 "are done.")
            : tr("Choose levers and press Run: every combination is measured on the current experiment."));
    message_->setProperty("bad", bad);
    message_->style()->unpolish(message_);
    message_->style()->polish(message_);
    right_->setCurrentWidget(message_);
}

QString FactorialPanel::message() const {
    return right_->currentWidget() == message_ ? message_->text() : QString();
}

}  // namespace highwater::desktop

#include "moc_factorial_panel.cpp"
