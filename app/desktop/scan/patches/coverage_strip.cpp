#include "app/desktop/scan/patches/coverage_strip.h"

#include <QComboBox>
#include <QVBoxLayout>

#include "app/desktop/scan/patches/heat_legend.h"
#include "app/desktop/scan/patches/patch_words.h"
#include "app/desktop/scan/patches/work_line.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

CoverageStrip::CoverageStrip(QWidget* parent) : QWidget(parent) {
    steps_ = new QComboBox(this);
    steps_->setObjectName("coverageSteps");
    steps_->setToolTip(tr("Number of steps, from the first, whose samples are counted"));
    for (const int steps : kCoverageSteps) {
        steps_->addItem(tr("%1 steps").arg(grouped(steps)), steps);
    }
    legend_ = new HeatLegend(this);
    samples_ = new widgets::ElidedLabel(this);
    samples_->setObjectName("coverageSamples");
    samples_->setMuted(true);
    samples_->setFont(widgets::smallFont(font()));
    text_ = new widgets::ElidedLabel(this);
    text_->setObjectName("coverageText");
    text_->setFont(widgets::smallFont(font()));
    work_ = new WorkLine(this);
    auto* const column = widgets::makeLayout<QVBoxLayout>(this, 2);
    auto* const controls = new widgets::FlowLayout;
    controls->setSpacing(8);
    controls->addWidget(steps_);
    controls->addWidget(legend_);
    controls->addWidget(new QWidget(this));  // takes the rest of the line
    column->addLayout(controls);
    column->addWidget(text_);
    column->addWidget(samples_);
    column->addWidget(work_);
    connect(steps_, &QComboBox::activated, this,
            [this](int row) { emit stepsChosen(steps_->itemData(row).toInt()); });
    connect(work_, &WorkLine::cancelRequested, this, &CoverageStrip::cancelRequested);
    connect(work_, &WorkLine::retryRequested, this, &CoverageStrip::retryRequested);
    setState({});
}

void CoverageStrip::setState(const CoverageState& state) {
    steps_->setCurrentIndex(steps_->findData(state.steps));
    legend_->setMost(state.most);
    legend_->setVisible(state.drawn);
    samples_->setText(tr("Counted exactly: the %1 samples of these steps with batch %2")
                          .arg(grouped(state.batch * state.steps), grouped(state.batch)));
    text_->setText(state.text);
    text_->setVisible(state.drawn && !state.text.isEmpty());
    work_->setState(state.work);
}

}  // namespace highwater::desktop

#include "moc_coverage_strip.cpp"
