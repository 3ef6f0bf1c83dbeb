#include "app/desktop/scan/patches/work_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

constexpr int kParts = 1000;

}  // namespace

WorkLine::WorkLine(QWidget* parent) : QWidget(parent) {
    what_ = new widgets::ElidedLabel(this);
    what_->setObjectName("patchWork");
    what_->setFont(widgets::smallFont(font()));
    bar_ = new QProgressBar(this);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(6);
    bar_->setMinimumWidth(40);
    cancel_ = widgets::linkButton(tr("Cancel"), {}, this);
    cancel_->setObjectName("patchCancel");
    retry_ = widgets::linkButton(tr("Try again"), {}, this);
    retry_->setObjectName("patchRetry");
    trouble_ = widgets::textLabel(this);
    trouble_->setObjectName("patchTrouble");
    trouble_->setProperty("bad", true);
    trouble_->setFont(widgets::smallFont(font()));
    auto* const column = widgets::makeLayout<QVBoxLayout>(this, 2);
    auto* const row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(what_, 2);
    row->addWidget(bar_, 1);
    row->addWidget(cancel_);
    column->addLayout(row);
    column->addWidget(trouble_);
    column->addWidget(retry_, 0, Qt::AlignLeft);
    connect(cancel_, &QToolButton::clicked, this, &WorkLine::cancelRequested);
    connect(retry_, &QToolButton::clicked, this, &WorkLine::retryRequested);
    setState({});
}

void WorkLine::setState(const WorkState& state) {
    const bool works = !state.what.isEmpty(), failed = !works && !state.trouble.isEmpty();
    setVisible(works || failed);
    what_->setText(state.what);
    for (QWidget* part : std::initializer_list<QWidget*>{what_, bar_, cancel_}) {
        part->setVisible(works);
    }
    const bool known = state.fraction >= 0;
    bar_->setRange(0, known ? kParts : 0);
    if (known) {
        bar_->setValue(static_cast<int>(std::lround(std::min(state.fraction, 1.0) * kParts)));
    }
    trouble_->setText(state.trouble);
    trouble_->setVisible(failed);
    retry_->setVisible(failed);
}

}  // namespace highwater::desktop

#include "moc_work_line.cpp"
