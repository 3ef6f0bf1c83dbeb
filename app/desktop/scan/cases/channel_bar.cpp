#include "app/desktop/scan/cases/channel_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "app/desktop/scan/cases/show_names.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

ChannelBar::ChannelBar(QWidget* parent) : QWidget(parent), choice_(new QComboBox(this)) {
    auto* title = new QLabel(tr("Channel"), this);
    title->setProperty("muted", true);
    title->setBuddy(choice_);
    choice_->setObjectName("Channel");
    choice_->setAccessibleName(tr("Channel"));
    choice_->setToolTip(tr("The channel of the input that is shown; the network gets all of them"));
    choice_->setMinimumContentsLength(8);
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 6);
    row->addWidget(title);
    row->addWidget(choice_, 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, &ChannelBar::channelChosen);
    setChannels({}, 0);
}

void ChannelBar::setChannels(const QStringList& names, int current) {
    const QSignalBlocker quiet(choice_);
    showNames(*choice_, names, current);
    setVisible(names.size() > 1);
}

int ChannelBar::current() const {
    return choice_->currentIndex();
}

}  // namespace highwater::desktop

#include "moc_channel_bar.cpp"
