#include "widgets/controls/field_cell.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <memory>

#include "widgets/controls/checked_edit.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {

FieldCell::FieldCell(const QString& key, const QString& tip, QWidget* editor, QWidget* parent)
    : QWidget(parent), key_(key), tip_(tip), editor_(editor) {
    label_ = new QLabel(key, this);
    label_->setProperty("muted", true);
    label_->setToolTip(tip);
    label_->setBuddy(editor);
    note_ = new ElidedLabel(this);
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    reset_ = new QToolButton(this);
    reset_->setProperty("reset", true);
    reset_->setFocusPolicy(Qt::TabFocus);
    reset_->hide();
    connect(reset_, &QToolButton::clicked, this, &FieldCell::resetWanted);
    message_ = textLabel(this);
    message_->setProperty("bad", true);
    message_->setFont(smallFont(font()));
    message_->hide();

    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    head->addWidget(label_);
    head->addWidget(note_, 1);
    head->addWidget(reset_);
    auto* layout = makeLayout<QVBoxLayout>(this, 3);
    layout->addLayout(head);
    layout->addWidget(editor);
    layout->addWidget(message_);
    setTabOrder(editor, reset_);
    editor->setSizePolicy(QSizePolicy::Expanding, editor->sizePolicy().verticalPolicy());
    editor->setAccessibleName(key);
    watch(editor);
    if (auto* edit = qobject_cast<CheckedEdit*>(editor)) {
        edit->setHint(tip);
        connect(edit, &CheckedEdit::judged, this, &FieldCell::setReason);
    } else {
        editor->setToolTip(tip);
    }
}

void FieldCell::watch(QWidget* editor) {
    if (qobject_cast<QAbstractSpinBox*>(editor) || qobject_cast<QComboBox*>(editor)) {
        editor->setFocusPolicy(Qt::StrongFocus);
    }
    editor->installEventFilter(this);
}

/// Scrolling the form must not change a field that passes under the pointer. A text field's context menu is
/// followed by that of the cell.
bool FieldCell::eventFilter(QObject* watched, QEvent* event) {
    auto* const editor = static_cast<QWidget*>(watched);
    if (event->type() == QEvent::ContextMenu) {
        contextMenuEvent(static_cast<QContextMenuEvent*>(event));
        return true;
    }
    if (event->type() != QEvent::Wheel || editor->focusPolicy() != Qt::StrongFocus || editor->hasFocus() ||
        qobject_cast<QLineEdit*>(editor)) {
        return false;
    }
    event->ignore();
    return true;
}

void FieldCell::contextMenuEvent(QContextMenuEvent* event) {
    auto* text = qobject_cast<QLineEdit*>(editor_);
    if (text == nullptr && qobject_cast<QAbstractSpinBox*>(editor_)) {
        text = editor_->findChild<QLineEdit*>();
    }
    const std::unique_ptr<QMenu> menu(text ? text->createStandardContextMenu() : new QMenu);
    if (text != nullptr) {
        menu->addSeparator();
    }
    if (reset_->isVisible()) {
        menu->addAction(reset_->toolTip(), this, &FieldCell::resetWanted);
    }
    emit menuOpening(*menu);
    if (!menu->isEmpty()) {
        menu->exec(event->globalPos());
    }
}

void FieldCell::setDefault(const QString& text) {
    reset_->setVisible(!text.isEmpty());
    reset_->setText(QStringLiteral("↺"));
    reset_->setToolTip(tr("Back to the default: %1").arg(text));
    reset_->setAccessibleName(tr("Back to the default of %1: %2").arg(key_, text));
}

void FieldCell::setReason(const QString& reason) {
    reason_ = reason;
    showMessage();
}

void FieldCell::setProblem(const QString& problem) {
    problem_ = problem;
    showMessage();
}

void FieldCell::setAvailable(const QString& note, const QString& whyNot) {
    note_->setText(note);
    editor_->setEnabled(whyNot.isEmpty());
    label_->setEnabled(whyNot.isEmpty());
    const QString tip = whyNot.isEmpty() ? tip_ : whyNot + "\n\n" + tip_;
    label_->setToolTip(tip);
    if (auto* edit = qobject_cast<CheckedEdit*>(editor_)) {
        edit->setHint(tip);
    } else {
        editor_->setToolTip(tip);
    }
}

void FieldCell::showMessage() {
    const QString text = message();
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
}

QString FieldCell::message() const {
    return reason_.isEmpty() ? problem_ : reason_;
}

bool FieldCell::matches(const QString& filter) const {
    return filter.isEmpty() || key_.contains(filter, Qt::CaseInsensitive) ||
           QString(key_).replace('_', ' ').contains(filter, Qt::CaseInsensitive) ||
           tip_.contains(filter, Qt::CaseInsensitive);
}

}  // namespace highwater::widgets

#include "moc_field_cell.cpp"
