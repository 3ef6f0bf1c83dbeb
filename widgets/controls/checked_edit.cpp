#include "widgets/controls/checked_edit.h"

#include <QKeyEvent>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>

namespace highwater::widgets {

CheckedEdit::CheckedEdit(Check check, QWidget* parent) : QLineEdit(parent), check_(std::move(check)) {
    connect(this, &QLineEdit::textEdited, this, &CheckedEdit::onTyped);
}

void CheckedEdit::setHint(const QString& hint) {
    hint_ = hint;
    if (isRight()) {
        setToolTip(hint);
    }
}

void CheckedEdit::showValue(const QString& text, const std::function<bool(const QString&)>& same) {
    shown_ = text;
    if (hasFocus() && same && check_(this->text()).isEmpty() && same(this->text())) {
        return;
    }
    if (this->text() != text) {
        setText(text);
    }
    mark(check_(text));
}

void CheckedEdit::onTyped(const QString& text) {
    const QString reason = check_(text);
    mark(reason);
    if (reason.isEmpty()) {
        emit edited(text);
    } else {
        emit rejected(reason);
    }
}

void CheckedEdit::mark(const QString& reason) {
    const bool changed = reason_.isEmpty() != reason.isEmpty();
    const bool reworded = reason_ != reason;
    reason_ = reason;
    setToolTip(reason.isEmpty() ? hint_ : reason);
    if (reworded) {
        emit judged(reason);
    }
    if (!changed) {
        return;
    }
    setProperty("invalid", !reason.isEmpty());
    update();
}

bool CheckedEdit::stepBy(int steps) {
    const QString next = steps != 0 && step_ ? step_(text(), steps) : QString();
    if (next.isEmpty()) {
        return false;
    }
    if (next != text()) {
        setText(next);
        onTyped(next);
    }
    return true;
}

void CheckedEdit::wheelEvent(QWheelEvent* event) {
    constexpr int kNotch = 120;
    if (!hasFocus() || !step_) {
        event->ignore();
        return;
    }
    wheel_ += event->angleDelta().y();
    stepBy(wheel_ / kNotch);
    wheel_ %= kNotch;
    event->accept();
}

void CheckedEdit::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
    if (by != 0 && stepBy(by)) {
        return;
    }
    if (event->key() == Qt::Key_Escape && text() != shown_) {
        setText(shown_);
        onTyped(shown_);
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void CheckedEdit::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (isRight() && text() != shown_) {
        setText(shown_);
    }
}

QSize CheckedEdit::sizeHint() const {
    return {fontMetrics().averageCharWidth() * 10, QLineEdit::sizeHint().height()};
}

namespace {

/// The pages of a QStackedWidget that are not current are hidden too, but their fields still count.
bool applies(const QWidget& field, const QWidget& within) {
    for (const QWidget* at = &field; at != nullptr && at != &within; at = at->parentWidget()) {
        if (at->isHidden() && !qobject_cast<const QStackedWidget*>(at->parentWidget())) {
            return false;
        }
    }
    return field.window() == within.window();
}

}  // namespace

QString wrongField(const QWidget& within) {
    for (const CheckedEdit* edit : within.findChildren<CheckedEdit*>()) {
        if (!edit->isRight() && applies(*edit, within)) {
            return edit->objectName().section('/', -1) + ": " + edit->reason();
        }
    }
    return {};
}

void checkWhileTyped(QSpinBox* spin) {
    const auto mark = [spin](const QString& wrong) {
        spin->setProperty("invalid", !wrong.isEmpty());
        spin->update();
        if (wrong.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(spin->mapToGlobal(QPoint(0, spin->height())), wrong, spin);
        }
    };
    auto* line = spin->findChild<QLineEdit*>();
    QObject::connect(line, &QLineEdit::textEdited, spin, [spin, mark](const QString& text) {
        bool number = false;
        const qlonglong value = text.toLongLong(&number);
        const bool right = number && value >= spin->minimum() && value <= spin->maximum();
        mark(right || text.isEmpty() ? QString()
                                     : QObject::tr("%1 to %2").arg(spin->minimum()).arg(spin->maximum()));
    });
    QObject::connect(spin, &QSpinBox::editingFinished, spin, [mark] { mark({}); });
}

}  // namespace highwater::widgets

#include "moc_checked_edit.cpp"
