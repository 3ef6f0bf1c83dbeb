#include "widgets/controls/scrub.h"

#include <QAbstractSpinBox>
#include <QLabel>
#include <QMouseEvent>
#include <QPointer>
#include <cmath>
#include <utility>

#include "widgets/controls/checked_edit.h"

namespace highwater::widgets {

namespace {
constexpr double kPointsAStep = 6, kFinePointsAStep = 24;
constexpr int kFrameMs = 16;
}  // namespace

Scrub::Scrub(QLabel* label, std::function<void(int)> step)
    : QObject(label), label_(label), step_(std::move(step)) {
    label->setCursor(Qt::SizeHorCursor);
    label->installEventFilter(this);
    frame_.setSingleShot(true);
    frame_.setTimerType(Qt::PreciseTimer);
    connect(&frame_, &QTimer::timeout, this, &Scrub::apply);
}

void Scrub::attach(QLabel* label, QAbstractSpinBox* field) {
    new Scrub(label, [field = QPointer(field)](int steps) {
        if (field && field->isEnabled()) {
            field->stepBy(steps);
        }
    });
}

void Scrub::attach(QLabel* label, CheckedEdit* field) {
    new Scrub(label, [field = QPointer(field)](int steps) {
        if (field && field->isEnabled()) {
            field->stepBy(steps);
        }
    });
}

bool Scrub::eventFilter(QObject* watched, QEvent* event) {
    auto* const mouse = dynamic_cast<QMouseEvent*>(event);
    if (!mouse) {
        return QObject::eventFilter(watched, event);
    }
    switch (mouse->type()) {
        case QEvent::MouseButtonPress:
            if (mouse->button() != Qt::LeftButton) {
                break;
            }
            dragging_ = true;
            lastX_ = mouse->globalPosition().x();
            rest_ = 0;
            return true;
        case QEvent::MouseMove: {
            if (!dragging_) {
                break;
            }
            const bool fine = (mouse->modifiers() & Qt::ShiftModifier) != 0;
            rest_ += (mouse->globalPosition().x() - std::exchange(lastX_, mouse->globalPosition().x())) /
                     (fine ? kFinePointsAStep : kPointsAStep);
            const double whole = std::trunc(rest_ + std::copysign(1e-6, rest_));
            rest_ -= whole;
            due_ += static_cast<int>(whole);
            if (due_ != 0 && !frame_.isActive()) {
                frame_.start(kFrameMs);
            }
            return true;
        }
        case QEvent::MouseButtonRelease:
            if (!std::exchange(dragging_, false)) {
                break;
            }
            apply();
            return true;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

void Scrub::apply() {
    frame_.stop();
    if (const int steps = std::exchange(due_, 0); steps != 0) {
        step_(steps);
    }
}

}  // namespace highwater::widgets

#include "moc_scrub.cpp"
