#include "app/desktop/experiment/bar/checkpoint_field.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>

#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

QString tipOf(int kind) {
    const QString tips[] = {
        QObject::tr("Blocks marked “checkpoint” are recomputed in the backward pass"),
        QObject::tr("Everything the backward pass needs is kept"),
        QObject::tr("√n equal segments for n layers; each keeps only its input"),
        QObject::tr("A given number of equal segments; each keeps only its input"),
        QObject::tr("The parts that Make it fit chose are recomputed in the backward pass")};
    return tips[kind];
}

int markedBlocks(const std::vector<stack::Layer>& layers) {
    int count = 0;
    for (const stack::Layer& layer : layers) {
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            count += (block->checkpoint ? 1 : 0) + markedBlocks(block->layers);
        }
    }
    return count;
}

}  // namespace

CheckpointField::CheckpointField(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent), document_(document), kind_(new QComboBox(this)), segments_(new QSpinBox(this)) {
    kind_->addItems({tr("by block"), tr("none"), QStringLiteral("√n"), tr("segments"), tr("plan")});
    for (int i = 0; i < kind_->count(); ++i) {
        kind_->setItemData(i, tipOf(i), Qt::ToolTipRole);
    }
    kind_->setAccessibleName(tr("Checkpointing"));
    kind_->setObjectName("Checkpointing");
    segments_->setRange(1, 4000);
    segments_->setAccessibleName(tr("Segments"));
    segments_->setObjectName("Segments");
    segments_->setToolTip(
        tr("The number of equal parts of the top-level layers; the last one is not recomputed"));
    segments_->setFixedWidth(46);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 4);
    row->addWidget(kind_, 1);
    row->addWidget(segments_);
    setFocusProxy(kind_);
    connect(kind_, &QComboBox::currentIndexChanged, this, [this](int index) {
        document_.edit(tr("Change checkpointing"), [&](stack::Experiment& e) {
            e.step.checkpoint.kind = static_cast<stack::Checkpointing::Kind>(index);
        });
    });
    connect(segments_, &QSpinBox::valueChanged, this, [this](int count) {
        document_.edit(
            tr("Change segments"), [&](stack::Experiment& e) { e.step.checkpoint.segments = count; },
            "segments");
    });
    connect(&document_, &ExperimentDocument::changed, this, &CheckpointField::refresh);
    refresh();
}

void CheckpointField::refresh() {
    const stack::Checkpointing& checkpoint = document_.experiment().step.checkpoint;
    const QSignalBlocker quiet[] = {QSignalBlocker(kind_), QSignalBlocker(segments_)};
    const auto marked = markedBlocks(document_.experiment().stack);
    kind_->setItemText(0, marked == 0 ? tr("by block: none") : tr("by block: %1").arg(marked));
    kind_->setItemText(
        static_cast<int>(stack::Checkpointing::Kind::Plan),
        checkpoint.plan.empty() ? tr("plan: none") : tr("plan: %1").arg(checkpoint.plan.size()));
    kind_->setCurrentIndex(static_cast<int>(checkpoint.kind));
    kind_->setToolTip(tipOf(static_cast<int>(checkpoint.kind)));
    segments_->setValue(
        static_cast<int>(std::clamp<std::int64_t>(checkpoint.segments, 1, segments_->maximum())));
    segments_->setVisible(checkpoint.kind == stack::Checkpointing::Kind::Segments);
}

}  // namespace highwater::desktop

#include "moc_checkpoint_field.cpp"
