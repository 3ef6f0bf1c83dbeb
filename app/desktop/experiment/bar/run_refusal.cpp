#include "app/desktop/experiment/bar/run_refusal.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/stack/shapes.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

RunRefusal::RunRefusal(ExperimentDocument& document, QWidget* parent)
    : QFrame(parent),
      document_(document),
      mark_(new QLabel("!", this)),
      label_(new QLabel(this)),
      show_(widgets::linkButton(tr("Show"), tr("Go to the setting or layer in question"), this)) {
    setObjectName("refusal");
    label_->setTextFormat(Qt::PlainText);
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    show_->setObjectName("Show the refused input");
    show_->setFocusPolicy(Qt::StrongFocus);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 8, {12, 4, 12, 4});
    row->addWidget(mark_);
    row->addWidget(label_, 1);
    row->addWidget(show_);
    connect(show_, &QToolButton::clicked, this, &RunRefusal::follow);
    connect(&document_, &ExperimentDocument::changed, this, &RunRefusal::refresh);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, &RunRefusal::paint);
    paint();
    refresh();
}

void RunRefusal::setRunsOnGpu(bool gpu) {
    runsOnGpu_ = gpu;
    refresh();
}

void RunRefusal::setTrouble(const QString& trouble) {
    trouble_ = trouble;
    refresh();
}

QString RunRefusal::text() const {
    return isHidden() ? QString() : label_->text();
}

void RunRefusal::refresh() {
    const auto& info = document_.info();
    const base::Status can =
        info ? stack::checkSupported(document_.experiment(), *info, runsOnGpu_) : base::Status{};
    if (can && refused_) {
        trouble_.clear();  // a prediction for the supported experiment is on its way
    }
    refused_ = !can;
    why_ = can ? QString() : QString::fromStdString(can.error().message);
    if (!why_.isEmpty()) {
        label_->setText(tr("Cannot run: %1.").arg(plainError(why_)));
    } else if (info && !trouble_.isEmpty()) {
        label_->setText(tr("No prediction: %1.").arg(plainError(why_ = trouble_)));
    }
    show_->setVisible(!settingNamedBy(why_).isEmpty() || layerNamedBy(why_) >= 0);
    setVisible(!why_.isEmpty());
}

void RunRefusal::follow() {
    if (const int layer = layerNamedBy(why_); layer >= 0) {
        emit layerWanted(layer);
    } else {
        emit settingWanted(settingNamedBy(why_));
    }
}

void RunRefusal::paint() {
    const widgets::Theme& t = widgets::theme();
    mark_->setStyleSheet(QString("color: %1; font-weight: bold;").arg(t.warning.name()));
    setStyleSheet(QString("#refusal { background: %1; border: 0; border-left: 3px solid %2;"
                          " border-bottom: 1px solid %3; }")
                      .arg(t.header.name(), t.warning.name(), t.border.name()));
}

}  // namespace highwater::desktop

#include "moc_run_refusal.cpp"
