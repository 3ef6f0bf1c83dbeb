#include "app/desktop/trace/snapshot_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QTabBar>

#include "app/desktop/trace/snapshot_values.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

SnapshotBar::SnapshotBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(36);
    devices_ = new QComboBox;
    devices_->setAccessibleName(tr("Device"));
    devices_->setToolTip(tr("Devices in the snapshot"));
    devices_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    only_ = new QLabel;
    only_->setContentsMargins(4, 0, 8, 0);
    pages_ = new QTabBar;
    pages_->setProperty("strip", true);
    pages_->setDrawBase(false);
    pages_->setExpanding(false);
    pages_->setAccessibleName(tr("Show as"));
    pages_->addTab(tr("Over time"));
    pages_->addTab(tr("Segments"));
    pages_->setTabToolTip(Timeline, tr("Memory in use, event by event"));
    pages_->setTabToolTip(Segments, tr("Segments and blocks when the snapshot was taken: fragmentation"));
    note_ = new widgets::ElidedLabel;
    note_->setMuted(true);
    note_->setFont(widgets::smallFont(font()));
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 8, {8, 0, 10, 0});
    row->addWidget(devices_);
    row->addWidget(only_);
    row->addWidget(pages_);
    row->addWidget(note_, 1);
    connect(devices_, &QComboBox::activated, this,
            [this](int at) { emit deviceChosen(devices_->itemData(at).toLongLong()); });
    connect(pages_, &QTabBar::currentChanged, this, &SnapshotBar::pageChosen);
}

void SnapshotBar::setDevices(const std::vector<capture::SnapshotDevice>& devices, std::int64_t shown) {
    devices_->clear();
    for (const capture::SnapshotDevice& device : devices) {
        devices_->addItem(deviceText(device), QVariant::fromValue<qlonglong>(device.device));
    }
    devices_->setCurrentIndex(devices_->findData(QVariant::fromValue<qlonglong>(shown)));
    only_->setText(devices.size() == 1 ? deviceText(devices.front()) : QString());
    devices_->setVisible(devices.size() > 1);
    only_->setVisible(devices.size() == 1);
}

void SnapshotBar::setPages(bool timeline, bool segments) {
    const QSignalBlocker quiet(pages_);
    pages_->setTabVisible(Timeline, timeline);
    pages_->setTabVisible(Segments, segments);
    if (!pages_->isTabVisible(pages_->currentIndex())) {
        pages_->setCurrentIndex(timeline ? Timeline : Segments);
    }
}

SnapshotBar::Page SnapshotBar::page() const {
    return static_cast<Page>(pages_->currentIndex());
}

void SnapshotBar::setPage(Page page) {
    if (pages_->isTabVisible(page)) {
        pages_->setCurrentIndex(page);
    }
}

void SnapshotBar::setNote(const QString& note) {
    note_->setText(note);
}

QString SnapshotBar::note() const {
    return note_->text();
}

}  // namespace highwater::desktop

#include "moc_snapshot_bar.cpp"
