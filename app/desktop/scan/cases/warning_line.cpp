#include "app/desktop/scan/cases/warning_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

WarningLine::WarningLine(QWidget* parent)
    : QFrame(parent),
      mark_(new QLabel(QStringLiteral("!"), this)),
      line_(new widgets::ElidedLabel(this)),
      toggle_(new QToolButton(this)),
      all_(new QLabel(this)) {
    setObjectName("scanWarnings");
    toggle_->setObjectName("Show warnings");
    toggle_->setProperty("link", true);
    all_->setObjectName("All warnings");
    all_->setTextFormat(Qt::PlainText);
    all_->setWordWrap(true);
    all_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(mark_);
    row->addWidget(line_, 1);
    row->addWidget(toggle_);
    auto* column = widgets::makeLayout<QVBoxLayout>(this, 2, {12, 1, 6, 1});
    column->addLayout(row);
    column->addWidget(all_);
    connect(toggle_, &QToolButton::clicked, this, [this] { setUnfolded(!unfolded_); });
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, &WarningLine::paint);
    refresh();
    paint();
}

void WarningLine::setWarnings(const QStringList& warnings) {
    if (warnings == warnings_) {
        return;
    }
    warnings_ = warnings;
    unfolded_ = false;
    refresh();
}

void WarningLine::setUnfolded(bool unfolded) {
    unfolded_ = unfolded && !warnings_.isEmpty();
    refresh();
}

QString WarningLine::text() const {
    return line_->text();
}

void WarningLine::refresh() {
    line_->setText(unfolded_               ? tr("%n warnings", nullptr, static_cast<int>(warnings_.size()))
                   : warnings_.size() == 1 ? warnings_.front()
                   : warnings_.isEmpty()
                       ? QString()
                       : tr("%1 warnings: %2").arg(warnings_.size()).arg(warnings_.front()));
    if (unfolded_ && warnings_.size() == 1) {
        line_->setText(tr("1 warning"));
    }
    constexpr qsizetype kMostShown = 30;
    QStringList lines;
    for (const QString& warning : warnings_.mid(0, kMostShown)) {
        lines << QStringLiteral("• ") + warning;
    }
    if (warnings_.size() > kMostShown) {
        lines << tr("and %1 more; highwater-cli volume info --json lists all")
                     .arg(warnings_.size() - kMostShown);
    }
    all_->setText(lines.join('\n'));
    all_->setVisible(unfolded_);
    toggle_->setText(unfolded_ ? tr("less") : tr("show all"));
    toggle_->setToolTip(unfolded_ ? tr("Show the warnings on one line") : tr("Show every warning in full"));
    toggle_->setAccessibleName(toggle_->toolTip());
    setAccessibleName(tr("Warnings about this scan"));
    setAccessibleDescription(lines.join('\n'));
    setVisible(!warnings_.isEmpty());
}

void WarningLine::paint() {
    mark_->setStyleSheet(QString("color: %1; font-weight: bold;").arg(widgets::theme().warning.name()));
    setStyleSheet(QString("#scanWarnings { background: %1; border: 0; border-left: 3px solid %2; "
                          "border-bottom: 1px solid %3; }")
                      .arg(widgets::theme().header.name(), widgets::theme().warning.name(),
                           widgets::theme().border.name()));
}

void WarningLine::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        setUnfolded(!unfolded_);
    }
}

}  // namespace highwater::desktop

#include "moc_warning_line.cpp"
