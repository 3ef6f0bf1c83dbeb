#include "app/desktop/study/study_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <cmath>

#include "core/base/duration.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

StudyStrip::StudyStrip(QWidget* parent) : QWidget(parent) {
    what_ = new widgets::ElidedLabel(this);
    bar_ = new QProgressBar(this);
    bar_->setTextVisible(false);
    bar_->setRange(0, 1000);
    bar_->setFixedHeight(8);
    bar_->setMinimumWidth(80);
    left_ = new QLabel(this);
    left_->setObjectName("Time left");
    left_->setProperty("muted", true);
    left_->setMinimumWidth(left_->fontMetrics().horizontalAdvance(tr("about %1 left").arg("59 min 59 s")));
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName("Cancel study");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(12);
    row->addWidget(what_, 2);
    row->addWidget(bar_, 1);
    row->addWidget(left_);
    row->addWidget(cancel_);
    connect(cancel_, &QPushButton::clicked, this, &StudyStrip::cancelRequested);
    setState({});
}

void StudyStrip::setState(const StudyState& state) {
    setVisible(state.running);
    what_->setText(state.cancelling ? tr("Stopping: the run ends at its next layer…")
                                    : tr("Now: %1").arg(state.what));
    bar_->setValue(static_cast<int>(std::lround(state.fraction * 1000)));
    left_->setText(timeLeft(state));
    cancel_->setEnabled(!state.cancelling);
    cancel_->setToolTip(tr("Stop at the next layer; completed runs are kept"));
}

/// Extrapolated from what is done; empty as long as nothing is.
QString StudyStrip::timeLeft(const StudyState& state) {
    if (!state.running) {
        since_.invalidate();
        return {};
    }
    if (!since_.isValid()) {
        since_.start();
    }
    if (state.cancelling || state.fraction <= 0) {
        return {};
    }
    const double left = static_cast<double>(since_.elapsed()) * (1 - state.fraction) / state.fraction;
    return tr("about %1 left").arg(widgets::fromUtf8(base::formatTimeLeft(left)));
}

QString StudyStrip::text() const {
    return what_->text();
}

void StudyStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), widgets::theme().header);
    painter.fillRect(0, height() - 1, width(), 1, widgets::theme().border);
}

}  // namespace highwater::desktop

#include "moc_study_strip.cpp"
