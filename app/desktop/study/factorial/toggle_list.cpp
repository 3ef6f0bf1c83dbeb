#include "app/desktop/study/factorial/toggle_list.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace highwater::desktop {

namespace {

QString tipOf(const ToggleRow& toggle) {
    QString tip = toggle.row.isEmpty() ? toggle.what : toggle.row + ": " + toggle.what;
    if (toggle.changesTask) {
        tip += '\n' + QObject::tr("The network then computes something different: compare its losses too.");
    }
    if (!toggle.whyNot.isEmpty()) {
        tip += '\n' + QObject::tr("Not available: %1").arg(toggle.whyNot);
    }
    return tip;
}

}  // namespace

ToggleList::ToggleList(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget(this);
    column_ = new QVBoxLayout(body);
    column_->setContentsMargins(12, 8, 12, 8);
    column_->setSpacing(5);
    column_->addStretch(1);
    setWidget(body);
}

void ToggleList::setToggles(const std::vector<ToggleRow>& toggles) {
    if (toggles == toggles_) {
        return;
    }
    const QStringList before = chosen();
    toggles_ = toggles;
    boxes_.clear();
    while (column_->count() > 1) {
        QLayoutItem* item = column_->takeAt(0);
        delete item->widget();
        delete item;
    }
    for (const ToggleRow& toggle : toggles_) {
        add(toggle, before.contains(toggle.id));
    }
    if (chosen() != before) {
        emit changed();
    }
}

void ToggleList::add(const ToggleRow& toggle, bool checked) {
    auto* row = new QWidget(widget());
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* box = new QCheckBox(toggle.title, row);
    box->setObjectName(toggle.id);
    box->setEnabled(toggle.whyNot.isEmpty());
    box->setChecked(checked && toggle.whyNot.isEmpty());
    box->setToolTip(tipOf(toggle));
    box->setAccessibleDescription(tipOf(toggle));
    layout->addWidget(box, 1);
    if (toggle.changesTask) {
        auto* mark = new QLabel(tr("changes the task"), row);
        mark->setProperty("muted", true);
        mark->setToolTip(tipOf(toggle));
        mark->setEnabled(toggle.whyNot.isEmpty());
        layout->addWidget(mark);
    }
    column_->insertWidget(column_->count() - 1, row);
    boxes_[toggle.id] = box;
    connect(box, &QCheckBox::toggled, this, &ToggleList::changed);
}

QStringList ToggleList::chosen() const {
    QStringList ids;
    for (const ToggleRow& toggle : toggles_) {
        if (boxes_.at(toggle.id)->isChecked()) {
            ids << toggle.id;
        }
    }
    return ids;
}

void ToggleList::setChosen(const QStringList& ids) {
    for (const ToggleRow& toggle : toggles_) {
        boxes_.at(toggle.id)->setChecked(toggle.whyNot.isEmpty() && ids.contains(toggle.id));
    }
}

void ToggleList::setLocked(bool locked) {
    widget()->setEnabled(!locked);
}

QCheckBox* ToggleList::box(const QString& id) const {
    const auto found = boxes_.find(id);
    return found == boxes_.end() ? nullptr : found->second;
}

}  // namespace highwater::desktop

#include "moc_toggle_list.cpp"
