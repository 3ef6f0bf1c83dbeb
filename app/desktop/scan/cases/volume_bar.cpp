#include "app/desktop/scan/cases/volume_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include "widgets/theme/panel.h"

namespace highwater::desktop {

VolumeBar::VolumeBar(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(tr("Volume"), this)),
      number_(new QSpinBox(this)),
      of_(new QLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      all_(new QToolButton(this)) {
    title_->setProperty("muted", true);
    of_->setProperty("muted", true);
    title_->setBuddy(number_);
    number_->setObjectName("Volume");
    number_->setAccessibleName(tr("Volume"));
    number_->setKeyboardTracking(false);
    number_->setToolTip(tr("Which volume of this 4D file is read; the experiment keeps the choice"));
    slider_->setAccessibleName(tr("Volume"));
    slider_->setToolTip(number_->toolTip());
    slider_->setTracking(false);  // each volume is read from the file, so only at the end of a drag
    slider_->setMinimumWidth(48);
    all_->setObjectName("Volumes as channels");
    all_->setProperty("link", true);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 6);
    row->addWidget(title_);
    row->addWidget(number_);
    row->addWidget(of_);
    row->addWidget(slider_, 1);
    row->addWidget(all_);
    connect(number_, &QSpinBox::valueChanged, this, [this](int value) { choose(value - 1); });
    connect(slider_, &QSlider::valueChanged, this, [this](int value) { choose(value - 1); });
    connect(slider_, &QSlider::sliderMoved, this, [this](int value) {
        const QSignalBlocker quiet(number_);
        number_->setValue(value);  // the volume that will be read when the slider is released
    });
    connect(all_, &QToolButton::clicked, this,
            [this] { asChannels_ ? emit onlyThisRequested() : emit allAsChannelsRequested(); });
    setVolumes(1, 0, false);
}

void VolumeBar::setVolumes(int count, int current, bool asChannels) {
    count_ = std::max(1, count);
    current_ = std::clamp(current, 0, count_ - 1);
    asChannels_ = asChannels;
    {
        const QSignalBlocker quiet[] = {QSignalBlocker(number_), QSignalBlocker(slider_)};
        number_->setRange(1, count_);
        number_->setValue(current_ + 1);
        slider_->setRange(1, count_);
        slider_->setPageStep(std::max(1, count_ / 10));
        slider_->setValue(current_ + 1);
    }
    of_->setText(tr("of %1").arg(count_));
    all_->setText(asChannels ? tr("only this one") : tr("all as channels"));
    all_->setToolTip(
        asChannels ? tr("This volume alone becomes the input; can be undone")
                   : tr("Each of the %1 volumes becomes a channel of the input; can be undone").arg(count_));
    setVisible(count_ > 1);
}

void VolumeBar::choose(int volume) {
    if (volume == current_) {
        return;
    }
    setVolumes(count_, volume, asChannels_);
    emit volumeChosen(volume);
}

}  // namespace highwater::desktop

#include "moc_volume_bar.cpp"
