#include "app/desktop/prediction/plan/plan_side.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/study/study_strip.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

QLabel* wrapped(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("muted", true);
    return label;
}

}  // namespace

ConfirmedPanel::ConfirmedPanel(QWidget* parent) : widgets::Panel(tr("Confirmed on this machine"), parent) {
    auto* body = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    strip_ = new StudyStrip(body);
    hint_ = wrapped(body);
    hint_->setContentsMargins(12, 8, 12, 10);
    table_ = new QTableWidget(0, 4, body);
    widgets::makeFlat(*table_);
    table_->setHorizontalHeaderLabels({QString(), tr("predicted"), tr("measured"), tr("difference")});
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    table_->setFocusPolicy(Qt::NoFocus);
    table_->setAccessibleName(tr("Predicted and measured"));
    table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Stretch);
    widgets::offerTable(*table_);
    layout->addWidget(strip_);
    layout->addWidget(hint_);
    layout->addWidget(table_);
    setBody(body);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(strip_, &StudyStrip::cancelRequested, this, &ConfirmedPanel::cancelRequested);
    setRows({}, {});
}

QString ConfirmedPanel::hint() const {
    return hint_->text();
}

void ConfirmedPanel::setState(const StudyState& state) {
    strip_->setState(state);
}

void ConfirmedPanel::setRows(const std::vector<ConfirmedRow>& rows, const QString& hint) {
    hint_->setText(hint);
    hint_->setVisible(!hint.isEmpty());
    table_->setVisible(!rows.empty());
    table_->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const ConfirmedRow& line = rows[static_cast<std::size_t>(row)];
        const QStringList cells = {line.what, line.predicted, line.measured, line.difference};
        for (int column = 0; column < cells.size(); ++column) {
            auto* cell = new QTableWidgetItem(cells[column]);
            cell->setToolTip(cells[column]);
            if (column == 3 && line.agrees) {
                cell->setForeground(widgets::theme().good);
            }
            table_->setItem(row, column, cell);
        }
    }
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           table_->rowCount() * table_->verticalHeader()->defaultSectionSize() + 2);
}

TaskChangesPanel::TaskChangesPanel(QWidget* parent) : QWidget(parent) {
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 2, {12, 8, 12, 10});
    auto* line = widgets::makeLayout<QHBoxLayout>(nullptr, 2);
    lead_ = new QLabel(tr("Not enough?"), this);
    lead_->setProperty("muted", true);
    ask_ = widgets::linkButton(
        tr("Show options that change the model"),
        tr("Looks for the largest batch and the largest patch that have a plan within the budget"), this);
    line->addWidget(lead_);
    line->addWidget(ask_);
    line->addStretch(1);
    message_ = wrapped(this);
    rows_ = widgets::makeLayout<QVBoxLayout>(nullptr, 0);
    layout->addLayout(line);
    layout->addWidget(message_);
    layout->addLayout(rows_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(ask_, &QToolButton::clicked, this, &TaskChangesPanel::asked);
    setUnasked(false);
}

void TaskChangesPanel::clear() {
    while (QLayoutItem* item = rows_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();  // deleted later, because it may be the sender of the current signal
            item->widget()->deleteLater();
        }
        delete item;
    }
    message_->clear();
    message_->hide();
}

void TaskChangesPanel::setUnasked(bool possible) {
    clear();
    ask_->setEnabled(possible);
}

void TaskChangesPanel::setMessage(const QString& text) {
    clear();
    message_->setText(text);
    message_->show();
}

void TaskChangesPanel::setChanges(const std::vector<TaskChange>& changes) {
    clear();
    for (std::size_t i = 0; i < changes.size(); ++i) {
        auto* row = new QWidget(this);
        auto* line = widgets::makeLayout<QHBoxLayout>(row, 6);
        auto* title = new widgets::ElidedLabel(row);
        title->setText(changes[i].title + QStringLiteral(" · ") + changes[i].details, {changes[i].title});
        auto* apply =
            widgets::linkButton(tr("Apply"), tr("Apply this to the experiment; Ctrl+Z to undo"), row);
        apply->setAccessibleName(tr("Apply %1").arg(changes[i].title));
        line->addWidget(title, 1);
        line->addWidget(apply);
        connect(apply, &QToolButton::clicked, this,
                [this, change = static_cast<int>(i)] { emit applyRequested(change); });
        rows_->addWidget(row);
    }
}

std::vector<QToolButton*> TaskChangesPanel::applyLinks() const {
    std::vector<QToolButton*> links;
    for (int i = 0; i < rows_->count(); ++i) {
        links.push_back(rows_->itemAt(i)->widget()->findChild<QToolButton*>());
    }
    return links;
}

}  // namespace highwater::desktop

#include "moc_plan_side.cpp"
