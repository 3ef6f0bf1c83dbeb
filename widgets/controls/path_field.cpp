#include "widgets/controls/path_field.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include "widgets/theme/panel.h"

namespace highwater::widgets {

PathField::PathField(const QString& what, const QString& filter, QWidget* parent)
    : QWidget(parent),
      what_(what),
      filter_(filter),
      edit_(new QLineEdit(this)),
      browse_(new QToolButton(this)) {
    edit_->setMaxLength(1024);
    edit_->setPlaceholderText(tr("a path"));
    edit_->installEventFilter(this);
    browse_->setText(QStringLiteral("…"));
    browse_->setToolTip(what);
    browse_->setAccessibleName(what);
    browse_->setFocusPolicy(Qt::TabFocus);
    auto* row = makeLayout<QHBoxLayout>(this, 4);
    row->addWidget(edit_, 1);
    row->addWidget(browse_);
    setFocusProxy(edit_);
    connect(edit_, &QLineEdit::editingFinished, this, [this] { choose(edit_->text().trimmed()); });
    connect(browse_, &QToolButton::clicked, this, &PathField::browse);
}

void PathField::showPath(const QString& path) {
    path_ = path;
    if (edit_->text() != path) {
        edit_->setText(path);
    }
    edit_->setToolTip(path);
}

void PathField::choose(const QString& path) {
    if (path.isEmpty() || path == path_) {
        return;
    }
    showPath(path);
    emit chosen(path);
}

void PathField::browse() {
    const QString folder = path_.isEmpty() ? QString() : QFileInfo(path_).absolutePath();
    const QString path = QFileDialog::getOpenFileName(window(), what_, folder, filter_);
    choose(path);
}

bool PathField::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape ||
        edit_->text() == path_) {
        return QWidget::eventFilter(watched, event);
    }
    edit_->setText(path_);
    return true;
}

}  // namespace highwater::widgets

#include "moc_path_field.cpp"
