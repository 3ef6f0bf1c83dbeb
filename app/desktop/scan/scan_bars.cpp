#include "app/desktop/scan/scan_bars.h"

#include <QPainter>
#include <QVBoxLayout>

#include "app/desktop/scan/cases/case_stepper.h"
#include "app/desktop/scan/cases/channel_bar.h"
#include "app/desktop/scan/cases/volume_bar.h"
#include "app/desktop/scan/cases/warning_line.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

ScanBars::ScanBars(QWidget* parent) : QWidget(parent) {
    row_ = new QWidget(this);
    auto* flow = new widgets::FlowLayout(row_);
    flow->setContentsMargins(10, 4, 10, 4);
    cases_ = new CaseStepper(row_);
    channels_ = new ChannelBar(row_);
    volumes_ = new VolumeBar(row_);
    flow->addWidget(cases_);
    flow->addWidget(channels_);
    flow->addWidget(volumes_);
    warnings_ = new WarningLine(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(row_);
    layout->addWidget(warnings_);
    refresh();
}

void ScanBars::refresh() {
    row_->setVisible(!cases_->isHidden() || !channels_->isHidden() || !volumes_->isHidden());
}

void ScanBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), widgets::theme().header);
    if (!row_->isHidden()) {
        painter.fillRect(0, row_->geometry().bottom(), width(), 1, widgets::theme().border);
    }
}

}  // namespace highwater::desktop

#include "moc_scan_bars.cpp"
